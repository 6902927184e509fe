"""append over a network that loses answers and breaks connections, and past kills: each byte once, in order.

AZLOCK_SOAK=1: 100,000 lines and 8 writers in place of 2,000 and 4, 20 kills in place of 6, an outage of 30 s.
"""

import os
import random
import threading
import time
import unittest

from support.case import Case, noise
from support.faults import after, close, drop_reply, fail_before
from support.lossy import check_numbered, lose, numbered

SOAK = bool(os.environ.get("AZLOCK_SOAK"))
LINES = 100_000 if SOAK else 2_000
WRITERS = 8 if SOAK else 4
BATCH = "4KiB" if SOAK else "1KiB"
KILLS = 20 if SOAK else 6
OUTAGE = 30 if SOAK else 6
LONG = 900 if SOAK else 90


class AppendFaults(Case):
    def lines_of(self, writer, count):
        path = self.file(f"lines-{writer}", numbered(writer, count))
        stdin = open(path, "rb")
        self.addCleanup(stdin.close)
        return stdin

    def break_lease(self, name):
        """A killed azlock's turn ends within 15 s; this is for tests that have no time."""
        self.rest.lease(self.container, name, "break", break_period=0)

    def test_numbered_lines_of_one_writer_arrive_once_and_in_order(self):
        via = self.proxy()
        lose(via, "Append Block")
        running = self.start("append", self.blob("b"), "--lines", "--batch-size", BATCH, "--json", "--buffer", "64KiB",
                             via=via, stdin=self.lines_of(0, LINES))
        run = running.finish(LONG)
        self.assertEqual(0, run.code, f"\n{run}")
        report = run.json()
        check_numbered(self, self.rest.get(self.container, "b"), 1, LINES)
        self.assertEqual(LINES, report["lines"])
        self.assertGreater(report["duplicates_avoided"], 0)

    def test_the_lines_of_many_writers_stay_whole_and_each_writers_in_order(self):
        count = LINES // WRITERS
        running = []
        for writer in range(WRITERS):
            via = self.proxy()
            lose(via, "Append Block", seed=writer)
            running.append(self.start("append", self.blob("b"), "--lines", "--batch-size", BATCH, "--buffer", "64KiB",
                                      via=via, stdin=self.lines_of(writer, count)))
        for one in running:
            run = one.finish(LONG)
            self.assertEqual(0, run.code, f"\n{run}")
        check_numbered(self, self.rest.get(self.container, "b"), WRITERS, count)

    def test_two_writers_append_the_same_line_at_the_same_moment_and_one_request_is_lost(self):
        for fault in (drop_reply, fail_before):
            with self.subTest(fault.__name__):
                name = fault.__name__
                self.azlock("append", self.blob(name), input=b"")
                line, via = b"the same line\n", self.proxy()
                via.on("Append Block", fault)
                # Nobody knows what became of the first one's request when the second one comes.
                second = []
                via.on("Lease", after(lambda: second.append(self.start("append", self.blob(name), stdin=self.stdin(line)))),
                       nth=2)
                first = self.start("append", self.blob(name), via=via, stdin=self.stdin(line))
                self.assertEqual(0, first.finish().code)
                for one in second:
                    self.assertEqual(0, one.finish().code)
                self.assert_blob(name, line + line)

    def stdin(self, content):
        read, write = os.pipe()
        os.write(write, content)
        os.close(write)
        self.addCleanup(os.close, read)
        return read

    def test_a_file_is_whole_after_kills_at_random_moments(self):
        dice = random.Random(7)
        # Repetitive input and noise: what is there says nothing about how often it came.
        for name, content in (("equal", b"an equal line\n" * 40_000), ("noise", noise(560_000))):
            file = self.file(name, content)
            arguments = ("append", self.blob(name), file, "--resume", "--batch-size", "8KiB", "--json")
            kills = 0
            while kills < KILLS // 2:
                via = self.proxy()
                stop_at = dice.randrange(1, 8)
                rule = via.on("Append Block", dice.choice([after(lambda: None), drop_reply, fail_before]), nth=stop_at,
                              needed=False)
                running = self.start(*arguments, via=via)
                try:
                    rule.wait(30)
                    time.sleep(dice.random() * 0.02)
                finally:
                    running.process.kill()
                running.finish()
                kills += 1
                held = self.rest.get(self.container, name)
                self.assertEqual(0, len(held) % 8192 if len(held) < len(content) else 0, "not the end of a batch")
                self.assertTrue(content.startswith(held))
                if self.rest.head(self.container, name)["x-ms-lease-state"] == "leased":
                    self.break_lease(name)
            self.azlock(*arguments)
            self.assert_blob(name, content)
            self.assertEqual(0, self.azlock(*arguments).json()["bytes"])

    def test_the_turn_of_a_killed_writer_ends_within_fifteen_seconds(self):
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        via = self.proxy()
        rule = via.on("Append Block", drop_reply)
        running = self.start("append", self.blob("b"), stdin=read, via=via)
        os.close(read)
        os.write(write, b"one\n")
        rule.wait()
        running.process.kill()
        running.finish()
        start = time.monotonic()
        self.azlock("append", self.blob("b"), input=b"two\n")
        self.assertLess(time.monotonic() - start, 18)
        self.assert_blob("b", b"one\ntwo\n")

    def test_an_outage_is_waited_out_and_nothing_is_lost(self):
        via = self.proxy()
        out = threading.Event()
        via.on(lambda request: out.is_set(), close, times=None)
        read, write = os.pipe()
        running = self.start("append", self.blob("b"), "--lines", "--flush-interval", "100ms", stdin=read, via=via)
        os.close(read)
        lines = [b"line %d\n" % number for number in range(60)]
        for number, line in enumerate(lines):
            if number == 20:
                out.set()
            if number == 40:
                running.until_says("cannot be reached")
                time.sleep(OUTAGE - 5)
                out.clear()
            os.write(write, line)
            time.sleep(0.01)
        os.close(write)
        run = running.finish(LONG)
        self.assertEqual(0, run.code, f"\n{run}")
        self.assertIn("answers again", run.messages)
        self.assert_blob("b", b"".join(lines))

    def test_an_outage_longer_than_retry_for_is_an_error_that_counts_what_is_missing(self):
        self.azlock("append", self.blob("b"), input=b"one\n")
        via = self.proxy()
        via.on("Append Block", close, times=None)
        run = self.azlock("append", self.blob("b"), "--retry-for", "1s", input=b"two\n", via=via, code=69)
        self.assertIn("4 bytes that were read are not in the blob", run.messages)
        self.assert_blob("b", b"one\n")

    def test_rotation_with_several_writers_keeps_every_line_once_and_whole(self):
        count = 2_000 if SOAK else 200
        running = []
        for writer in range(4):
            via = self.proxy()
            lose(via, "Append Block", seed=writer)
            running.append(self.start("append", self.blob("b"), "--lines", "--batch-size", "512", "--buffer", "64KiB",
                                      "--rotate", "--max-size", "4KiB", via=via, stdin=self.lines_of(writer, count)))
        for one in running:
            run = one.finish(LONG)
            self.assertEqual(0, run.code, f"\n{run}")
        parts = sorted(run["name"] for run in self.azlock("list", self.container, "--json").lines())
        content = [self.rest.get(self.container, name) for name in parts]
        self.assertGreater(len(parts), 3)
        self.assertLessEqual(max(map(len, content)), 4096)
        for name in parts[:-1]:
            self.assertEqual("true", self.rest.head(self.container, name)["x-ms-blob-sealed"])
        check_numbered(self, b"".join(content), 4, count)


if __name__ == "__main__":
    unittest.main()
