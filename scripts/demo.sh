#!/usr/bin/env bash
# Shows azlock at work: installs what is missing, builds, starts Azurite, then tells a short story with it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

if [[ ${1:-} != --inside ]]; then
    if (($#)); then echo "Usage: scripts/demo.sh" >&2 && exit 64; fi
    "$root/scripts/setup.sh"
    "$root/scripts/build.sh" --progress --target azlock
    echo "Starting Azurite, an emulator of Azure Blob Storage; AZURE_STORAGE_CONNECTION_STRING says where it is."
    "$root/scripts/azurite.sh" run -- "$root/scripts/demo.sh" --inside
    exit
fi

cd "$TMPDIR"
# The user's own settings must not influence the demonstration.
connection=$AZURE_STORAGE_CONNECTION_STRING
unset "${!AZURE_STORAGE_@}" "${!AZLOCK_@}" HTTP_PROXY http_proxy
export AZURE_STORAGE_CONNECTION_STRING=$connection XDG_CONFIG_HOME=$TMPDIR PATH=$root/build:$PATH
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

# wait_for WHAT COMMAND...: until the command succeeds, at most 30 seconds.
wait_for() {
    local what=$1 deadline=$((SECONDS + 30))
    shift
    until "$@" 2>/dev/null; do
        if ((SECONDS >= deadline)); then echo "demo.sh: $what did not come" >&2 && exit 1; fi
        sleep 0.05
    done
}
# run_as_typed LINE: prints a line with pipes or quotes and runs it.
run_as_typed() { typed "$1" && eval "$1"; }
# expect CODE COMMAND...: shows a command that must end with this exit code.
expect() {
    local wanted=$1 code=0
    shift
    show "$@" || code=$?
    echo "exit code $code"
    if ((code != wanted)); then echo "demo.sh: $wanted was expected" >&2 && exit 1; fi
}
some_is_staged() { azlock resume disk.img demo/backup/disk.img --status | grep -q '^of the file: [1-9]'; }

say "Two files to work with: 64 MiB of random bytes, and a small one with spaces in its name."
show dd if=/dev/urandom of=disk.img bs=1M count=64 status=none
run_as_typed "head -c 300000 disk.img > 'photo of the moon.raw'"

say "A container is where blobs are."
show azlock container create demo

say "A slow upload begins. It is killed with -9 in the middle, as by a machine that dies."
typed "azlock upload disk.img demo/backup/disk.img --limit-rate 8MiB &"
azlock upload disk.img demo/backup/disk.img --limit-rate 8MiB &
upload=$!
wait_for "the first block" some_is_staged
typed "kill -9 %1"
kill -9 "$upload"
wait "$upload" 2>/dev/null || true

say "What it sent is kept on the server."
show azlock resume disk.img demo/backup/disk.img --status

say "The same command again sends only what is missing."
show azlock upload disk.img demo/backup/disk.img

say "The blob holds the same bytes as the file."
show azlock verify disk.img demo/backup/disk.img
run_as_typed "azlock download demo/backup/disk.img - | cmp - disk.img"

say "A small file is one request, whatever its name is."
show azlock upload 'photo of the moon.raw' demo/photos/ --metadata camera=zenit
show azlock list demo

say "An upload that must not replace an existing blob is refused, and the exit code says so."
expect 73 azlock upload disk.img demo/backup/disk.img --if-none-match '*'

say "One deployment runs under the lock 'deploy'. A second one starts, and waits for its turn."
typed "azlock lock deploy -- sh -c 'echo first: begins; sleep 3; echo first: ends' &"
azlock lock deploy -- sh -c 'echo first: begins; touch begun; sleep 3; echo first: ends' &
first=$!
wait_for "the first command" test -e begun
show azlock lock deploy -- echo 'second: runs now'
wait "$first"

say "With -n nobody waits: the exit code says that the lock is taken."
expect 75 azlock lock deploy -- azlock lock --no-reentrant -n deploy -- echo never

say "Lines from any number of writers go to the end of one log, each exactly once."
run_as_typed "echo 'build 1 passed' | azlock append demo/build.log -"
run_as_typed "echo 'build 2 passed' | azlock append demo/build.log -"
show azlock download demo/build.log -

say "A number that many machines count up at once: each update reads, changes and writes it only if nobody else did."
show azlock cas-update demo/builds --create --add 1
run_as_typed "for i in 2 3 4 5 6; do azlock cas-update demo/builds --add 1 & done; wait"
show azlock download demo/builds -
echo
if [[ $(azlock download demo/builds -) != 6 ]]; then echo "demo.sh: 6 was expected" >&2 && exit 1; fi

say "Done. Azurite is stopped, and everything that the demonstration wrote is removed."
