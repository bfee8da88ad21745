#!/bin/sh
# PostToolUse: tidies the file that was just edited. Never a reason to stop: what it can't tidy it leaves alone.
file=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["tool_input"].get("file_path", ""))') || exit 0
[ -f "$file" ] && [ ! -L "$file" ] || exit 0

case $file in
*.json) tidy() { python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), indent=2, ensure_ascii=False))'; } ;;
*.py | *.sh | *.md | *.txt | *.toml) tidy() { sed 's/[[:space:]]*$//'; } ;;
*) exit 0 ;;
esac

new=$(mktemp) || exit 0
trap 'rm -f "$new"' EXIT
tidy <"$file" >"$new" 2>/dev/null || exit 0
cmp -s "$new" "$file" && exit 0
# Written through, so that the file keeps its mode and its links.
cat "$new" >"$file" || exit 0
printf '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "The file was reformatted after your edit; read it again before you edit it."}}\n'
