#!/usr/bin/env bash
# Installs what is missing, builds azlock and passes all tests.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
cd "$root"

usage() {
    cat <<'TEXT'
Usage: scripts/test.sh [--checks] [--quick] [CTEST_OPTION]...

Sets up and builds, runs the tests under ASan+UBSan and under TSan, the fuzzers for a few seconds, and then every test
(unit, transport, conformance, end to end against Azurite, format, floors, shellcheck), with ctest's totals at the end.
A check whose tool is not installed is left out, and says so.

  --checks       install those tools too
  --quick        no sanitizers and no fuzzers
  -R REGEX ...   anything else is handed to ctest, and implies --quick
TEXT
}

quick=0 setup=() options=()
for argument in "$@"; do
    case $argument in
        --checks) setup=(--checks) ;;
        --quick) quick=1 ;;
        -h | --help) usage && exit 0 ;;
        *) quick=1 options+=("$argument") ;;
    esac
done

failed=() unsteady=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# phase NAME COMMAND...: goes on after a failure, which the end tells. 77: left out, the command said why.
phase() {
    local name=$1 code=0 begin=$SECONDS
    shift
    echo "==== $name"
    "$@" </dev/null 2>&1 | tee "$log" || code=${PIPESTATUS[0]}
    if ((code != 0 && code != 77)); then
        failed+=("$name:" "$(grep -E '\((Failed|Timeout|Not Run|SEGFAULT|Subprocess .*|Child .*)\)$|^FAILED|error:' "$log" | tail -20)")
    fi
    # ctest runs a test that failed once more: what passes only then is told at the end, and is to be mended.
    while IFS= read -r line; do unsteady+=("$name: $line"); done < <(
        if ((code == 0)); then grep -oE 'Test +#[0-9]+: .*\*\*\*(Failed|Timeout|Exception)' "$log" | sort -u; fi
    )
    echo "==== $name: $((SECONDS - begin)) s, exit $code"
}

scripts/setup.sh "${setup[@]}"
scripts/build.sh
if ((!quick)); then
    phase "fuzzers" scripts/fuzz.sh --smoke
    phase "address and undefined behaviour sanitizers" scripts/asan.sh
    phase "thread sanitizer" scripts/tsan.sh
fi
phase "all tests" ctest --test-dir build --output-on-failure --timeout 600 --repeat until-pass:2 -j "$(nproc)" "${options[@]}"
if ((${#unsteady[@]})); then printf 'test.sh: passed only at the second try: %s\n' "${unsteady[@]}" >&2; fi
if ((${#failed[@]})); then
    printf 'test.sh: FAILED: %s\n%s\n' "${failed[@]}" >&2
    exit 1
fi
