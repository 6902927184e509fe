"""Scripts that start other programs end them when a signal comes, and leave no temporary file behind."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import ROOT, main

# Stands for a program. The one that $BLOCKS names starts another one in a session of its own, tells the process ids of
# both, and waits; the others end at once.
PROGRAM = """#!/bin/sh
[ "${0##*/}" = "$BLOCKS" ] || exit "${CODE:-0}"
setsid sleep 600 &
echo $$ $! >>"$TOLD"
wait
"""
NODE = """#!/usr/bin/env python3
import os, socket, time
server = socket.create_server(("127.0.0.1", 0))
with open(os.environ["TOLD"], "a") as told:
    print(os.getpid(), file=told)
print(f"Azurite Blob service successfully listens on http://127.0.0.1:{server.getsockname()[1]}", flush=True)
time.sleep(600)
"""


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="latin-1").rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="azlock scripts-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        (self.root / "tests/azurite/node_modules/azurite").mkdir(parents=True)
        self.told, self.said, self.tmp = self.root / "told", self.root / "said", self.root / "tmp"
        self.tmp.mkdir()
        self.program("scripts/setup.sh", "#!/bin/sh\n")
        for name in ("bin/cmake", "bin/ctest", "build/azlock"):
            self.program(name, PROGRAM)
        self.program("bin/node", NODE)

    def program(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def start(self, script, *arguments, **environment):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}", TOLD=str(self.told),
                           TMPDIR=str(self.tmp), **environment)
        with self.said.open("wb") as said:
            return subprocess.Popen([self.root / "scripts" / script, *arguments], env=environment,
                                    stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)

    def pids(self):
        return [int(pid) for pid in self.told.read_text().split()] if self.told.exists() else []

    def stopped(self, script, blocks, count, *arguments):
        """Sends TERM to the script, and INT to its whole group, as ^C does, while `count` programs run."""
        for send, number in ((os.kill, signal.SIGTERM), (os.killpg, signal.SIGINT)):
            with self.subTest(script=script, signal=number.name):
                self.told.unlink(missing_ok=True)
                running = self.start(script, *arguments, BLOCKS=blocks)
                end = time.monotonic() + 60
                while len(self.pids()) < count:
                    self.assertLess(time.monotonic(), end, self.pids())
                    time.sleep(0.02)
                send(running.pid, number)
                running.wait(60)
                left = [pid for pid in self.pids() if runs(pid)]
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                self.assertEqual((128 + number, [], []), (running.returncode, left, os.listdir(self.tmp)),
                                 self.said.read_text())

    def test_a_signal_ends_all_that_the_tests_have_started(self):
        self.stopped("test.sh", "ctest", 2)

    def test_a_signal_ends_all_that_the_build_of_the_tests_has_started(self):
        self.stopped("test.sh", "cmake", 2)

    def test_a_signal_ends_all_that_a_build_has_started(self):
        self.stopped("build.sh", "cmake", 2, "--progress")

    def test_a_signal_ends_all_that_the_demonstration_has_started(self):
        self.stopped("demo.sh", "azlock", 3)

    def test_without_a_signal_the_exit_code_is_the_scripts_own(self):
        for code in (0, 3):
            running = self.start("build.sh", CODE=str(code))
            self.assertEqual((code, []), (running.wait(60), os.listdir(self.tmp)))


if __name__ == "__main__":
    main()
