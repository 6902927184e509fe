#!/usr/bin/env bash
# For scripts that start other programs; their first command is: source .../reaper.sh "$@"
#
# The script then runs in a process of its own, below a reaper. After HUP, INT, QUIT or TERM the reaper ends every process that
# the script has started, and exits with 128+N. TMPDIR is an empty folder, which is removed when the script has ended,
# however that was.

reaper_patience=30 # seconds from TERM to KILL

# Prints the id of each process that the script has started and that has not ended: what has the folder in its environment,
# and all that descends from there. (A process whose parent has ended before it descends from nobody here.)
reaper_tree() {
    local marked=()
    mapfile -t marked < <(grep -lsF -e "$reaper_folder" /proc/[0-9]*/environ | cut -d / -f 3)
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v marked="$reaper_job ${marked[*]}" '
        {
            id = $1
            sub(/.*\) /, "")
            if ($1 !~ /[ZX]/) parent[id] = $2
        }
        END {
            count = split(marked, ids, " ")
            for (i = 1; i <= count; i++) if (ids[i] in parent) found[ids[i]] = 1
            do {
                more = 0
                for (id in parent) if (!(id in found) && parent[id] in found) found[id] = more = 1
            } while (more)
            for (id in found) print id
        }' | sort
}

reaper_signal() {
    local name=$1
    shift
    if (($#)); then kill -s "$name" -- "$@" 2>/dev/null || true; fi
}

# Ends every process that the script has started.
reaper_end() {
    local tree=() before=none deadline=$((SECONDS + reaper_patience))
    mapfile -t tree < <(reaper_tree)
    # A process that is stopped starts no other one, so that nothing is overlooked.
    while [[ "${tree[*]}" != "$before" ]]; do
        before="${tree[*]}"
        reaper_signal STOP "${tree[@]}"
        mapfile -t tree < <(reaper_tree)
    done
    reaper_signal TERM "${tree[@]}"
    reaper_signal CONT "${tree[@]}"
    while ((${#tree[@]} && SECONDS < deadline + 10)); do
        if ((SECONDS >= deadline)); then reaper_signal KILL "${tree[@]}"; fi
        sleep 0.05
        mapfile -t tree < <(reaper_tree)
    done
}

reaper_stopped() {
    trap '' HUP INT QUIT TERM
    reaper_job=$(jobs -p)
    reaper_end
    exit $((128 + $1))
}

keep_script() {
    local number code=0
    reaper_folder=$(mktemp -d)
    trap 'rm -rf "$reaper_folder"' EXIT
    # shellcheck disable=SC2064 # the number is meant as it is now
    for number in 1 2 3 15; do trap "reaper_stopped $number" "$number"; done
    # A shell lets what it starts in the background ignore INT and QUIT.
    SCRIPT_REAPER=$$ TMPDIR=$reaper_folder env --default-signal=INT,QUIT "$0" "$@" <&0 &
    wait "$!" || code=$?
    exit "$code"
}

if [[ ${SCRIPT_REAPER:-} != "$PPID" ]]; then keep_script "$@"; fi
