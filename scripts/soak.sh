#!/usr/bin/env bash
# Runs the longest end-to-end tests at full length.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=(lock_contention lock_loss lock_campaign upload_resume cas_contention append_faults append_kills queue_chaos resources login login_lock slow_line)

usage() {
    cat <<TEXT
Usage: scripts/soak.sh [--runs N] [FILE]...

Runs end-to-end tests at full length N times (default 1): contention for a lock (20 contenders, 200 rounds each),
lost locks (8 events of each kind at once), 200 runs of locks with breaks, kills, lost answers and other tools, 20 kills of uploads and appends, 64 processes that change one counter,
100,000 lines from 8 writers over a network that loses answers, a queue of 2,000 tasks whose workers are killed, files
of 10 GiB, an upload of a minute and a lock of five minutes with tokens that live 3 s.
FILE is one of: ${files[*]}
It needs a build (scripts/build.sh) and Azurite (scripts/setup.sh). One run takes about 40 minutes on 2 cores,
and slow_line another 50 minutes.
TEXT
}

runs=1 chosen=()
while (($#)); do
    case $1 in
        --runs) runs=${2:?} && shift 2 ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && exit 64 ;;
        *) chosen+=("$1") && shift ;;
    esac
done
if ((${#chosen[@]})); then files=("${chosen[@]}"); fi
export AZLOCK_BIN=$PWD/build/azlock AZLOCK_SOAK=1 AZLOCK_ROUNDS=200
[[ -x $AZLOCK_BIN ]] || { echo "soak.sh: no build/azlock; run scripts/build.sh" >&2 && exit 1; }
for file in "${files[@]}"; do
    [[ -f tests/e2e/test_$file.py ]] || { usage >&2 && exit 64; }
done
for ((run = 1; run <= runs; run++)); do
    for file in "${files[@]}"; do
        echo "soak.sh: run $run of $runs: $file"
        began=$SECONDS
        python3 -B "tests/e2e/test_$file.py"
        echo "soak.sh: $file: $((SECONDS - began)) s"
    done
done
