#!/usr/bin/env bash
# Runs clang-tidy over the sources, with the checks of .clang-tidy; any finding is an error.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/tidy.sh [--build DIR] [FILE.cpp]...

  --build DIR  a build directory configured with build.sh --apart (default: build-apart/, made if it does not exist)
  FILE.cpp     only these files (default: every file that the build compiles)
TEXT
}

build=$root/build-apart files=()
while (($#)); do
    case $1 in
        --build)
            (($# > 1)) || { usage >&2 && exit 64; }
            build=$(realpath -m -- "$2")
            shift 2
            ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && exit 64 ;;
        *) files+=("$(realpath -- "$1")") && shift ;;
    esac
done
cd "$root"
if ! command -v clang-tidy-14 >/dev/null; then
    echo "tidy.sh: no clang-tidy-14; scripts/setup.sh --checks installs it" >&2
    exit 77
fi
if [[ ! -f $build/compile_commands.json ]]; then scripts/build.sh --apart --configure "$build"; fi
if ((${#files[@]} == 0)); then
    mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u)
fi
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p "$build" --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option 2> >(grep -v ' warnings\? generated' >&2)
