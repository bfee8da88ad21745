#!/bin/sh
# Stop: the turn ends when the tests pass. One reminder is enough: `stop_hook_active` says that we gave it already.
active=$(python3 -c 'import json, sys; print(json.load(sys.stdin).get("stop_hook_active", False))') || exit 0
[ "$active" = True ] && exit 0

cd "$CLAUDE_PROJECT_DIR" || exit 0
out=$(python3 -m unittest discover -s tests -p 'test_till.py' 2>&1) && exit 0
printf 'The tests fail; mend them before you stop:\n%s\n' "$out" | tail -n 30 >&2
exit 2
