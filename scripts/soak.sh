#!/usr/bin/env bash
# The tests of `azlock lock` at length: 20 contenders by 50 rounds, and every kind of loss many times over.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
Usage: scripts/soak.sh [--turns N]

Plays contention (20 contenders, 50 rounds each) and losses (8 events of each kind at once) N times (default 3).
Needs a build (scripts/build.sh) and Azurite (scripts/setup.sh).
TEXT
}

turns=3
while (($#)); do
    case $1 in
        --turns) turns=${2:?} && shift 2 ;;
        -h | --help) usage && exit 0 ;;
        *) usage >&2 && exit 64 ;;
    esac
done
export AZLOCK_BIN=$PWD/build/azlock AZLOCK_ROUNDS=50 AZLOCK_LOSS_EVENTS=8
[[ -x $AZLOCK_BIN ]] || { echo "soak.sh: no build/azlock; run scripts/build.sh" >&2 && exit 1; }
for ((turn = 1; turn <= turns; turn++)); do
    echo "soak.sh: turn $turn of $turns"
    python3 -B tests/e2e/test_lock_contention.py
    python3 -B tests/e2e/test_lock_loss.py
done
