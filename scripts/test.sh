#!/usr/bin/env bash
# Installs what is missing, builds azlock and runs its tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
cd "$root"

usage() {
    cat <<'TEXT'
Usage: scripts/test.sh [--all] [CTEST_OPTION]...

Installs what is missing, builds, and runs every functional test: unit, transport, conformance, end to end against
Azurite, product, and the checks of the sources. A test whose tool is not installed is skipped. A summary comes at the
end: totals, the slowest tests, what was skipped and why.

  --all          also what takes longer: installs all tools, compiles each file alone, and runs the fuzzers for some
                 seconds, the tests under ASan+UBSan and under TSan, the check of the format and the model of the lock
  -R REGEX ...   anything else is passed to ctest
TEXT
}

all=0 setup=() build=() options=()
for argument in "$@"; do
    case $argument in
        --all) all=1 setup=(--checks) build=(--werror) ;;
        -h | --help) usage && exit 0 ;;
        *) options+=("$argument") ;;
    esac
done
if ((!all)); then options+=(-LE '^all$'); fi

failed=()
# phase NAME COMMAND...: after a failure the script goes on and reports it at the end, with the last lines. Exit code
# 77: skipped; the command said why.
phase() {
    local name=$1 code=0 begin=$SECONDS
    shift
    echo "==== $name"
    "$@" </dev/null 2>&1 | tee "$TMPDIR/$name" || code=$?
    if ((code != 0 && code != 77)); then failed+=("$name"); fi
    echo "==== $name: $((SECONDS - begin)) s, exit code $code"
}

functional_tests() {
    local code=0 result=$TMPDIR/result.xml
    # The end-to-end tests wait most of their time.
    ctest --test-dir build --output-on-failure --timeout 600 -j $(($(nproc) * 3)) --output-junit "$result" "${options[@]}" || code=$?
    scripts/test_summary.py "$result" || code=1
    return "$code"
}

scripts/setup.sh "${setup[@]}"
scripts/build.sh --progress "${build[@]}"
if ((all)); then
    # In build/ the files of a folder are compiled together, which hides an include that one of them lacks.
    phase "each file alone" scripts/build.sh --apart --type Debug --werror --target azlock build-apart
    phase "fuzzers" scripts/fuzz.sh --smoke
    phase "address and undefined behaviour sanitizers" scripts/asan.sh
    phase "thread sanitizer" scripts/tsan.sh
fi
phase "all tests" functional_tests
for name in "${failed[@]}"; do
    echo "==== what failed in: $name"
    # ctest marks a test that fails with ***, and its output follows.
    awk '/ \*\*\*/ { left = 40 } left-- > 0 && shown++ < 200' "$TMPDIR/$name"
    tail -n 20 "$TMPDIR/$name"
done
if ((${#failed[@]})); then
    printf 'test.sh: FAILED: %s\n' "${failed[@]}" >&2
    exit 1
fi
