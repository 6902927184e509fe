#!/usr/bin/env bash
# Makes the packages: azlock_VERSION-1_ARCH.deb for the distribution that it runs on, and a .tar.gz for any other Linux
# whose C library is at least as new.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
    cat <<'TEXT'
Usage: scripts/package.sh [--no-build] [--output DIR] [BUILD_DIR]

  --no-build    build nothing: BUILD_DIR is up to date
  --output DIR  where the packages go (default: BUILD_DIR/packages)
  BUILD_DIR     default: build/ in the source tree

The script prints the names of the packages. It needs scdoc and dpkg-dev; scripts/setup.sh --checks installs them.
TEXT
}

build=$root/build output='' do_build=1
while (($#)); do
    case $1 in
        --no-build) do_build=0 && shift ;;
        --output)
            (($# > 1)) || { usage >&2 && exit 64; }
            output=$(realpath -m -- "$2")
            shift 2
            ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && exit 64 ;;
        *)
            build=$(realpath -m -- "$1")
            shift
            ;;
    esac
done
for tool in scdoc dpkg-shlibdeps dpkg-deb; do
    if ! command -v "$tool" >/dev/null; then
        echo "package.sh: no $tool; scripts/setup.sh --checks installs it" >&2
        exit 77
    fi
done

if ((do_build)); then "$root/scripts/build.sh" --target packages_ready "$build" >&2; fi
work=$TMPDIR
umask 022
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work/packages") >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
output=${output:-$build/packages}
mkdir -p "$output"
for package in "$work"/packages/*.deb "$work"/packages/*.tar.gz; do
    mv "$package" "$output/"
    echo "$output/${package##*/}"
done
