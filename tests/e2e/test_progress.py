"""The progress of a transfer: a line on a terminal, JSON events if they are asked for, otherwise nothing."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import termios
import time
import unittest

from support.case import MIB, Case
from support.faults import drop_reply

KIB = 1024
SIZE = 2 * MIB
SLOW = ("--block-size", "256KiB", "--limit-rate", "1MiB")  # two seconds
CLEAR = b"\r\x1b[K"


class Terminals(Case):
    def on_terminal(self, *arguments, columns=80, env=None, **options):
        """Everything that was written to standard error, a terminal with that many columns."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        running = self.start(*arguments, stderr=slave, env={"TERM": "xterm", **(env or {})}, **options)
        os.close(slave)
        said, end = b"", time.monotonic() + 60
        while True:
            self.assertLess(time.monotonic(), end, said)
            if select.select([master], [], [], 0.2)[0]:
                try:
                    more = os.read(master, 65536)
                except OSError:  # the other end is closed
                    break
                said += more
        self.out = running.process.stdout.read()
        self.assertEqual(0, running.process.wait(30), said)
        return said

    def upload(self, *flags, name="b", **options):
        return self.on_terminal("upload", self.file("source", SIZE), self.blob(name), *SLOW, *flags, **options)

    def lines_shown(self, said):
        return [line.split(b"\r")[0] for line in said.split(CLEAR)[1:]]

    def test_a_line_says_how_far_it_is_and_is_taken_away_at_the_end(self):
        said = self.upload()
        shown = self.lines_shown(said)
        self.assertGreaterEqual(len(shown), 4)
        self.assertTrue(any(re.match(rb"[0-9.]+ [KM]iB of 2(\.0+)? MiB, \d+ %, .*/s", line) for line in shown), shown)
        self.assertTrue(any(b" left" in line for line in shown))
        # Only the last line stays: no line feed came before it.
        self.assertEqual(1, said.count(b"\n"), said)
        self.assertIn(b"uploaded 2", said.rsplit(CLEAR, 1)[1])
        self.assertEqual(self.rest.head(self.container, "b")["ETag"].encode(), self.out.strip())

    def test_no_line_is_as_long_as_the_terminal_is_wide(self):
        shown = self.lines_shown(self.upload(columns=32))
        self.assertGreaterEqual(len(shown), 3)
        self.assertLess(max(len(line) for line in shown[:-1]), 32)

    def test_reused_bytes_and_retries_are_shown(self):
        self.azlock("upload", self.file("source", SIZE), self.blob("b"), *SLOW[:2])
        with open(self.work / "source", "r+b") as file:
            file.seek(MIB)
            file.write(os.urandom(MIB))
        via = self.proxy()
        via.on("Put Block", drop_reply)
        said = self.on_terminal("upload", self.work / "source", self.blob("b"), *SLOW, via=via)
        self.assertIn(b"MiB reused", said)
        self.assertIn(b"1 retry", said)

    def test_many_files_are_counted(self):
        (self.work / "d").mkdir()
        for number in range(3):
            self.file(f"d/f{number}", 768 * KIB)
        said = self.on_terminal("upload", "-r", "d", self.container, *SLOW)
        self.assertRegex(said, rb"[0-3] of 3 files")

    def test_standard_input_has_no_total(self):
        with open(self.file("source", SIZE), "rb") as stdin:
            said = self.on_terminal("upload", "-", self.blob("b"), *SLOW, stdin=stdin)
        shown = self.lines_shown(said)
        self.assertGreaterEqual(len(shown), 3)
        self.assertNotIn(b"%", b"".join(shown[:-1]))

    def test_quiet_json_and_a_dumb_terminal_show_none(self):
        self.assertEqual(b"", self.upload("--quiet"))
        self.assertEqual(b"", self.upload("--json"))
        said = self.upload(env={"TERM": "dumb"}, name="c")
        self.assertNotIn(b"\x1b", said)
        self.assertEqual(1, said.count(b"\n"))

    def test_an_error_comes_after_the_line_is_gone(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        via = self.proxy()
        via.on("Put Block List", lambda x: (x.read_body(), x.close()), times=None)
        running = self.start("upload", self.file("source", SIZE), self.blob("b"), *SLOW, "--retries", "0", stderr=slave,
                             env={"TERM": "xterm"}, via=via)
        os.close(slave)
        self.assertEqual(69, running.process.wait(60))
        said = os.read(master, 65536)
        last = re.split(rb"\r|\x1b\[K", said.rstrip(b"\r\n"))[-1]
        self.assertTrue(last.startswith(b"\x1b[1;31mazlock:\x1b[0m "), said)


class Elsewhere(Case):
    def test_without_a_terminal_a_short_run_says_nothing_but_its_end(self):
        run = self.azlock("upload", self.file("source", SIZE), self.blob("b"), *SLOW)
        self.assertEqual(1, run.messages.count("\n"))
        self.assertIn("uploaded 2", run.messages)

    def test_json_events_tell_what_there_is_and_what_was_done(self):
        run = self.azlock("upload", self.file("source", SIZE), self.blob("b"), *SLOW, "--json-progress", "--json")
        events = [json.loads(line) for line in run.err.splitlines()]
        self.assertGreaterEqual(len(events), 2)
        for event in events:
            self.assertEqual({"event", "total", "sent", "moving", "reused", "files", "files_done", "retries",
                              "bytes_per_second", "seconds"}, set(event))
            self.assertEqual(("progress", SIZE), (event["event"], event["total"]))
            self.assertLessEqual(event["sent"] + event["reused"] + event["moving"], SIZE)
        done = [event["sent"] for event in events]
        self.assertEqual(sorted(done), done)
        self.assertEqual((SIZE, 0, 0), tuple(events[-1][key] for key in ("sent", "moving", "reused")))
        self.assertEqual(SIZE, run.json()["sent"])

    def test_json_events_of_input_without_a_length_have_no_total(self):
        run = self.azlock("upload", "-", self.blob("b"), "--json-progress", input=b"x" * 1000)
        events = [json.loads(line) for line in run.err.splitlines() if line.startswith(b"{")]
        self.assertEqual((None, 1000), (events[-1]["total"], events[-1]["sent"]))

    def test_json_events_count_files_and_reused_bytes(self):
        (self.work / "d").mkdir()
        for number in range(3):
            self.file(f"d/f{number}", 600 * KIB)
        flags = ("--block-size", "256KiB", "--json", "--json-progress")
        self.azlock("upload", "-r", "d", self.container, *flags)
        run = self.azlock("upload", "-r", "d", self.container, *flags)
        last = json.loads(run.err.splitlines()[-1])
        self.assertEqual((3, 3, 3 * 600 * KIB, 0), tuple(last[key] for key in ("files", "files_done", "reused", "sent")))

    def test_quiet_without_a_terminal_says_nothing(self):
        self.assertEqual(b"", self.azlock("upload", self.file("source", SIZE), self.blob("b"), *SLOW, "--quiet").err)


if __name__ == "__main__":
    unittest.main()
