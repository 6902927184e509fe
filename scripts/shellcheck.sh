#!/usr/bin/env bash
# Runs shellcheck over every shell script of the project.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v shellcheck >/dev/null; then
    echo "shellcheck.sh: no shellcheck; scripts/setup.sh --checks installs it" >&2
    exit 77
fi
{
    printf '%s\0' .ci/run
    find scripts tests -path tests/azurite -prune -o -name '*.sh' -print0
} | xargs -0 shellcheck -x -P SCRIPTDIR
