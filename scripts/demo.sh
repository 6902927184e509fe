#!/usr/bin/env bash
# Shows azlock at work: installs what is missing, builds, starts Azurite, then uploads, lists, downloads and compares.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

if [[ ${1:-} != --inside ]]; then
    if (($#)); then echo "Usage: scripts/demo.sh" >&2 && exit 64; fi
    "$root/scripts/setup.sh"
    echo "Building azlock (the first time takes some minutes)"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! "$root/scripts/build.sh" --target azlock >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
    echo "Starting Azurite, an emulator of Azure Blob Storage; AZURE_STORAGE_CONNECTION_STRING says where it is"
    "$root/scripts/azurite.sh" run -- "$root/scripts/demo.sh" --inside
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
cd "$work"
# The user's own settings must not influence the demonstration.
connection=$AZURE_STORAGE_CONNECTION_STRING
unset "${!AZURE_STORAGE_@}" "${!AZLOCK_@}" HTTP_PROXY http_proxy
export AZURE_STORAGE_CONNECTION_STRING=$connection XDG_CONFIG_HOME=$work PATH=$root/build:$PATH
bold='' plain=''
if [[ -t 1 && ! ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n# %s\n' "$*"; }
typed() { printf '%s$ %s%s\n' "$bold" "$1" "$plain"; }
# show COMMAND...: prints the command as a user would type it, and runs it.
show() {
    local word line=''
    for word in "$@"; do
        if [[ ! $word =~ ^[A-Za-z0-9_./:=@,+-]+$ ]]; then word="'$word'"; fi
        line+="$word "
    done
    typed "${line% }"
    "$@"
}

say "Two files to work with: 64 MiB of random bytes, and a file with spaces in its name"
show dd if=/dev/urandom of=disk.img bs=1M count=64 status=none
show cp disk.img 'photo of the moon.raw'
show truncate -s 300K 'photo of the moon.raw'

say "A container"
show azlock container create demo
show azlock container show demo

say "Upload: several blocks at the same time, then one commit. Small files are a single request"
show azlock upload disk.img demo/backup/disk.img
show azlock upload 'photo of the moon.raw' 'demo/photos/photo of the moon.raw' --content-type image/x-raw --metadata camera=zenit

say "What the container holds now"
show azlock show demo/backup/disk.img
show azlock list demo
show azlock list demo/photos/ --json

say "Download the files and compare them byte for byte"
show azlock download demo/backup/disk.img back.img
show cmp disk.img back.img
typed "azlock download 'demo/photos/photo of the moon.raw' - | cmp - 'photo of the moon.raw'"
azlock download 'demo/photos/photo of the moon.raw' - | cmp - 'photo of the moon.raw'
echo "Equal, byte for byte."

say "An upload that must not replace an existing blob is refused, and the exit code says so"
code=0
show azlock upload disk.img demo/backup/disk.img --if-none-match '*' || code=$?
echo "exit code $code"
if ((code != 73)); then echo "demo.sh: 73 was expected" >&2 && exit 1; fi

say "Clean up"
show azlock delete demo/backup/disk.img
show azlock container delete demo --yes

say "Done. Azurite is stopped, and everything that the demonstration wrote is removed."
