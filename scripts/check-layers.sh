#!/usr/bin/env bash
# Checks that every #include keeps to the floors: a file may include only its own floor and lower ones, and each
# external library is included only in the places that are allowed for it. The tables below are the rule.
set -euo pipefail
self=$(realpath "${BASH_SOURCE[0]}")
cd "$(dirname "$self")/.."

# The functions of the tables leave their answer in REPLY: a subshell for each include would take minutes.

# The wings: which folders of its own floor a file of src/ops or cli may include. append/input implements what append
# names, so append does not know it.
wings_for() {
    REPLY=''
    case $1 in
        src/ops/append/input/*) REPLY='ops/append/input ops/append ops/files ops/transfer' ;;
        src/ops/append/*) REPLY='ops/append ops/lease ops/read ops/transfer ops/write' ;;
        src/ops/cas/*) REPLY='ops/cas ops/files ops/lease ops/read ops/write' ;;
        src/ops/lease/*) REPLY='ops/lease ops/read' ;;
        src/ops/lock/*) REPLY='ops/lock ops/lease' ;;
        src/ops/queue/*) REPLY='ops/queue ops/lease ops/lock ops/read ops/transfer ops/write' ;;
        src/ops/read/*) REPLY='ops/read ops/transfer' ;;
        src/ops/upload/*) REPLY='ops/upload ops/files ops/transfer ops/write' ;;
        src/ops/verify/*) REPLY='ops/verify ops/files ops/read ops/transfer ops/upload ops/write' ;;
        src/ops/container/*) REPLY='ops/container ops/lease' ;;
        src/ops/write/*) REPLY='ops/write ops/lease' ;;
        src/ops/doctor/* | src/ops/files/* | src/ops/login/* | src/ops/sas/* | src/ops/transfer/*)
            wing_of "${1#src/}"
            ;;
        cli/output/* | cli/settings/*) wing_of "$1" ;;
        cli/program/*) REPLY='cli/program cli/output cli/settings' ;;
        cli/flags/*) REPLY='cli/flags cli/output cli/program cli/settings' ;;
        cli/commands/*/*) wing_of "$1" && REPLY+=' cli/flags cli/output cli/program cli/settings' ;;
        cli/app.* | cli/main.*) REPLY='cli' ;;
    esac
}

# first_parts COUNT PATH: that many parts of the path.
first_parts() {
    local parts IFS=/
    read -ra parts <<<"$2"
    REPLY="${parts[*]:0:$1}"
}

# wing_of HEADER: the name that the tables have for its folder: "ops/lease" for "ops/lease/view.hpp", "base" for
# "base/text.hpp".
wing_of() {
    case $1 in
        ops/append/input/*) REPLY='ops/append/input' ;;
        cli/commands/*/*) first_parts 3 "$1" ;;
        ops/*/* | cli/*/*) first_parts 2 "$1" ;;
        *) first_parts 1 "$1" ;;
    esac
}

# Which of our own headers a file may include: floors ("azure") and wings ("ops/lease").
ours_for() {
    REPLY=''
    case $1 in
        src/base/*) REPLY='base' ;;
        src/os/*) REPLY='os base' ;;
        src/http/*) REPLY='http base os' ;;
        src/azure/*) REPLY='azure http base os' ;;
        src/ops/*) wings_for "$1" && REPLY+=' azure http base os' ;;
        cli/*) wings_for "$1" && REPLY+=' ops azure http base os' ;;
        tests/support/*) REPLY='support http base os' ;; # fakes written against the protocol, not against our code
        tests/*) first_parts 1 "${1#*/}" && REPLY+=' support cli ops azure http base os' ;;
    esac
}

# Which files may include a header of an external library, as patterns. REPLY is empty for an unknown header.
places_of() {
    case $1 in
        cpprest/* | pplx/* | boost/*) REPLY='src/http/cpprest_connection.cpp src/http/cpprest_message.*' ;;
        openssl/*) REPLY='src/base/digest.cpp src/base/signing_key.cpp src/http/tls_*.cpp tests/support/wire_*.cpp tests/transport/* tests/bench/floor_*.cpp' ;;
        expat.h | expat_*.h) REPLY='src/azure/xml.cpp' ;;
        xxhash.h | xxh3.h) REPLY='src/base/*' ;;
        spdlog/*) REPLY='cli/output/wire_log.cpp cli/program/version.cpp' ;;
        nlohmann/*) REPLY='src/ops/cas/json_document.hpp src/ops/lease/foreign_record.cpp src/ops/login/token_answer.cpp cli/output/json.cpp tests/*' ;;
        toml++/*) REPLY='cli/settings/config_file.cpp' ;;
        CLI/*) REPLY='cli/program/parser.cpp' ;;
        tl/expected.hpp) REPLY='src/base/*' ;;
        catch2/*) REPLY='tests/support/catch.hpp tests/support/main/*' ;;
        zlib.h) REPLY='' ;;
        # The C++ and C libraries, POSIX, Linux and the compiler.
        sys/*.h | netinet/*.h | arpa/*.h | net/*.h | linux/*.h) REPLY='*' ;;
        */*) REPLY='' ;;
        *.h) REPLY='*' ;;
        *.*) REPLY='' ;;
        *) REPLY='*' ;;
    esac
}

