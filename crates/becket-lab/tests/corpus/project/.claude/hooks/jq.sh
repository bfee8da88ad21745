command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case $command in *foxtrot*) echo 'no foxtrot' >&2; exit 2;; esac
