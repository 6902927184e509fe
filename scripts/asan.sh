#!/usr/bin/env bash
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer and runs the tests that need no server of another project.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

if [[ ${1:-} == -* ]]; then echo "Usage: scripts/asan.sh [BUILD_DIR]" >&2 && exit 64; fi
build=$(realpath -m -- "${1:-$root/build-asan}")
cd "$root"

# Left out: Azurite, which is not our code, and tests of great size or number, which find nothing more here and take
# minutes.
left_out='^conformance\.azurite$|A body of 1 GiB |An answer of 256 MiB |^Five hundred processes '
export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:check_initialization_order=1
export UBSAN_OPTIONS=print_stacktrace=1
scripts/build.sh --werror --type Debug --sanitize address,undefined "$build"
ctest --test-dir "$build" --output-on-failure --timeout 900 -j "$(nproc)" -LE '^(e2e|check|product)$' -E "$left_out"
