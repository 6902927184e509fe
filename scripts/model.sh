#!/usr/bin/env bash
# Checks the model of a lock (tests/model/lock.pml) with spin, and checks that each of its rules is needed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

long=0
case ${1:-} in
    --long) long=1 ;;
    -h | --help)
        echo "Usage: scripts/model.sh [--long]"
        echo "  --long  also all kinds of trouble in one run; minutes"
        exit 0
        ;;
    ?*) echo "model.sh: unknown option $1" >&2 && exit 64 ;;
esac

if ! command -v spin >/dev/null || ! command -v gcc >/dev/null; then
    echo "model.sh: no spin or gcc; scripts/setup.sh --checks installs them" >&2
    exit 77
fi
model=$PWD/tests/model/lock.pml
work=$TMPDIR

# check NAME WANTED COMPILER_FLAGS CHECKER_FLAGS DEFINES...: WANTED is "holds" or "fails".
check() {
    local name=$1 wanted=$2 build=$3 flags=$4 found
    shift 4
    mkdir "$work/$name"
    (
        cd "$work/$name"
        spin -a "$@" "$model" >spin.log
        # shellcheck disable=SC2086 # lists of words
        gcc -O2 -w $build -o pan pan.c
        # shellcheck disable=SC2086
        timeout 1200 ./pan $flags >pan.log 2>&1 || true
    )
    if grep -q 'max search depth too small\|out of memory\|pan: reached -DMEMLIM' "$work/$name/pan.log"; then
        found="not decided"
    elif grep -q 'errors: 0$' "$work/$name/pan.log"; then
        found=holds
    elif grep -q 'assertion violated\|acceptance cycle' "$work/$name/pan.log"; then
        found=fails
    else
        found="not decided"
    fi
    printf '%-16s %s (%s states)\n' "$name" "$found" \
        "$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$work/$name/pan.log" | head -1)"
    if [[ $found != "$wanted" ]]; then
        echo "model.sh: $name should be: $wanted" >&2
        tail -30 "$work/$name/pan.log" >&2
        exit 1
    fi
}

safety="-DSAFETY -DBFS -DVECTORSZ=2048 -DMEMLIM=3000"
search="-m1000000 -w24 -E"
one_holder=(-DGIVEUPS=0 -DSTRANGERS=0 -DLOST_ACQUIRES=0) # everything happens to it
steady=(-DCRASHES=0 -DPAUSES=0)                          # everything happens to the others
# With all rules two commands never run at once, and a waiter gets the lock.
check holder holds "$safety" "$search" "${one_holder[@]}"
check others holds "$safety" "$search" "${steady[@]}" -DACQUIRES=0 -DLOSSES=0
check keeps holds "$safety" "$search" "${steady[@]}" "${one_holder[@]}" -DACQUIRES=1
if ((long)); then
    check "others, losses" holds "${safety/3000/6000} -DCOLLAPSE" "$search" "${steady[@]}" -DACQUIRES=0
    check everything holds "${safety/3000/16000}" "$search"
fi
check waiter holds "-DNFAIR=4 -DVECTORSZ=2048 -DMEMLIM=3000" "-a -f -m1000000 -w22" -DLIVE -DLOSSES=0 "${one_holder[@]}"
# Without one of the rules spin must find two commands at once.
for variant in ANSWER NOMARGIN NOGUARD NOQUARANTINE TERM_ON_LOSS NOCHECK THAW_FIRST; do
    check "$variant" fails "$safety" "$search" "-D$variant" "${one_holder[@]}"
done
for variant in REACQUIRE LEASE_FIRST FORGETS; do
    check "$variant" fails "$safety" "$search" "-D$variant" "${steady[@]}"
done
for variant in STATE_ONLY BELIEVE; do
    check "$variant" fails "$safety" "$search" "-D$variant"
done
# Where no record tells that a command may still run, who gives up must not release.
check RELEASE fails "$safety" "$search" -DRELEASE -DSTATE_ONLY -DSTRANGERS=0
# So must it if the assumption about other tools does not hold.
check STRANGER_EXPIRES fails "$safety" "$search" -DSTRANGER_EXPIRES
