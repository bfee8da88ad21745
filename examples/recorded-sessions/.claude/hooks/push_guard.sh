#!/bin/sh
# Nobody overwrites `main`.
case $(cat) in
    *"git push --force"*main*)
        echo "This would overwrite main for everybody. Push to a branch of your own." >&2
        exit 2
        ;;
esac
