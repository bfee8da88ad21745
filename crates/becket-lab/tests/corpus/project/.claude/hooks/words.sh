case $(cat) in *alpha*) echo 'no alpha' >&2; exit 2;; esac
