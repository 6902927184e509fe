#!/usr/bin/env bash
# Builds the fuzzers with clang and runs each one, first with its seed corpus and then with new inputs for some time.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/fuzz.sh [--seconds N | --smoke] [FUZZER]...

  --seconds N  time for all fuzzers together (default: 60)
  --smoke      the seed corpus and two seconds each
  FUZZER       such as fuzz_url: only these (default: all of tests/fuzz/fuzz_*.cpp)

New inputs are kept in build-fuzz/corpus, inputs that broke a fuzzer in build-fuzz/found.
TEXT
}

seconds=60 smoke=0 chosen=()
while (($#)); do
    case $1 in
        --seconds)
            [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { usage >&2 && exit 64; }
            seconds=$2
            shift 2
            ;;
        --smoke) smoke=1 && shift ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && exit 64 ;;
        *) chosen+=("$1") && shift ;;
    esac
done
cd "$root"
if ((${#chosen[@]} == 0)); then
    for source in tests/fuzz/fuzz_*.cpp; do chosen+=("$(basename "$source" .cpp)"); done
fi
for name in "${chosen[@]}"; do
    if [[ ! -f tests/fuzz/$name.cpp ]]; then echo "fuzz.sh: no tests/fuzz/$name.cpp" >&2 && exit 64; fi
done
runtime=$(clang++-19 -print-file-name="libclang_rt.fuzzer-$(uname -m).a" 2>/dev/null || true)
if [[ ! -f $runtime ]]; then
    echo "fuzz.sh: no clang++-19 with its fuzzing runtime; scripts/setup.sh --checks installs it" >&2
    exit 77
fi

build='build-fuzz'
generator=()
if [[ ! -f $build/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S . -B "$build" "${generator[@]}" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DAZLOCK_BUILD_FUZZERS=ON -DAZLOCK_BUILD_TESTS=OFF
cmake --build "$build" --parallel "$(nproc)" --target "${chosen[@]}"

if ((smoke)); then each=2; else each=$((seconds / ${#chosen[@]})); fi
if ((each < 1)); then each=1; fi
mkdir -p "$build/found"
failed=()
for name in "${chosen[@]}"; do
    mkdir -p "$build/corpus/$name"
    folders=("$build/corpus/$name")
    if [[ -d tests/fuzz/corpus/$name ]]; then folders+=("tests/fuzz/corpus/$name"); fi
    dictionary=()
    if [[ -f tests/fuzz/$name.dict ]]; then dictionary=("-dict=tests/fuzz/$name.dict"); fi
    echo "== $name: ${each} s"
    if "$build/tests/fuzz/$name" "${dictionary[@]}" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$build/found/$name-" -print_final_stats=1 "${folders[@]}" >"$build/$name.log" 2>&1; then
        grep -E 'stat::number_of_executed_units|^Done' "$build/$name.log"
    else
        tail -n 60 "$build/$name.log"
        failed+=("$name")
    fi
done
if ((${#failed[@]})); then
    echo "fuzz.sh: failed: ${failed[*]}; the inputs are in $build/found" >&2
    exit 1
fi
