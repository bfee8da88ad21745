#!/bin/sh
# Installs becket from a release: sh install.sh [--version VERSION] [--dir DIRECTORY]
#
#   --version   the release, such as 0.1.0; by default the latest
#   --dir       where to put the programs; by default $BECKET_INSTALL_DIR, or ~/.local/bin
#
# BECKET_RELEASES_URL names another place for the releases: a mirror, or a directory as file:///…
# Nothing is changed before an archive has been downloaded whole and its SHA-256 sum is right.
set -eu

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# The target of this machine, as releases are named.
target() {
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no release for the processor \`$machine\`: build from source with \`cargo install --path crates/becket-cli\`" ;;
    esac
    system=$(uname -s)
    case $system in
        Linux)
            libc=gnu
            if has ldd && ldd --version 2>&1 | grep -q musl; then
                libc=musl
            fi
            printf '%s-unknown-linux-%s\n' "$machine" "$libc"
            ;;
        Darwin)
            [ "$machine" = aarch64 ] ||
                fail "there is no release for Macs with an Intel processor: build from source with \`cargo install --path crates/becket-cli\`"
            printf 'aarch64-apple-darwin\n'
            ;;
        *) fail "there is no release for the system \`$system\` that this script installs: build from source with \`cargo install --path crates/becket-cli\`" ;;
    esac
}

# Downloads an address to a file.
download() {
    if [ "${1#file://}" != "$1" ]; then
        cp -- "${1#file://}" "$2" || fail "\`$1\` can't be read"
    elif has curl; then
        curl --fail --silent --show-error --location --proto-redir =https --output "$2" "$1" || fail "\`$1\` can't be downloaded"
    elif has wget; then
        # Short options, which BusyBox knows as well.
        wget -q -O "$2" "$1" || fail "\`$1\` can't be downloaded"
    else
        fail "neither \`curl\` nor \`wget\` is installed: install one of them"
    fi
}

# Prints the SHA-256 sum of a file, and a dash.
sum() {
    if has sha256sum; then
        sha256sum <"$1"
    elif has shasum; then
        shasum -a 256 <"$1"
    else
        fail "neither \`sha256sum\` nor \`shasum\` is installed, so the download can't be verified: install one of them"
    fi
}

main() {
    releases=${BECKET_RELEASES_URL:-https://github.com/becket-hooks/becket/releases}
    version=latest
    dir=${BECKET_INSTALL_DIR:-}
    while [ $# -gt 0 ]; do
        case $1 in
            --version) version=${2:?"--version needs a value"} && shift 2 ;;
            --dir) dir=${2:?"--dir needs a value"} && shift 2 ;;
            *) fail "unknown argument \`$1\`: it takes \`--version VERSION\` and \`--dir DIRECTORY\`" ;;
        esac
    done
    if [ -z "$dir" ]; then
        [ -n "${HOME:-}" ] || fail "there is no home directory: name a directory with \`--dir\`"
        dir=$HOME/.local/bin
    fi
    # The sum is from the same place as the archive, so that the connection has to be safe.
    case $releases in
        *@*) fail "\`$releases\` can't be used as the place of releases: it has a user name" ;;
        https://* | file://* | http://localhost[:/]* | http://127.0.0.1[:/]* | 'http://[::1]'*) ;;
        *) fail "\`$releases\` can't be used as the place of releases: plain HTTP is accepted from this machine only; write https://… or file:///…" ;;
    esac
    name=becket-$(target)
    case $version in
        latest) from=$releases/latest/download ;;
        *) from=$releases/download/v${version#v} ;;
    esac

    mkdir -p "$dir" || fail "\`$dir\` can't be created"
    # In the directory itself, so that the last step is a rename.
    work=$(mktemp -d "$dir/.becket-install.XXXXXX") || fail "\`$dir\` can't be written to"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP

    download "$from/$name.tar.gz" "$work/archive"
    download "$from/$name.tar.gz.sha256" "$work/sum"
    expected=$(cut -d ' ' -f 1 <"$work/sum")
    found=$(sum "$work/archive")
    found=${found%% *}
    [ -n "$found" ] && [ "$expected" = "$found" ] ||
        fail "\`$from/$name.tar.gz\` has the SHA-256 sum $found instead of $expected: nothing was installed"
    tar -xzf "$work/archive" -C "$work" || fail "\`$name.tar.gz\` can't be unpacked"
    for program in becket-full becket; do
        [ ! -d "$dir/$program" ] || fail "\`$dir/$program\` is a directory: nothing was installed"
    done
    [ -f "$work/$name/becket" ] || fail "\`$name.tar.gz\` does not contain becket"
    "$work/$name/becket" --version >/dev/null || fail "this becket does not run on this machine: nothing was installed"

    # An update that was interrupted must not be finished over these programs.
    rm -rf "$dir/.becket-update"
    # The small program looks for the full one beside it, so that one comes first.
    for program in becket-full becket; do
        if [ -f "$work/$name/$program" ]; then
            mv -f "$work/$name/$program" "$dir/$program"
        fi
    done
    # `becket self version` and `becket self update` read it.
    printf '{"installer": "install.sh", "target": "%s"}\n' "${name#becket-}" >"$work/marker"
    mv -f "$work/marker" "$dir/.becket-install.json"
    printf 'installed %s in %s\n' "$("$dir/becket" --version)" "$dir"
    case :$PATH: in
        *":$dir:"*) ;;
        *) printf 'add it to your PATH: export PATH="%s:$PATH"\n' "$dir" ;;
    esac
}

main "$@"
