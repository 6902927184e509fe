#!/usr/bin/env bash
# Builds with ThreadSanitizer and runs the tests of our own threads.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/reaper.sh" "$@"
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

if [[ ${1:-} == -* ]]; then echo "Usage: scripts/tsan.sh [BUILD_DIR]" >&2 && exit 64; fi
build=$(realpath -m -- "${1:-$root/build-tsan}")
cd "$root"

# Left out: Azurite, which is not our code, and tests of great size or number, which find nothing more here and take
# minutes.
left_out='^conformance\.azurite$|A body of 1 GiB |An answer of 256 MiB |^Five hundred processes '
# Some kernels randomise addresses over a wider range than this compiler's runtime supports. Without randomisation the
# programs run there too.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed_addresses=(setarch "$(uname -m)" -R); fi
TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
# shellcheck disable=SC2089 # the runtime reads the quotes
if [[ -f tests/tsan.supp ]]; then printf -v TSAN_OPTIONS '%s:suppressions="%s"' "$TSAN_OPTIONS" "$root/tests/tsan.supp"; fi
# shellcheck disable=SC2090
export TSAN_OPTIONS
"${fixed_addresses[@]}" scripts/build.sh --werror --type Debug --sanitize thread "$build"
"${fixed_addresses[@]}" ctest --test-dir "$build" --output-on-failure --timeout 900 -j "$(nproc)" \
    -LE '^(e2e|check|product)$' -E "$left_out"
