"""Asks real shells what they offer at the end of a command line."""

import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

DEADLINE = 120
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")

BASH = r"""
source "$1"
source "$2"
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"${line//=/ = }"
    if [[ $line == *' ' ]]; then COMP_WORDS+=(''); fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line}
    COMPREPLY=()
    _azlock "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" ''
    printf '>%s\n' "$line"
    ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
done
true
"""

ZSH = r"""
autoload -Uz compinit
compinit -u -D
source $SCRIPT
setopt no_auto_list no_auto_menu no_beep
compadd() {
    local -a offered
    if [[ ${(M)@:#-[OAD]} == '' ]]; then
        builtin compadd -O offered "$@"
        (($#offered)) && print -rl -- $offered >> $OUT
    fi
    builtin compadd "$@"
}
probe() {
    local line
    for line in ${(f)"$(<$LINES_FILE)"}; do
        BUFFER=$line
        CURSOR=$#BUFFER
        print -r -- ">$line" >> $OUT
        zle capture
    done
    BUFFER=
    print done > $OUT.done
}
zle -C capture complete-word _main_complete
zle -N probe
bindkey '^T' probe
print ready > $OUT.ready
"""

FISH = r"""
source $argv[1]
while read -l line
    echo ">$line"
    complete -C "$line"
end
"""


def _sections(text, strip):
    """What was offered for each line, in the order of the lines."""
    found = []
    for line in text.splitlines():
        if line.startswith(">"):
            found.append(set())
        elif line.strip():
            found[-1].add(strip(line))
    return found


def bash(script, lines, folder):
    run = subprocess.run(["bash", "--norc", "-c", BASH, "bash", script, BASH_COMPLETION],
                         input="\n".join(lines) + "\n", cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=DEADLINE, text=True, check=True)
    # Outside of a completion there are no options to set.
    said = [line for line in run.stderr.splitlines() if "compopt" not in line]
    assert not said, said
    return _sections(run.stdout, str.strip)


def fish(script, lines, folder):
    run = subprocess.run(["fish", "--no-config", "-c", FISH, script], input="\n".join(lines) + "\n", cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE, text=True, check=True,
                         env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")})
    assert not run.stderr, run.stderr
    return _sections(run.stdout, lambda line: line.split("\t")[0])


def _wait_for(path, terminal, said):
    end = time.monotonic() + DEADLINE
    while not path.exists():
        assert time.monotonic() < end, f"zsh did not come to {path.suffix}: {bytes(said)!r}"
        try:
            said += os.read(terminal, 65536)
        except BlockingIOError:
            time.sleep(0.02)


def zsh(script, lines, folder):
    """zsh completes only at a terminal."""
    out = Path(folder) / ".offered"
    (Path(folder) / ".lines").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (Path(folder) / ".setup").write_text(ZSH, encoding="utf-8")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(SCRIPT=str(script), OUT=str(out), LINES_FILE=f"{folder}/.lines", TERM="dumb", HOME=str(folder))
        os.execvp("zsh", ["zsh", "-f", "-i"])
    said = bytearray()
    try:
        os.set_blocking(terminal, False)
        os.write(terminal, b"source .setup\n")
        _wait_for(out.with_name(".offered.ready"), terminal, said)
        os.write(terminal, b"\x14")
        _wait_for(out.with_name(".offered.done"), terminal, said)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    return _sections(out.read_text(encoding="utf-8"), lambda line: re.split(r"\s", line)[0])
