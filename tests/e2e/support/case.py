"""What every end-to-end test case has: an Azurite, a container, a folder of its own, and the azlock binary."""

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from .azurite import KEY, Azurite, connection_string
from .proxy import Proxy
from .rest import Rest

MIB = 1024 * 1024
RUN_SECONDS = 60
AUTHORIZATION = re.compile(rb"SharedKey \S+:\S|Bearer (?!REDACTED)\S")
FOREIGN = ("AZURE_", "AZLOCK_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT", "XDG_", "LC_", "LANG")

# A test sees the same signals however it was started: nohup and a script's `&` leave some of them ignored.
for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def binary():
    path = os.environ.get("AZLOCK_BIN")
    if not path:
        raise RuntimeError("set AZLOCK_BIN to the azlock binary")
    return os.path.abspath(path)


class Run:
    """How one azlock command ended."""

    def __init__(self, arguments, code, out, err, seconds):
        self.arguments, self.code, self.out, self.err, self.seconds = arguments, code, out, err, seconds

    def __str__(self):
        return (f"azlock {' '.join(map(repr, self.arguments))}\nexit code {self.code} after {self.seconds:.2f} s\n"
                f"stdout: {self.out[:2000]!r}\nstderr: {self.err.decode(errors='replace')[:6000]}")

    @property
    def text(self):
        return self.out.decode()

    @property
    def messages(self):
        return self.err.decode()

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def error(self):
        """The error of a failed command with --json: one line on stderr, one object, and nothing on stdout. An empty line
        may stand before it: it ends a line that a command of the user may have left unfinished."""
        if self.out or self.err.removeprefix(b"\n").count(b"\n") != 1:
            raise AssertionError(f"not one JSON error and nothing else:\n{self}")
        return json.loads(self.err)


class Running:
    """An azlock command that has been started."""

    def __init__(self, case, arguments, process):
        self._case, self._arguments, self.process = case, arguments, process
        self._start = time.monotonic()
        self.pid = process.pid

    def signal(self, number):
        self._start = time.monotonic()
        self.process.send_signal(number)

    def until_says(self, text, timeout=RUN_SECONDS):
        """Waits until the text is on stderr, and returns stderr so far; the rest is in the result of finish()."""
        said, end = b"", time.monotonic() + timeout
        while text.encode() not in said:
            ready = select.select([self.process.stderr], [], [], max(0, end - time.monotonic()))[0]
            more = os.read(self.process.stderr.fileno(), 4096) if ready else b""
            if not more:
                raise AssertionError(f"{self._arguments} never said {text!r}: {said!r}")
            said += more
        return said.decode()

    def finish(self, timeout=RUN_SECONDS):
        """Waits for it; `seconds` of the result count from the start or from the last signal."""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            raise AssertionError(f"still running after {timeout} s: {self._arguments}\n{(err or b'').decode(errors='replace')}")
        seconds = time.monotonic() - self._start
        run = Run(self._arguments, self.process.returncode, out or b"", err or b"", seconds)
        self._case.check_secrets(run)
        return run


class Case(unittest.TestCase):
    """Subclasses get a fresh container per test in `self.container`, made on the Azurite of the class."""

    maxDiff = None
    result = None

    @classmethod
    def setUpClass(cls):
        signal.signal(signal.SIGTERM, _end_all)
        cls.azlock_path = binary()
        cls.azurite, tls = cls.start_azurite()
        cls.addClassCleanup(cls.azurite.stop)
        cls.rest = Rest(cls.azurite.port, tls)

    @classmethod
    def start_azurite(cls):
        """Azurite, and whether it listens on https."""
        return Azurite(), False

    def run(self, result=None):
        Case.result = result
        return super().run(result)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="azlock-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.container = "c-" + os.urandom(6).hex()
        self.rest.create_container(self.container)
        self.secrets = [KEY]

    def proxy(self, upstream=True):
        """A faulty proxy in front of Azurite; the test fails if one of its faults does not happen."""
        proxy = Proxy(self.azurite.port if upstream else None)
        self.addCleanup(proxy.stop)
        self.addCleanup(lambda: self.assertEqual([], proxy.unfired(), "faults that never happened"))
        return proxy

    def environment(self, via=None, **changes):
        """A clean environment. `via` is a proxy on the way to the account. A value of None removes the name."""
        clean = {k: v for k, v in os.environ.items() if not k.upper().startswith(FOREIGN)}
        clean["HOME"] = str(self.folder)
        clean["LC_ALL"] = "C"
        clean["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = "http://127.0.0.1:1"  # this machine has no identity
        clean["AZURE_STORAGE_CONNECTION_STRING"] = connection_string((via or self.azurite).port)
        clean.update(changes)
        return {key: value for key, value in clean.items() if value is not None}

    def start(self, *arguments, via=None, env=None, stdin=subprocess.DEVNULL, program=None, wrapper=(), **options):
        arguments = [os.fspath(a) if not isinstance(a, bytes) else a for a in arguments]
        process = subprocess.Popen([*wrapper, program or self.azlock_path, *arguments], stdin=stdin, cwd=self.work,
                                   env=self.environment(via, **(env or {})),
                                   **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
        self.addCleanup(_end, process)
        return Running(self, arguments, process)

    def azlock(self, *arguments, code=0, input=None, timeout=RUN_SECONDS, **options):
        """Runs azlock to its end and checks the exit code; None: any code."""
        if input is None:
            run = self.start(*arguments, **options).finish(timeout)
        else:
            with tempfile.TemporaryFile() as stdin:
                stdin.write(input)
                stdin.seek(0)
                run = self.start(*arguments, stdin=stdin, **options).finish(timeout)
        if code is not None:
            self.assertEqual(code, run.code, f"\n{run}")
        return run

    def check_secrets(self, run):
        for stream in (run.out, run.err):
            self.assertIsNone(AUTHORIZATION.search(stream), f"a signature was printed by {run.arguments}")
            for secret in self.secrets:
                self.assertNotIn(secret.encode(), stream, f"a secret was printed by {run.arguments}")

    def file(self, name, content):
        """A file in the working directory. A number as content means that many bytes, which do not repeat."""
        path = self.work / name if isinstance(name, str) else Path(os.fsdecode(bytes(self.work) + b"/" + name))
        path.write_bytes(noise(content) if isinstance(content, int) else content)
        return path

    def blob(self, name):
        return f"{self.container}/{name}"

    def assert_blob(self, name, content):
        stored = self.rest.get(self.container, name)
        self.assertEqual(len(content), len(stored), "the blob's length")
        self.assertTrue(content == stored, "the blob's bytes are not the file's")

    def leftovers(self):
        """Temporary files of downloads."""
        return [path.name for path in self.work.iterdir() if path.name.startswith(".azlock-")]


def noise(size, seed=1):
    return random.Random(seed * 1_000_003 + size).randbytes(size)


def _end_all(number, _):
    """Ends this test with all its clean-ups, and begins no other one."""
    if Case.result is not None:
        Case.result.stop()
        Case.result.failfast = True  # ends the test's other sub-tests
    sys.exit(128 + number)


def _end(process):
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr, process.stdin):
        if stream:
            stream.close()
