"""Watches what each lock command does when things go wrong: the facts behind the table in docs/lock.md."""

import os
import signal
import subprocess
import time

from lock_tools import HERE  # noqa: F401  the path of `support`
from support.locks import Trace, alive, kill_quietly

PATIENCE = 3  # seconds to wait for something that may not happen


class Scene:
    """A holder whose command leaves a trace."""

    def __init__(self, tool, name, scratch, seconds=600):
        self.tool = tool
        self.lock = f"scene-{name}-{os.getpid()}"
        self._held = Trace(scratch / f"{tool.name[:4]}-{name}.held")
        self._next = Trace(scratch / f"{tool.name[:4]}-{name}.next")
        self.wrapper = self._start(tool.command(self.lock, *self._held.command(seconds)))
        self.pid = self._held.wait()
        self.contender = None

    def _start(self, command):
        return subprocess.Popen(command, env=self.tool.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)

    def contend(self):
        self.contender = self._start(self.tool.command(self.lock, *self._next.command(1)))

    def await_end(self, seconds):
        """Waits for the end of the command, but at most this long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and alive(self.pid):
            time.sleep(0.05)

    def got_in(self, seconds):
        """True if the contender's command ran within that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._next.beats():
            time.sleep(0.05)
        return bool(self._next.beats())

    def overlap(self):
        """Waits for the contender's end. Returns for how many seconds both commands ran."""
        self.contender.wait(PATIENCE * 10)
        return max(0.0, min(self._held.last(), self._next.last()) - self._next.first())

    def code(self, seconds):
        try:
            code = self.wrapper.wait(seconds)
        except subprocess.TimeoutExpired:
            return "still runs"
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"

    def close(self):
        for process in filter(None, (self.wrapper, self.contender)):
            kill_quietly(process.pid)
            process.wait()
        kill_quietly(self.pid)


def revoked(tool, scratch):
    if tool.ttl is None:
        return "does not happen"
    scene = Scene(tool, "revoked", scratch, seconds=tool.ttl * 3)
    try:
        tool.revoke(scene.lock)
        scene.contend()
        scene.got_in(tool.ttl * 3)
        code = scene.code(tool.ttl * 4)
        return f"both commands ran for {scene.overlap():.1f} s; {code}"
    finally:
        scene.close()


def frozen(tool, scratch):
    if tool.ttl is None:
        return "does not happen"
    scene = Scene(tool, "frozen", scratch, seconds=tool.ttl * 3)
    try:
        tool.freeze()
        time.sleep(tool.ttl + 1)
        runs = alive(scene.pid)
        time.sleep(tool.ttl / 2)
        tool.thaw()
        return f"command {'goes on' if runs else 'has ended'} a second after the lease; {scene.code(tool.ttl * 3)}"
    finally:
        tool.thaw()
        scene.close()


def signalled(number):
    def scene_of(tool, scratch):
        scene = Scene(tool, signal.Signals(number).name, scratch)
        try:
            scene.wrapper.send_signal(number)
            code = scene.code(PATIENCE)
            scene.await_end(PATIENCE)
            command = "command goes on" if alive(scene.pid) else "command has ended"
            scene.contend()
            free = scene.got_in((tool.ttl or 0) * 2 + PATIENCE)
            after = f"; lock {'free' if free else 'kept'}"
            return f"wrapper: {code}; {command}{after}" + (f", both ran for {scene.overlap():.1f} s" if free else "")
        finally:
            scene.close()
    return scene_of


def run(tool, command, typed=b""):
    """Returns exit code and output; no code if the command does not end."""
    process = subprocess.Popen(command, env=tool.environment, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, start_new_session=True)
    try:
        out, _ = process.communicate(typed, timeout=8)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, b""


def exit_code(tool, _):
    codes = [run(tool, tool.command(f"code-{os.getpid()}", "sh", "-c", f"exit {code}"))[0] for code in (0, 7)]
    return f"command's 0: {codes[0]}, command's 7: {codes[1]}"


def standard_input(tool, _):
    _, out = run(tool, tool.command(f"input-{os.getpid()}", "cat"), b"typed")
    return "inherited" if out == b"typed" else f"the command reads {out!r}"


def busy(tool, scratch):
    if tool.once is None:
        return "waits only"
    scene = Scene(tool, "busy", scratch)
    try:
        return f"exit {run(tool, tool.once(scene.lock, 'true'))[0]}"
    finally:
        scene.close()


def nested(tool, _):
    lock = f"nested-{os.getpid()}"
    code, _ = run(tool, tool.command(lock, *tool.command(lock, "true")))
    return "deadlock" if code is None else f"exit {code}"


SCENES = {
    "lease revoked while the command runs": revoked,
    "service frozen for 1.5 ttl": frozen,
    "TERM to the wrapper": signalled(signal.SIGTERM),
    "HUP to the wrapper": signalled(signal.SIGHUP),
    "kill -9 of the wrapper": signalled(signal.SIGKILL),
    "exit code": exit_code,
    "standard input": standard_input,
    "busy, not waiting": busy,
    "nested": nested,
}


def play(tools, scratch):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the default, as at a terminal, even under nohup
    for title, scene in SCENES.items():
        print(f"\n{title}")
        for tool in tools:
            print(f"  {tool.name:14} {scene(tool, scratch)}", flush=True)
