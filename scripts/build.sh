#!/usr/bin/env bash
# Configures and builds azlock and its tests into a build directory.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/build.sh [--type TYPE] [--sanitize LIST] [--target NAME]... [--configure] [BUILD_DIR]

  --type TYPE      CMake build type (default: RelWithDebInfo)
  --sanitize LIST  as for -fsanitize=, such as "address,undefined" or "thread"
  --target NAME    build only this target; may be repeated
  --configure      configure only
  BUILD_DIR        default: build/ in the source tree
TEXT
}

type=RelWithDebInfo sanitize='' build=$root/build targets=() only_configure=0
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
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && exit 64 ;;
        *)
            build=$(realpath -m -- "$1")
            shift
            ;;
    esac
done

generator=()
# A build directory keeps the generator with which it was created.
if [[ ! -f $build/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE="$type" -DAZLOCK_SANITIZE="$sanitize"
if ((only_configure)); then exit; fi
cmake --build "$build" --parallel "$(nproc)" "${targets[@]}"