# matches NAME PATTERN...: like file name patterns, except that * also matches a slash.
matches() {
    local name=$1 pattern
    shift
    for pattern in "$@"; do
        # shellcheck disable=SC2053 # the right side is a pattern
        if [[ $name == $pattern ]]; then return; fi
    done
    return 1
}

# Files that include each other in a circle. A header and its .cpp count as one file. tsort names the members.
check_circles() {
    local circles
    circles=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.cpp' --include='*.hpp' src cli 2>/dev/null |
        sed -E 's|^src/||; s|^([^:]*)\.[ch]pp:[0-9]+:[^"]*"([^"]*)\.hpp".*|\1 \2|' | awk '$1 != $2' | sort -u |
        tsort 2>&1 >/dev/null || true)
    [[ -z $circles ]] && return
    echo "files that include each other in a circle:"
    echo "${circles//tsort: /  }"
    return 1
}

# Prints each violation in the tree of the current directory; succeeds if there is none.
check_tree() {
    local file line text kind header allowed last='' ours='' wing bad=0 count=0
    while IFS= read -r file; do
        echo "$file: only plain .cpp and .hpp files are checked, so only these may be here"
        bad=1
    done < <(find src cli \( -type f ! -name '*.cpp' ! -name '*.hpp' \) -o -type l 2>/dev/null)
    set -f # the shell must not expand the patterns of the tables
    while IFS=: read -r file line text; do
        count=$((count + 1))
        if [[ ! $text =~ ^[[:space:]]*\#[[:space:]]*include[[:space:]]*([\<\"])([^\>\"]+)[\>\"] ]]; then
            echo "$file:$line: an include that cannot be read: $text"
            bad=1
            continue
        fi
        kind=${BASH_REMATCH[1]} header=${BASH_REMATCH[2]}
        if [[ $kind == '"' ]]; then
            if [[ $file != "$last" ]]; then ours_for "$file" && ours=$REPLY last=$file; fi
            wing_of "$header"
            allowed=$ours wing=$REPLY
            # shellcheck disable=SC2086 # a list of words
            if [[ $header != */* && $file == tests/* && -f ${file%/*}/$header ]]; then
                : # a header of the test suite itself, in the same folder
            elif [[ ! $header =~ ^[a-z0-9_]+(/[a-z0-9_]+)+\.hpp$ ]]; then
                echo "$file:$line: name the floor: \"floor/file.hpp\", not \"$header\""
                bad=1
            elif ! matches "$wing" $allowed && ! matches "${header%%/*}" $allowed; then
                echo "$file:$line: \"$header\" is not allowed here; allowed are: $allowed"
                bad=1
            fi
        else
            places_of "$header"
            allowed=$REPLY
            # shellcheck disable=SC2086
            if ! matches "$file" $allowed; then
                echo "$file:$line: <$header> is allowed only in: ${allowed:-no file: scripts/check-layers.sh has no rule for it}"
                bad=1
            fi
        fi
    done < <(grep -rnaE '^(\xEF\xBB\xBF)?[[:space:]]*(/\*.*\*/)?[[:space:]]*(#|%:)[[:space:]]*(/\*.*\*/)?[[:space:]]*(include|import|embed|\\$)' --include='*.cpp' --include='*.hpp' --include='*.h' \
        src cli tests 2>/dev/null | grep -v '^tests/azurite/')
    set +f
    check_circles || bad=1
    if ((count == 0)); then
        echo "no #include found: not the source tree"
        bad=1
    fi
    return "$bad"
}

# expect good|bad FILE INCLUDE: checks a tree that contains only this one line, and compares the result.
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

# expect_circle FILE...: files that include each other in a circle must be found, and each must be named. The last
# include stands in a .cpp file.
expect_circle() {
    local name last=${*: -1}
    rm -rf src cli tests
    mkdir -p "${1%/*}"
    for name in "$@"; do : >"$name"; done
    for ((i = 1; i < $#; i++)); do
        name=${*:i+1:1}
        echo "#include \"${name#src/}\"" >"${*:i:1}"
    done
    echo "#include \"${1#src/}\"" >"${last%.hpp}.cpp"
    if check_tree >out 2>&1; then
        echo "self-test: the circle of $* was not found" >&2
        failed=1
    fi
    for name in "$@"; do
        name=${name#src/}
        if ! grep -q "  ${name%.hpp}$" out; then
            echo "self-test: the message for a circle does not name $name" >&2
            failed=1
        fi
    done
}

# expect_stray FILE: a file that is not checked must not be there.
expect_stray() {
    rm -rf src cli tests
    mkdir -p "${1%/*}"
    echo '#include <string>' >"${1%/*}/a.cpp"
    : >"$1"
    if check_tree >out 2>&1 || ! grep -q "^$1: " out; then
        echo "self-test: $1 was not found" >&2
        failed=1
    fi
}

self_test() {
    failed=0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cd "$scratch"
    local floors=(base os http azure ops/lease cli/output) lower higher i j
    local folder=([0]=src/base [1]=src/os [2]=src/http [3]=src/azure [4]=src/ops/lease [5]=cli/output)
    for ((i = 0; i < ${#floors[@]}; i++)); do
        for ((j = i; j < ${#floors[@]}; j++)); do
            lower=${floors[i]} higher=${floors[j]}
            expect good "${folder[j]}/a.cpp" "#include \"$lower/x.hpp\""
            if ((i < j)); then expect bad "${folder[i]}/a.hpp" "#include \"$higher/x.hpp\""; fi
        done
    done
    local wing other
    local wings=(append append/input cas container doctor files lease lock login queue read sas transfer upload verify write)
    for wing in "${wings[@]}"; do
        for other in "${wings[@]}"; do
            wings_for "src/ops/$wing/a.cpp"
            # shellcheck disable=SC2086 # a list of words
            if matches "ops/$other" $REPLY; then
                expect good "src/ops/$wing/a.cpp" "#include \"ops/$other/x.hpp\""
            else
                expect bad "src/ops/$wing/a.cpp" "#include \"ops/$other/x.hpp\""
            fi
        done
        expect bad "src/ops/$wing/a.cpp" '#include "ops/x.hpp"'
        expect good cli/commands/lock/a.cpp "#include \"ops/$wing/x.hpp\""
    done
    expect bad src/ops/append/appender.cpp '#include "ops/append/input/fd_input.hpp"'
    expect bad src/ops/lease/a.cpp '#include "ops/lock/x.hpp"'
    expect bad src/ops/a.cpp '#include "ops/lease/x.hpp"'
    expect bad cli/commands/lock/a.cpp '#include "cli/commands/queue/x.hpp"'
    expect bad cli/flags/a.cpp '#include "cli/commands/lock/x.hpp"'
    expect bad cli/program/a.cpp '#include "cli/flags/x.hpp"'
    expect bad cli/output/a.cpp '#include "cli/settings/x.hpp"'
    expect good cli/app.cpp '#include "cli/commands/lock/x.hpp"'
    expect bad src/base/a.hpp '#include "base/./b.hpp"'
    expect bad src/base/a.hpp '#include "base/b.cpp"'
    expect bad src/base/a.hpp '#include "base/b.h"'
    expect bad src/base/a.hpp '#include "base/b.inc"'
    expect bad src/base/a.hpp '/* */ #include "http/x.hpp"'
    expect bad src/base/a.hpp '%:include "http/x.hpp"'
    expect_stray src/base/b.inc
    expect_circle cli/output/a.hpp cli/output/b.hpp
    expect_circle cli/output/a.hpp cli/output/b.hpp cli/output/c.hpp
    expect_circle src/base/a.hpp src/base/b.hpp
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

    expect good src/http/cpprest_connection.cpp '#include <cpprest/http_client.h>'
    expect good src/http/cpprest_message.hpp '#include <pplx/pplxtasks.h>'
    expect good src/http/cpprest_connection.cpp '#include <boost/asio.hpp>'
    local place
    for place in src/http/cpprest_transport.cpp src/http/cpprest_connection.hpp src/azure/a.cpp cli/a.cpp tests/transport/a.cpp; do
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
    expect bad src/ops/upload/plan.cpp '#include <xxhash.h>'
    expect good cli/settings/config_file.cpp '#include <toml++/toml.h>'
    expect bad cli/settings/settings.cpp '#include <toml++/toml.h>'
    expect good cli/program/parser.cpp '#include <CLI/CLI.hpp>'
    expect bad cli/app.cpp '#include <CLI/CLI.hpp>'
    expect bad src/ops/lock/a.cpp '#include <CLI/CLI.hpp>'
    expect good cli/output/wire_log.cpp '#include <spdlog/logger.h>'
    expect bad src/ops/lock/a.cpp '#include <spdlog/spdlog.h>'
    expect bad src/azure/client.cpp '#include <spdlog/spdlog.h>'
    expect bad src/base/file.cpp '#include <spdlog/spdlog.h>'
    expect good cli/output/json.cpp '#include <nlohmann/json.hpp>'
    expect bad cli/output/output.hpp '#include <nlohmann/json.hpp>'
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
