#!/bin/sh
# Commits go to a branch.
case $(cat) in
    *"git commit"*)
        if [ "$(git branch --show-current)" = main ]; then
            echo "You are on main. Start a branch: git switch -c NAME" >&2
            exit 2
        fi
        ;;
esac
