#!/bin/sh
# Adds one line of context: the branch and what is not pushed. Works in any state of a repository, and outside of one.
cat >/dev/null

# Only what a branch name may hold in JSON without escapes.
branch=$(git symbolic-ref --quiet --short HEAD 2>/dev/null | tr -cd 'A-Za-z0-9._/+-')
unpushed=$(git rev-list --count '@{upstream}..HEAD' 2>/dev/null)

if [ -z "$branch" ]; then
    text='No git branch is checked out here.'
elif [ -z "$unpushed" ]; then
    text="On branch $branch, which has no upstream."
else
    text="On branch $branch, $unpushed commit(s) not pushed."
fi
printf '{"hookSpecificOutput": {"hookEventName": "%s", "additionalContext": "%s"}}\n' "$1" "$text"
