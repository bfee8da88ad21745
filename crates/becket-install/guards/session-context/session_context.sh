#!/bin/sh
# SessionStart hook: what it prints is context for the model. It reads no input.
cd "${CLAUDE_PROJECT_DIR:-.}" || exit 0
git rev-parse --git-dir > /dev/null 2>&1 || exit 0

branch=$(git symbolic-ref --quiet --short HEAD || echo 'no branch')
changed=$(git status --porcelain | wc -l | tr -d ' ')
echo "On $branch, $changed file(s) not committed."

todos=$(git grep --untracked -n -I -E '\b(TODO|FIXME)\b' -- . ':!.claude' 2> /dev/null)
if [ -n "$todos" ]; then
    echo "Open TODOs ($(printf '%s\n' "$todos" | wc -l | tr -d ' ')), the first ones:"
    printf '%s\n' "$todos" | head -n 5 | cut -c 1-160
fi

failure=$(git rev-parse --absolute-git-dir)/becket-last-failure
if [ -f "$failure" ]; then
    echo 'The tests failed at the end of the last turn:'
    head -c 2000 "$failure"
fi
exit 0
