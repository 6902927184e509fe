"""What the tests of locks share: a command that leaves a trace of when it ran, and finding azlock's guard."""

import os
import signal
import sys
import time
from pathlib import Path

# Writes a line with its process id and the time since boot every 10 ms, until it is ended or the seconds are over.
BEAT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
path, seconds = sys.argv[1], float(sys.argv[2])
fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
end = time.clock_gettime(time.CLOCK_BOOTTIME) + seconds
while (now := time.clock_gettime(time.CLOCK_BOOTTIME)) < end:
    os.write(fd, b"%d %.6f\\n" % (os.getpid(), now))
    time.sleep(0.01)
"""


def boot_time():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Trace:
    """The beats of commands in one file."""

    def __init__(self, path):
        self.path = Path(path)

    def command(self, seconds=600):
        return [sys.executable, "-S", "-c", BEAT, str(self.path), str(seconds)]

    def beats(self):
        """(pid, time) of each beat so far, without a last line that is not complete yet."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")[:-1]
        return [(int(pid), float(when)) for pid, when in (line.split() for line in lines)]

    def wait(self, seconds=60):
        """Waits until the command runs; returns its process id."""
        end = time.monotonic() + seconds
        while not (beats := self.beats()):
            if time.monotonic() > end:
                raise AssertionError(f"no command ran within {seconds} s: {self.path}")
            time.sleep(0.01)
        return beats[0][0]

    def first(self):
        return self.beats()[0][1]

    def last(self):
        return self.beats()[-1][1]


def stat(pid):
    """(state, parent) of a process; None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, parent = text[text.rindex(")") + 2:].split()[:2]
    return state, int(parent)


def alive(pid):
    found = stat(pid)
    return found is not None and found[0] not in "ZX"


def children(parent):
    return [int(entry.name) for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and (found := stat(entry.name)) and found[1] == parent]


def guard_of(pid, seconds=30):
    """The process id of azlock's guard."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for child in children(pid):
            try:
                if Path(f"/proc/{child}/comm").read_text() == "azlock-guard\n":
                    return child
            except OSError:
                pass
        time.sleep(0.01)
    raise AssertionError(f"azlock {pid} has no guard")


def wait_until(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def wait_gone(*pids, seconds=60):
    wait_until(f"the end of {pids}", lambda: not any(alive(pid) for pid in pids), seconds)


def kill_quietly(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
