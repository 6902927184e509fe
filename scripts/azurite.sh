#!/usr/bin/env bash
# Starts and stops Azurite, the emulator of the Blob service, in memory, for tests and for trying things out.
set -euo pipefail
azurite=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../tests/azurite")
state=${TMPDIR:-/tmp}/azlock-azurite-$UID

usage() {
    cat <<'TEXT'
Usage: scripts/azurite.sh start [--port N]
       scripts/azurite.sh stop [--port N]
       scripts/azurite.sh run [--port N] -- COMMAND [ARGUMENT]...

start  starts a server on 127.0.0.1 (port 0 or none: a free one) and prints its connection string
stop   stops the server that `start` started on that port; without --port every server that it started
run    starts a server, runs COMMAND with AZURE_STORAGE_CONNECTION_STRING set, stops the server;
       the exit code is the command's own

Everything is kept in memory and is lost when the server stops.
TEXT
}

fail() {
    echo "azurite.sh: $*" >&2
    exit 1
}

# The account that every Azurite has; its key is published and is not a secret.
connection_string() {
    local key=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==
    printf '%s;' DefaultEndpointsProtocol=http AccountName=devstoreaccount1 "AccountKey=$key"
    printf 'BlobEndpoint=http://127.0.0.1:%s/devstoreaccount1;\n' "$1"
}

# launch LOG PORT: sets server_pid and server_port once the server accepts connections. The kernel picks the free port
# when the server binds it, and the server prints it: so there is no race with other processes.
launch() {
    local log=$1 port=$2 deadline=$((SECONDS + 60))
    [[ -d $azurite/node_modules/azurite ]] || fail "Azurite is not installed; run scripts/setup.sh"
    : >"$log" # it is read below, perhaps before the server's redirection creates it
    # The server gets its own session, so that ^C at the terminal reaches only the script, which then stops the server.
    (cd "$azurite" && exec setsid node -r ./nogc.js node_modules/azurite/dist/src/blob/main.js --silent \
        --inMemoryPersistence --disableTelemetry --skipApiVersionCheck --blobPort "$port") \
        </dev/null >>"$log" 2>&1 &
    server_pid=$!
    server_port=
    while ((SECONDS < deadline)); do
        server_port=$(sed -n 's|^Azurite Blob service successfully listens on http://127\.0\.0\.1:\([0-9]*\)$|\1|p' "$log")
        if [[ $server_port ]] && (exec 3<>"/dev/tcp/127.0.0.1/$server_port") 2>/dev/null; then return; fi
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.02
    done
    end_server "$server_pid"
    cat "$log" >&2
    fail "Azurite did not start"
}

# end_server PID: sends TERM, waits at most five seconds, then sends KILL.
end_server() {
    local tries=250
    kill -TERM "$1" 2>/dev/null || return 0
    while ((tries-- > 0)) && kill -0 "$1" 2>/dev/null; do sleep 0.02; done
    kill -KILL "$1" 2>/dev/null || true
}

# start_time PID: the start time of the process, which tells it from a later process with the same id.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

start_server() {
    (umask 077 && mkdir -p "$state")
    [[ -O $state && ! -L $state ]] || fail "$state belongs to somebody else"
    local log
    log=$(mktemp "$state/log.XXXXXX")
    trap 'rm -f "$log"' EXIT
    launch "$log" "$1"
    mv "$log" "$state/$server_port.log"
    trap - EXIT
    echo "$server_pid $(start_time "$server_pid")" >"$state/$server_port.pid"
    disown
    connection_string "$server_port"
}

stop_server() {
    local file=$1 pid started
    read -r pid started <"$file"
    if [[ $started && $(start_time "$pid") == "$started" ]]; then end_server "$pid"; fi
    rm -f "$file" "${file%.pid}.log"
}

stop_servers() {
    local file
    if ((port)); then
        [[ -f $state/$port.pid ]] || fail "no server that was started here has port $port"
        stop_server "$state/$port.pid"
    else
        for file in "$state"/*.pid; do
            if [[ -f $file ]]; then stop_server "$file"; fi
        done
    fi
    rmdir "$state" 2>/dev/null || true
}

run_with_server() {
    local code
    scratch=$(mktemp -d)
    server_pid=
    trap 'if [[ $server_pid ]]; then end_server "$server_pid"; fi; rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'exit 129' HUP
    AZURITE_OWNER_PID=$$ launch "$scratch/log" "$1"
    shift
    # In the background, so that a TERM reaches it at once. It stays in our process group, so ^C reaches it directly.
    AZURE_STORAGE_CONNECTION_STRING=$(connection_string "$server_port") \
        env --default-signal=INT,QUIT "$@" <&0 &
    command_pid=$!
    trap : INT
    trap 'kill -TERM "$command_pid" 2>/dev/null || true' TERM
    trap 'kill -HUP "$command_pid" 2>/dev/null || true' HUP
    while kill -0 "$command_pid" 2>/dev/null; do wait "$command_pid" || true; done
    code=0
    wait "$command_pid" || code=$?
    exit "$code"
}

(($#)) || { usage >&2 && exit 64; }
action=$1 port=0
shift
while (($#)); do
    case $1 in
        --port)
            [[ ${2:-} =~ ^[0-9]+$ ]] || { usage >&2 && exit 64; }
            port=$2
            shift 2
            ;;
        --)
            shift
            break
            ;;
        -h | --help) usage && exit 0 ;;
        *) usage >&2 && exit 64 ;;
    esac
done
case $action in
    start) start_server "$port" ;;
    stop) stop_servers ;;
    run)
        (($#)) || { usage >&2 && exit 64; }
        run_with_server "$port" "$@"
        ;;
    -h | --help) usage ;;
    *) usage >&2 && exit 64 ;;
esac
