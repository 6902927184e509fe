"""Over a slow line every run moves forward, however often it is killed, and a transfer is not given up for its time."""

import os
import signal
import subprocess
import time
import unittest

from support.case import Case
from support.slow_line import SlowLine

SOAK = bool(os.environ.get("AZLOCK_SOAK"))
# Bytes per second, seconds until each kill, and the size of the file.
LINES = ([(rate, 30, 67_000_000 if rate > 50_000 else 10_000_000) for rate in (20_000, 60_000, 100_000, 500_000)]
         if SOAK else [(60_000, 8, 700_000), (500_000, 8, 9_000_000)])
TRY_SECONDS = 1


class SlowUpload(Case):
    def slow_line(self, rate):
        line = SlowLine(self.azurite.port, rate)
        self.addCleanup(line.stop)
        return line

    def staged(self, name):
        return sum(size for _, size in self.rest.blocks(self.container, name)[1])

    def one_line(self, rate, life, size):
        source = self.file(f"source{rate}", size)
        line = self.slow_line(rate)
        name = f"b{rate}"
        before = 0
        for _ in range(3 * (size // (rate * life) + 2)):
            running = self.start("upload", source, self.blob(name), via=line)
            try:
                running.process.wait(life)
            except subprocess.TimeoutExpired:
                running.signal(signal.SIGKILL)
            run = running.finish()
            if run.code == 0:
                self.assert_blob(name, source.read_bytes())
                return
            self.assertEqual(-signal.SIGKILL, run.code, run)
            staged = self.staged(name)
            self.assertGreater(staged, before, f"a run at {rate} bytes per second staged nothing")
            before = staged
        self.fail(f"at {rate} bytes per second the upload did not come to an end")

    def test_each_killed_run_has_staged_more(self):
        self.in_parallel(LINES, self.one_line)

    def in_parallel(self, cases, check):
        for case in cases:
            with self.subTest(case=case):
                check(*case)

    def test_an_attempt_lives_as_long_as_its_bytes_move(self):
        size = 300_000
        source = self.file("source", size)
        line = self.slow_line(100_000)
        flags = ("--try-timeout", f"{TRY_SECONDS}s", "--retries", "0")
        start = time.monotonic()
        self.azlock("upload", source, self.blob("up"), "--block-size", "1MiB", *flags, via=line)
        self.assertGreater(time.monotonic() - start, 2 * TRY_SECONDS)
        self.azlock("download", self.blob("up"), self.folder / "copy", *flags, via=line)
        self.assertEqual(source.read_bytes(), (self.folder / "copy").read_bytes())


if __name__ == "__main__":
    unittest.main()
