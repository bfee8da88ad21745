#!/bin/sh
# Stands before a program whose answer depends on more than the hook's input: notes that it was asked, and runs it.
name=${0##*/}
case $name in
    date) kind=clock ;;
    git) kind=git ;;
    shuf | uuidgen) kind=random ;;
    *) kind=network ;;
esac
[ -n "$BECKET_REPLAY_TRACE" ] && echo "$kind $name" >>"$BECKET_REPLAY_TRACE"
PATH=$BECKET_REPLAY_PATH
program=$(command -v "$name") || {
    echo "$name: not found" >&2
    exit 127
}
if [ "$name" = date ] && [ -n "$BECKET_REPLAY_SHIFT" ]; then
    case " $* " in
        *" -d"* | *" --date"* | *" -r"* | *" --reference"* | *" -f"*) ;;
        *) exec "$program" -d "@$(($("$program" +%s) + BECKET_REPLAY_SHIFT))" "$@" ;;
    esac
fi
exec "$program" "$@"
