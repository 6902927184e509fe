"""append over a network that loses answers and breaks connections, and over outages: each byte once, in order.

AZLOCK_SOAK=1: 100,000 lines and 8 writers instead of 2,000 and 4, and an outage of 30 s.
"""

import os
import threading
import time
import unittest

from support.case import Case
from support.faults import after, close, drop_reply, fail_before
from support.lossy import check_numbered, lose, numbered

SOAK = bool(os.environ.get("AZLOCK_SOAK"))
LINES = 100_000 if SOAK else 2_000
WRITERS = 8 if SOAK else 4
BATCH = "4KiB" if SOAK else "1KiB"
OUTAGE = 30 if SOAK else 6
LONG = 900 if SOAK else 90


class AppendFaults(Case):
    def lines_of(self, writer, count):
        path = self.file(f"lines-{writer}", numbered(writer, count))
        stdin = open(path, "rb")
        self.addCleanup(stdin.close)
        return stdin

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
                # When the second writer comes, nobody knows what happened to the first one's request.
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
