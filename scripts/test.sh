#!/usr/bin/env bash
# Installs what is missing, builds azlock and runs all tests.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
cd "$root"

usage() {
    cat <<'TEXT'
Usage: scripts/test.sh [--checks] [--quick] [CTEST_OPTION]...

Installs what is missing and builds. Runs the tests under ASan+UBSan and under TSan, the fuzzers for a few seconds, and
then every test (unit, transport, conformance, end to end against Azurite, format, floors, shellcheck). ctest's totals
come at the end. If the tool for a check is not installed, the check is skipped with a message.

  --checks       also install those tools
  --quick        no sanitizers and no fuzzers
  -R REGEX ...   anything else is passed to ctest, and implies --quick
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
# phase NAME COMMAND...: after a failure the script goes on and reports it at the end. Exit code 77: skipped; the
# command said why.
phase() {
    local name=$1 code=0 begin=$SECONDS
    shift
    echo "==== $name"
    "$@" </dev/null 2>&1 | tee "$log" || code=${PIPESTATUS[0]}
    if ((code != 0 && code != 77)); then
        failed+=("$name:" "$(grep -E '\((Failed|Timeout|Not Run|SEGFAULT|Subprocess .*|Child .*)\)$|^FAILED|error:' "$log" | tail -20)")
    fi
    # ctest runs a failed test once more. A test that passes only then is reported at the end, and must be fixed.
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
