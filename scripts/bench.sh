#!/usr/bin/env bash
# Measures what azlock costs, compared with a floor and with other programs that do the same.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/bench.sh [upload] [--quick] [--size MIB] [--small N] [--runs N] [--latency MS] [--scheme NAME]
                        [--only NAME]... [--built DIR]
       scripts/bench.sh download [--mib N] [--runs N] [--built DIR]
       scripts/bench.sh append [--mib N] [--runs N] [--built DIR]
       scripts/bench.sh cas [--built DIR] [WRITERS [UPDATES]]
       scripts/bench.sh cas-beside [--built DIR] [SECONDS]
       scripts/bench.sh queue [--built DIR] TASKS WORKERS
       scripts/bench.sh lock [cost|scenes] [--runs N] [--built DIR]

Builds azlock and measures one part of it. If a result is not correct, the benchmark ends with an error. Other programs
take part if they are installed.

  upload    files of random bytes to our own server that forgets them: the floor (raw sockets, the same hashes), azlock,
            the JavaScript SDK, azcopy, az, rclone, one after the other. Medians of CPU, wall time, memory, requests;
            ratios to the floor
  download  one blob from Azurite into a file: azlock, the JavaScript SDK, curl
  append    lines from a pipe to Azurite: azlock, a loop of the JavaScript SDK's appendBlock
  cas       many writers add to one counter, each update in a new process: tries and time; without turns; over a network
            that loses answers; a plain loop of the JavaScript SDK
  cas-beside
            what a writer without azlock gets while six loops of cas-update change the same blob
  queue     requests per finished task, counted by a proxy
  lock      `azlock lock` compared with flock, etcdctl lock and a script that uses the JavaScript SDK: cost (CPU of a
            lock around `true`), scenes (what happens when things go wrong), or both

  --built DIR       use the programs that are built in DIR, and build nothing
  --runs N          number of runs of each program
  --quick           one short round of floor and azlock; checks counts and bytes
  --size MIB        size of the large file (default 1024)
  --small N         number of small files (default 1000)
  --latency MS      delay added to each answer (default 0)
  --scheme NAME     http, https or both (default)
  --only NAME       only clients whose name begins with NAME; may be repeated (the ratios need "floor")
TEXT
}

part=upload built='' options=()
case ${1:-} in
    upload | download | append | cas | cas-beside | queue | lock) part=$1 && shift ;;
esac
while (($#)); do
    case $1 in
        -h | --help) usage && exit 0 ;;
        --built)
            (($# > 1)) || { usage >&2 && exit 64; }
            built=$(realpath -- "$2")
            shift 2
            ;;
        *) options+=("$1") && shift ;;
    esac
done
if [[ ! $built ]]; then
    built=$root/build
    targets=(--target azlock)
    if [[ $part == upload ]]; then targets+=(--target bench); fi
    "$root/scripts/build.sh" "${targets[@]}" "$built" >&2
fi
export AZLOCK_BIN=$built/azlock
programs=$root/tests/bench
case $part in
    upload) exec python3 -B "$programs/bench.py" --built "$built" "${options[@]}" ;;
    lock) exec python3 -B "$programs/locks.py" --built "$built" "${options[@]}" ;;
    cas) exec "$root/scripts/azurite.sh" run -- python3 -B "$programs/cas.py" "${options[@]}" ;;
    cas-beside) exec "$root/scripts/azurite.sh" run -- python3 -B "$programs/cas_beside.py" "${options[@]}" ;;
    queue) exec python3 -B "$programs/queue_requests.py" "${options[@]}" ;;
    *) exec python3 -B "$programs/$part.py" "${options[@]}" ;;
esac
