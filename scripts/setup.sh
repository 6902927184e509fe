#!/usr/bin/env bash
# Installs what is missing to build and test azlock. It is quick if nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
Usage: scripts/setup.sh [--build-only] [--checks]

Installs what is missing to build and test azlock on Debian 12 or 13: packages with apt-get (as root, or
through sudo), then Azurite and Microsoft's JavaScript client with npm into tests/azurite/node_modules.

  --build-only  only what the build needs; no Node.js, no Azurite
  --checks      also what format.sh, tidy.sh, shellcheck.sh, fuzz.sh, model.sh and package.sh need, and the shells
              whose completion is tested. What this distribution does not have is left out; its check is then skipped
TEXT
}

services=1 checks=0
for argument in "$@"; do
    case $argument in
        --build-only) services=0 ;;
        --checks) checks=1 ;;
        -h | --help) usage && exit 0 ;;
        *) usage >&2 && exit 64 ;;
    esac
done

missing=() tools=()
# need_command COMMAND PACKAGE: the program may come from anywhere, for example from a newer Node.js of the user.
need_command() { command -v "$1" >/dev/null || missing+=("$2"); }
need_package() {
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
}

# A minimal python3 may lack the parts of its library that the end-to-end tests use.
need_python() { python3 -c 'import http.server, json, ssl' 2>/dev/null || missing+=(python3); }

find_missing() {
    need_command g++ g++
    need_command cmake cmake
    need_command ninja ninja-build
    need_command git git
    need_package libcpprest-dev libcli11-dev libspdlog-dev libssl-dev catch2 libexpected-dev libexpat1-dev \
        libxxhash-dev nlohmann-json3-dev libtomlplusplus-dev
    if ((services)); then
        need_command node nodejs
        need_command npm npm
        need_python
        need_command openssl openssl
    fi
    if ((checks)); then
        local builds=("${missing[@]}")
        missing=()
        need_command clang-format-14 clang-format-14
        need_command clang-tidy-14 clang-tidy-14
        need_command clang++-19 clang-19
        need_package libclang-rt-19-dev
        need_command shellcheck shellcheck
        need_command spin spin
        need_command scdoc scdoc
        need_command dpkg-shlibdeps dpkg-dev
        need_command zsh zsh
        need_command fish fish
        need_package bash-completion
        tools=("${missing[@]}") missing=("${builds[@]}")
    fi
}

install_packages() {
    local as_root=() apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq)
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "setup.sh: as root, run: apt-get install --no-install-recommends ${missing[*]} ${tools[*]}" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    "${as_root[@]}" "${apt[@]}" update </dev/null
    local tool
    for tool in "${tools[@]}"; do
        if apt-cache show "$tool" >/dev/null 2>&1; then missing+=("$tool"); else echo "setup.sh: there is no $tool here"; fi
    done
    if ((!${#missing[@]})); then return; fi
    echo "setup.sh: installing ${missing[*]}"
    "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null
}

# node_modules is up to date if this Node.js made it from this lock file.
stamp_text() {
    sha256sum package.json package-lock.json
    node --version
}

install_services() (
    cd tests/azurite
    exec 9<package-lock.json
    flock 9 # if two run at once, the second one waits and then finds the work done
    local stamp=node_modules/.setup-stamp
    if [[ -f $stamp && $(<"$stamp") == "$(stamp_text)" ]]; then
        return
    fi
    echo "setup.sh: installing Azurite and the JavaScript client into tests/azurite/node_modules"
    npm ci --loglevel=error </dev/null
    stamp_text >"$stamp"
)

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: works only on Debian and Ubuntu; on other systems install the packages that this script names" >&2
    exit 1
fi
find_missing
if ((${#missing[@]} + ${#tools[@]})); then install_packages; fi
if ((services)); then install_services; fi
