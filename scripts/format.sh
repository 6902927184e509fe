#!/usr/bin/env bash
# Formats the C++ sources in place, or with --check only says which are not formatted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
    '') mode=(-i) ;;
    --check) mode=(--dry-run --Werror --ferror-limit=1) ;;
    *) echo "Usage: scripts/format.sh [--check]" >&2 && exit 64 ;;
esac
if ! command -v clang-format-14 >/dev/null; then
    echo "format.sh: no clang-format-14; scripts/setup.sh --checks installs it" >&2
    exit 77
fi
find src cli tests -path tests/azurite -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
    xargs -0 -r clang-format-14 "${mode[@]}"
