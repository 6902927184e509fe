#!/usr/bin/env bash
# Configures and builds azlock and its tests into a build directory.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/build.sh [--type TYPE] [--sanitize LIST] [--target NAME]... [--configure] [--werror] [--progress] [BUILD_DIR]

  --type TYPE      CMake build type (default: RelWithDebInfo)
  --sanitize LIST  as for -fsanitize=, such as "address,undefined" or "thread"
  --target NAME    build only this target; may be repeated
  --configure      configure only
  --werror         a warning of the compiler is an error
  --apart          compile each file alone, not those of a folder together; a change of one file is built sooner
  --progress       show how far the build is, and its output only if it fails
  BUILD_DIR        default: build/ in the source tree
TEXT
}

type=RelWithDebInfo sanitize='' build=$root/build targets=() only_configure=0 progress=0 werror=OFF unity=ON
while (($#)); do
    case $1 in
        --type | --sanitize | --target)
            (($# > 1)) || { usage >&2 && exit 64; }
            case $1 in
                --type) type=$2 ;;
                --sanitize) sanitize=$2 ;;
                --target) targets+=(--target "$2") ;;
            esac
            shift 2
            ;;
        --configure) only_configure=1 && shift ;;
        --werror) werror=ON && shift ;;
        --apart) unity=OFF && shift ;;
        --progress) progress=1 && shift ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && exit 64 ;;
        *)
            build=$(realpath -m -- "$1")
            shift
            ;;
    esac
done

# follow_build LOG: keeps the build's output in LOG and shows how far it is: on a terminal in one line that moves, else
# in a line for every tenth.
follow_build() {
    local line percent tenth=-1 begin=$SECONDS
    while IFS= read -r line; do
        printf '%s\n' "$line"
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        elif [[ $line =~ ^\[\ *([0-9]+)%\] ]]; then
            percent=${BASH_REMATCH[1]}
        else
            continue
        fi
        if [[ -t 2 ]]; then
            printf '\rBuilding: %3d %%, %d s ' "$percent" $((SECONDS - begin)) >&2
        elif ((percent / 10 > tenth)); then
            tenth=$((percent / 10))
            printf 'Building: %d %%, %d s\n' "$percent" $((SECONDS - begin)) >&2
        fi
    done >"$1"
    if [[ -t 2 ]]; then echo >&2; fi
}

build() {
    local generator=()
    # A build directory keeps the generator with which it was created.
    if [[ ! -f $build/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
    cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE="$type" -DAZLOCK_SANITIZE="$sanitize" \
        -DAZLOCK_WERROR="$werror" -DAZLOCK_UNITY="$unity" || return
    if ((!only_configure)); then cmake --build "$build" --parallel "$(nproc)" "${targets[@]}" || return; fi
}

if ((!progress)); then
    build
    exit
fi
log=$TMPDIR/log
build 2>&1 | follow_build "$log" || {
    grep -vE '^(\[[ 0-9/%]+\] [A-Z]|--)' "$log" >&2
    exit 1
}
