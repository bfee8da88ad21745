case $(cat) in *hotel*) s=$(date +%S); [ $((${s#0} % 2)) = 0 ] && exit 2;; esac
exit 0
