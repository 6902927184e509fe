#!/usr/bin/env bash
# Runs the README's commands as a new user would: on a bare Debian with nothing but git.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/fresh.sh SUITE [COMMAND...]

Makes a bare root file system of a Debian suite ("bookworm", "trixie") in a temporary directory, clones HEAD into it and
runs each COMMAND there with bash, from the clone's top directory. The default is the README's two commands,
"scripts/demo.sh" and "scripts/test.sh". Prints the time and the exit code of each command.

The commands run as root in mount and PID namespaces of their own. The network is the host's, and so are the mirror of
Debian's packages, the CA certificates and the proxy. Everything ends and is removed with the script.

Needs root, debootstrap and a Debian host. Exit code 1: a command failed, or left a process running; 77: a tool is missing.
TEXT
}

fail() { echo "fresh.sh: $1" >&2 && exit "${2:-1}"; }

# run_commands SUITE FOLDER COMMAND...: the part inside of the namespaces. The clone is in the folder.
run_commands() {
    local suite=$1 clone=$2/clone system=$2/system command code began left failed=0
    shift 2
    mount --make-rprivate /
    local mirror release
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    # shellcheck disable=SC2016 # apt-get fills them in
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        sed -n "s/^$release //p" | head -1)
    [[ $mirror ]] || fail "the apt sources of this host do not name a Debian mirror"
    echo "==== a bare $suite"
    debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$system" "$mirror" >"$system.log" 2>&1 ||
        { tail -20 "$system.log" >&2 && fail "debootstrap failed"; }
    {
        echo "deb $mirror $suite main"
        echo "deb $mirror $suite-updates main"
    } >"$system/etc/apt/sources.list"
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    local bundle=/etc/ssl/certs/ca-certificates.crt
    cp "$bundle" "$system/etc/host-certificates.crt"
    echo 'Acquire::https::CAInfo "/etc/host-certificates.crt";' >"$system/etc/apt/apt.conf.d/90host"
    mv "$clone" "$system/root/azlock"
    mount -t proc proc "$system/proc"
    mount --rbind /sys "$system/sys"
    mount --rbind /dev "$system/dev"
    local name environment=(HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        SSL_CERT_FILE=/etc/host-certificates.crt NODE_EXTRA_CA_CERTS=/etc/host-certificates.crt
        npm_config_cafile=/etc/host-certificates.crt)
    for name in http_proxy https_proxy no_proxy; do
        if [[ ${!name:-} ]]; then environment+=("$name=${!name}"); fi
    done
    local report=()
    for command in "$@"; do
        echo "==== $suite: $command"
        began=$SECONDS code=0
        chroot "$system" env -i "${environment[@]}" bash -c "cd /root/azlock && $command" </dev/null || code=$?
        # shellcheck disable=SC2009 # pgrep cannot leave out several
        left=$(ps -e -o args= | grep -vE '^ps -e|^grep |^unshare |fresh.sh --inside' || true)
        if [[ $left ]]; then code="$code, left running: $left" failed=1; fi
        if [[ $code != 0 ]]; then failed=1; fi
        report+=("$(printf '%s: %-24s %4d s, exit code %s' "$suite" "$command" $((SECONDS - began)) "$code")")
    done
    printf '%s\n' "==== results on a bare $suite" "${report[@]}"
    return "$failed"
}

case ${1:-} in
    --inside)
        shift
        run_commands "$@"
        exit
        ;;
    -h | --help) usage && exit 0 ;;
    '' | -*) usage >&2 && exit 64 ;;
esac
suite=$1
shift
if ((!$#)); then set -- scripts/demo.sh scripts/test.sh; fi
((EUID == 0)) || fail "must run as root" 77
for tool in debootstrap unshare apt-get ps; do
    command -v "$tool" >/dev/null || fail "no $tool; install the package $tool" 77
done
work=$(mktemp -d)
trap 'rm -rf --one-file-system -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
git clone --quiet --no-hardlinks -- "$root" "$work/clone"
unshare --mount --pid --fork --kill-child --mount-proc -- "$root/scripts/fresh.sh" --inside "$suite" "$work" "$@"
