#!/usr/bin/env bash
# A host in plain shell: asks `becket serve` about a shell command, and is one of the hooks itself.
set -euo pipefail
[[ $# == 1 ]] || { echo "usage: host.sh COMMAND" >&2; exit 1; }

coproc BECKET { exec becket serve; }
next=0

# Writes a message: what stands behind `"jsonrpc": "2.0"`.
say() { printf '{"jsonrpc": "2.0", %s}\n' "$1" >&"${BECKET[1]}"; }

# Prints the text of the first field of that name in `line`, as it stands there.
field() {
  [[ $line =~ \"$1\":\"(([^\"\\]|\\.)*)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

# Prints a text as a string of JSON.
json() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"} text=${text//$'\n'/\\n} text=${text//$'\t'/\\t}
  printf '"%s"' "$text"
}

# A hook of this host: nothing is pushed by force. What it prints is what a command would print.
no_force() {
  if [[ $line == *"git push"*"--force"* ]]; then
    printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse",'
    printf '"permissionDecision": "deny", "permissionDecisionReason": "not by force"}}'
  else
    printf '{}'
  fi
}

# Sends a request, and reads until its answer is there. Calls of hooks come in between.
ask() {
  next=$((next + 1))
  say "\"id\": $next, \"method\": \"$1\", \"params\": $2"
  while IFS= read -r line <&"${BECKET[0]}"; do
    case $line in
      *'"method":"hook/call"'*) say "\"id\": \"$(field id)\", \"result\": $(no_force)" ;;
      *"\"id\":$next,\"result\":"*) return 0 ;;
      *"\"id\":$next,\"error\":"*) echo "becket: $(field message)" >&2; exit 1 ;;
    esac
  done
  echo "becket is gone, so nothing is let through" >&2
  exit 1
}

ask initialize '{"protocol": 1, "client": "host.sh"}'
ask session/open "{\"session\": \"demo\", \"start\": $(json "$PWD")}"
ask hooks/register '{"session": "demo", "id": "no-force", "event": "PreToolUse", "matcher": "Bash"}'
input="{\"tool_name\": \"Bash\", \"tool_use_id\": \"call-1\", \"tool_input\": {\"command\": $(json "$1")}}"
ask event/fire "{\"session\": \"demo\", \"event\": \"PreToolUse\", \"input\": $input}"

reason=$(field reason) || reason=
case $line in
  *'"result":"passed"'*) echo "runs: $1" ;;
  *) echo "held back: $1${reason:+ ($reason)}"; exit 2 ;;
esac
