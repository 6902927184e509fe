#!/usr/bin/env bash
# Measures what azlock's uploads cost, beside a floor of raw sockets and beside other uploaders.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/bench.sh [--quick] [OPTION]...

Builds azlock and the programs of tests/bench, makes files of random bytes in a temporary directory, and uploads them to
a server of ours that forgets them: with the floor (raw sockets, the same hashes), with azlock, and with whichever of
the JavaScript SDK, azcopy, az and rclone are installed, in turn. Prints medians of CPU, wall time, memory and requests,
and ratios to the floor. An upload that does not arrive whole ends it with an error.

  --quick           one short round of floor and azlock; checks counts and bytes
  --size MIB        of the large file (default 1024)
  --small N         number of small files (default 1000)
  --runs N          (default 5)
  --latency MS      added to each answer (default 0)
  --scheme NAME     http, https or both (default)
  --only NAME       only clients whose name begins so; may be repeated ("floor" has the ratios' base)
  --built DIR       use what is built in DIR, and build nothing
  --locks [PART]    something else: `azlock lock` beside flock, etcdctl lock and a script with the JavaScript SDK, as far as
                    they are in the PATH; PART is cost (CPU of a lock around `true`) or scenes (what happens when things
                    go wrong), default both. Takes --runs and --built
TEXT
}

built='' options=() program=bench.py targets=(--target azlock --target bench)
while (($#)); do
    case $1 in
        -h | --help) usage && exit 0 ;;
        --quick) options+=("$1") && shift ;;
        --locks)
            program=locks.py targets=(--target azlock)
            shift
            if [[ ${1:-} == cost || ${1:-} == scenes ]]; then options+=(--part "$1") && shift; fi
            ;;
        --built)
            (($# > 1)) || { usage >&2 && exit 64; }
            built=$(realpath -- "$2")
            shift 2
            ;;
        --size | --small | --runs | --latency | --scheme | --only)
            (($# > 1)) || { usage >&2 && exit 64; }
            options+=("$1" "$2")
            shift 2
            ;;
        *) usage >&2 && exit 64 ;;
    esac
done
if [[ ! $built ]]; then
    built=$root/build
    "$root/scripts/build.sh" "${targets[@]}" "$built" >&2
fi
exec python3 -B "$root/tests/bench/$program" --built "$built" "${options[@]}"
