#!/bin/sh
# No deployment at night, when nobody is there to watch it.
case $(cat) in
    *"make deploy"*)
        hour=$(date +%H)
        if [ "$hour" -ge 20 ] || [ "$hour" -lt 6 ]; then
            echo "No deployment between 20:00 and 06:00." >&2
            exit 2
        fi
        ;;
esac
