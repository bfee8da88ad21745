#!/bin/sh
# A PreToolUse hook as people write them without jq: takes what it needs out of the one line of JSON.
input=$(cat)
field() { printf '%s' "$input" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
tool=$(field tool_name)
command=$(field command)
printf '%s\t%s\t%s\n' "$(field session_id)" "$tool" "$command" >>"$CLAUDE_PROJECT_DIR/calls.log"
case $command in
*'rm -rf'*)
    echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"use trash instead"}}'
    ;;
esac
