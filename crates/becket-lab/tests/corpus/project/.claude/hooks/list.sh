IN=$(cat)
while read -r word; do case $IN in *"$word"*) echo "no $word" >&2; exit 2;; esac; done < "$CLAUDE_PROJECT_DIR"/.claude/hooks/forbidden.txt
exit 0
