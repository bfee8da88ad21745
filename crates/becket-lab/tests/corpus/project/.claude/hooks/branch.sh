case $(cat) in *juliet*) [ "$(git -C "$CLAUDE_PROJECT_DIR" branch --show-current)" = main ] && exit 2;; esac
exit 0
