#!/usr/bin/env bash
# Checks that every #include keeps to the floors: a file includes its own floor and lower ones, and each library of
# others is included only where it belongs. The two tables below are the rule.
set -euo pipefail
self=$(realpath "${BASH_SOURCE[0]}")
cd "$(dirname "$self")/.."

# What of ours a file in a folder may include: the first part of "part/file.hpp".
ours_for() {
    case $1 in
        src/base/*) echo base ;;
        src/os/*) echo os base ;;
        src/http/*) echo http base os ;;
        src/azure/*) echo azure http base os ;;
        src/ops/*) echo ops azure http base os ;;
        cli/*) echo cli ops azure http base os ;;
        tests/support/*) echo support http base os ;; # fakes written against the protocol, not against our code
        tests/*) echo support "$(cut -d/ -f2 <<<"$1")" cli ops azure http base os ;;
    esac
}

# Where a library of others may be included: patterns of files. Nothing for a header that no rule knows.
places_of() {
    case $1 in
        cpprest/* | pplx/* | boost/*) echo 'src/http/cpprest_transport.cpp' ;;
        openssl/*) echo 'src/base/digest.cpp src/http/tls_*.cpp tests/support/wire_*.cpp tests/transport/* tests/bench/floor_*.cpp' ;;
        expat.h | expat_*.h) echo 'src/azure/xml.cpp' ;;
        xxhash.h | xxh3.h) echo 'src/base/*' ;;
        spdlog/*) echo 'src/azure/pipeline.cpp src/ops/* cli/* tests/unit/*' ;;
        nlohmann/*) echo 'src/ops/* cli/* tests/*' ;;
        CLI/*) echo 'cli/*' ;;
        tl/expected.hpp) echo 'src/base/*' ;;
        catch2/*) echo 'tests/support/catch.hpp tests/support/main/*' ;;
        zlib.h) echo '' ;;
        # The C++ and C libraries, POSIX, Linux, the compiler.
        sys/*.h | netinet/*.h | arpa/*.h | net/*.h | linux/*.h) echo '*' ;;
        */*) echo '' ;;
        *.h) echo '*' ;;
        *.*) echo '' ;;
        *) echo '*' ;;
    esac
}

# matches NAME PATTERN...: as file names match, except that * also matches a slash.
matches() {
    local name=$1 pattern
    shift
    for pattern in "$@"; do
        # shellcheck disable=SC2053 # the right side is a pattern
        if [[ $name == $pattern ]]; then return; fi
    done
    return 1
}

# Prints each breach in the tree of the current directory; succeeds if there is none.
check_tree() {
    local file line text kind header allowed bad=0 count=0
    set -f # the tables' patterns are not for this shell to expand
    while IFS=: read -r file line text; do
        count=$((count + 1))
        if [[ ! $text =~ ^[[:space:]]*\#[[:space:]]*include[[:space:]]*([\<\"])([^\>\"]+)[\>\"] ]]; then
            echo "$file:$line: an include that cannot be read: $text"
            bad=1
            continue
        fi
        kind=${BASH_REMATCH[1]} header=${BASH_REMATCH[2]}
        if [[ $kind == '"' ]]; then
            allowed=$(ours_for "$file")
            # shellcheck disable=SC2086 # a list of words
            if [[ $header != */* && $file == tests/* && -f ${file%/*}/$header ]]; then
                : # a suite's own header, beside it
            elif [[ $header != */* || $header == *..* ]]; then
                echo "$file:$line: name the floor: \"floor/file.hpp\", not \"$header\""
                bad=1
            elif ! matches "${header%%/*}" $allowed; then
                echo "$file:$line: \"$header\" is out of reach; here may be included: $allowed"
                bad=1
            fi
        else
            allowed=$(places_of "$header")
            # shellcheck disable=SC2086
            if ! matches "$file" $allowed; then
                echo "$file:$line: <$header> belongs in: ${allowed:-no file, no rule of scripts/check-layers.sh knows it}"
                bad=1
            fi
        fi
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*(include|import)' --include='*.cpp' --include='*.hpp' --include='*.h' \
        src cli tests 2>/dev/null | grep -v '^tests/azurite/')
    set +f
    if ((count == 0)); then
        echo "no #include found: not the source tree"
        bad=1
    fi
    return "$bad"
}

# expect good|bad FILE INCLUDE: in a tree with nothing but this one line, the check must say so.
expect() {
    local wanted=$1 file=$2 include=$3 found=good
    rm -rf src cli tests
    mkdir -p "$(dirname "$file")"
    echo "$include" >"$file"
    check_tree >out 2>&1 || found=bad
    if [[ $found != "$wanted" ]]; then
        echo "self-test: $include in $file was found $found" >&2
        failed=1
    elif [[ $found == bad ]] && ! grep -q "^$file:1: " out; then
        echo "self-test: the message for $include in $file does not name the place" >&2
        failed=1
    fi
}

self_test() {
    failed=0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cd "$scratch"
    local floors=(base os http azure ops cli) lower higher i j
    local folder=([0]=src/base [1]=src/os [2]=src/http [3]=src/azure [4]=src/ops [5]=cli)
    for ((i = 0; i < ${#floors[@]}; i++)); do
        for ((j = i; j < ${#floors[@]}; j++)); do
            lower=${floors[i]} higher=${floors[j]}
            expect good "${folder[j]}/a.cpp" "#include \"$lower/x.hpp\""
            if ((i < j)); then expect bad "${folder[i]}/a.hpp" "#include \"$higher/x.hpp\""; fi
        done
    done
    expect bad src/http/a.cpp '#include "message.hpp"'
    expect good tests/e2e/a.hpp '#include "a.hpp"'
    expect bad tests/e2e/b.cpp '#include "a.hpp"'
    expect bad src/http/a.hpp '#include "a.hpp"'
    expect bad src/http/a.cpp '#include "http/../ops/x.hpp"'
    expect bad src/base/a.cpp ' #  include  "http/x.hpp"'
    expect good tests/support/a.cpp '#include "http/transport.hpp"'
    expect bad tests/support/a.cpp '#include "azure/client.hpp"'
    expect bad tests/support/a.cpp '#include "cli/app.hpp"'
    expect good tests/unit/a.cpp '#include "cli/app.hpp"'
    expect good tests/transport/a.cpp '#include "transport/server.hpp"'

    expect good src/http/cpprest_transport.cpp '#include <cpprest/http_client.h>'
    expect good src/http/cpprest_transport.cpp '#include <pplx/pplxtasks.h>'
    expect good src/http/cpprest_transport.cpp '#include <boost/asio.hpp>'
    local place
    for place in src/http/cpprest_transport.hpp src/azure/a.cpp cli/a.cpp tests/transport/a.cpp; do
        expect bad "$place" '#include <cpprest/http_client.h>'
        expect bad "$place" '#include <pplx/pplxtasks.h>'
        expect bad "$place" '#include <boost/asio.hpp>'
    done
    expect good src/base/digest.cpp '#include <openssl/evp.h>'
    expect good src/http/tls_trust.cpp '#include <openssl/ssl.h>'
    expect bad src/azure/shared_key.cpp '#include <openssl/hmac.h>'
    expect bad src/base/digest.hpp '#include <openssl/evp.h>'
    expect good src/azure/xml.cpp '#include <expat.h>'
    expect bad src/azure/xml.hpp '#include <expat.h>'
    expect good src/base/digest.cpp '#include <xxhash.h>'
    expect bad src/ops/plan.cpp '#include <xxhash.h>'
    expect good cli/app.cpp '#include <CLI/CLI.hpp>'
    expect bad src/ops/a.cpp '#include <CLI/CLI.hpp>'
    expect good src/ops/a.cpp '#include <spdlog/spdlog.h>'
    expect good src/azure/pipeline.cpp '#include <spdlog/spdlog.h>'
    expect bad src/azure/client.cpp '#include <spdlog/spdlog.h>'
    expect bad src/base/file.cpp '#include <spdlog/spdlog.h>'
    expect good cli/output.cpp '#include <nlohmann/json.hpp>'
    expect bad src/azure/responses.cpp '#include <nlohmann/json.hpp>'
    expect good src/base/result.hpp '#include <tl/expected.hpp>'
    expect bad src/azure/types.hpp '#include <tl/expected.hpp>'
    expect good tests/support/catch.hpp '#include <catch2/catch.hpp>'
    expect bad tests/unit/a.cpp '#include <catch2/catch.hpp>'
    expect bad cli/a.cpp '#include <fancy/library.hpp>'
    expect bad cli/a.cpp '#include <fancy.hpp>'
    expect good src/base/a.cpp '#include <string_view>'
    expect good src/os/a.cpp '#include <sys/pidfd.h>'
    expect bad src/base/a.cpp '#include HEADER'
    return "$failed"
}

case ${1:-} in
    '') check_tree ;;
    --self-test) self_test ;;
    *) echo "Usage: scripts/check-layers.sh [--self-test]" >&2 && exit 64 ;;
esac
