"""The progress of what lasts: lines on a terminal that are gone at the end, JSON events if they are asked for, elsewhere a
line every 30 seconds."""

import json
import os
import re
import unittest

from support.case import MIB, Case
from support.faults import drop_reply
from support.screen import Terminal
from support.slow_line import SlowLine

KIB = 1024
SIZE = 2 * MIB
SLOW = ("--block-size", "256KiB", "--limit-rate", "1MiB")  # two seconds
PROMPT = "$ azlock"
RATE = r"[\d.]+ ([KM]i)?B/s"
AMOUNT = r"[\d.]+ ([KM]i)?B of [\d.]+ ([KM]i)?B"
LEFT = r"\d+ s left"


class Terminals(Case):
    def begin(self, *arguments, columns=80, rows=24, rewraps=True, env=None, **options):
        """Starts azlock with standard error on a terminal on which somebody has typed before."""
        terminal = Terminal(columns, rows, rewraps)
        self.addCleanup(terminal.close)
        terminal.screen.feed(PROMPT.encode() + b"\r\n")
        terminal.running = self.start(*arguments, stderr=terminal.slave, env={"TERM": "xterm", **(env or {})}, **options)
        terminal.release()
        return terminal

    def end(self, terminal, code=0):
        """What is on the screen below the prompt when azlock has ended. No line was ever wider than the terminal."""
        terminal.to_the_end(lambda screen: self.assertFalse([row.text() for row in screen.rows if row.goes_on]))
        self.out = terminal.running.process.stdout.read() if terminal.running.process.stdout else b""
        self.assertEqual(code, terminal.running.process.wait(30), terminal.said)
        lines = terminal.screen.lines()
        self.assertEqual(PROMPT, lines[0])
        return lines[1:]

    def until_seen(self, terminal, *patterns):
        """Waits until exactly these lines are below the prompt."""
        def seen(screen):
            lines = screen.lines()[1:]
            return len(lines) == len(patterns) and all(map(re.fullmatch, patterns, lines))
        terminal.until(seen)

    def begin_upload(self, *flags, name="b", rate="1MiB", **options):
        self.file("source", SIZE)
        return self.begin("upload", "source", self.blob(name), "--block-size", "256KiB", "--limit-rate", rate, *flags,
                          **options)

    def slow_line(self, rate):
        line = SlowLine(self.azurite.port, rate)
        self.addCleanup(line.stop)
        return line


class OnTerminal(Terminals):
    def test_the_narrower_the_terminal_the_less_is_said_and_one_summary_stays(self):
        for columns, pattern in ((120, rf"source  \d+ %  \[=*>? *\]  {AMOUNT}  {RATE}  {LEFT}"),
                                 (80, rf"source  \d+ %  \[=*>? *\]  {AMOUNT}  {RATE}  {LEFT}"),
                                 (40, rf"source  \d+ %  {RATE}  {LEFT}"),
                                 (20, rf"\d+ %  {LEFT}")):
            with self.subTest(columns=columns):
                terminal = self.begin_upload(columns=columns, name=f"b{columns}")
                self.until_seen(terminal, pattern)
                terminal.screen.resize(200)  # for the summary, which may be longer than the terminal is wide
                self.assertEqual(1, len(self.end(terminal)))
                self.assertRegex(terminal.screen.lines()[-1], rf"/b{columns}: uploaded 2 MiB in 8 blocks, ")

    def test_a_change_of_the_width_leaves_nothing_behind(self):
        for rewraps in (True, False):
            with self.subTest(rewraps=rewraps):
                terminal = self.begin_upload(rate="512KiB", columns=120, rewraps=rewraps, name=f"b{rewraps}")
                self.until_seen(terminal, rf"source  \d+ %  \[.*\]  {AMOUNT}  {RATE}  {LEFT}")
                terminal.resize(40)
                self.until_seen(terminal, rf"source  \d+ %  {RATE}  {LEFT}")
                terminal.resize(100)
                self.until_seen(terminal, rf"source  \d+ %  \[.*\]  {AMOUNT}  {RATE}  {LEFT}")
                self.assertRegex("\n".join(self.end(terminal)), r"\A\S+: \S+: uploaded 2 MiB in 8 blocks, [^\n]+\Z")

    def test_several_files_show_the_whole_and_those_that_are_under_way(self):
        (self.work / "d").mkdir()
        for number in range(4):
            self.file(f"d/f{number}", 640 * KIB)
        several = rf"\d+ %  \[.*\]  {AMOUNT}  [0-3] of 4 files  {RATE}(  {LEFT})?"
        one = r"  d/f\d  \d+ %  of 640 KiB"
        terminal = self.begin("upload", "-r", "d", self.container, *SLOW[:3], "512KiB", columns=100)
        self.until_seen(terminal, several, one, one)
        terminal.resize(40)
        self.until_seen(terminal, rf"\d+ %  .*{RATE}(  {LEFT})?", one, one)
        terminal.resize(100)
        self.assertRegex("\n".join(self.end(terminal)), r"\Aazlock: uploaded 4 files, [^\n]+\Z")
        low = self.begin("upload", "-r", "d/", f"{self.container}/low/", *SLOW, columns=100, rows=5)
        self.until_seen(low, several)
        self.end(low)

    def test_colours_are_there_unless_they_are_unwanted(self):
        for wanted, flags, env in ((True, (), {}), (False, (), {"NO_COLOR": "1"}), (False, ("--color", "never"), {})):
            with self.subTest(flags=flags, env=env):
                terminal = self.begin_upload(*flags, env=env, name="c" + str(len(flags) + len(env)))
                terminal.until(lambda screen: "%  [=" in screen.lines()[-1])
                self.assertEqual({"0", "32"} if wanted else {"0"}, terminal.screen.colours())
                self.end(terminal)

    def test_reused_blocks_and_retries_are_shown(self):
        self.file("source", SIZE)
        self.azlock("upload", "source", self.blob("b"), *SLOW[:2])
        with open(self.work / "source", "r+b") as file:
            file.seek(MIB)
            file.write(os.urandom(MIB))
        via = self.proxy()
        via.on("Put Block", drop_reply)
        terminal = self.begin("upload", "source", self.blob("b"), *SLOW, via=via, columns=120)
        self.until_seen(terminal, r"source  .*  4 blocks \(1 MiB\) reused  1 retry")
        self.end(terminal)

    def test_standard_input_has_no_total(self):
        with open(self.file("source", SIZE), "rb") as stdin:
            terminal = self.begin("upload", "-", self.blob("b"), *SLOW, stdin=stdin)
        self.until_seen(terminal, rf"\S+/b  [\d.]+ ([KM]i)?B  {RATE}")
        self.end(terminal)
        self.assertNotIn(b"%", terminal.said)

    def test_an_error_comes_after_the_progress_is_gone(self):
        via = self.proxy()
        via.on("Put Block List", lambda x: (x.read_body(), x.close()), times=None)
        terminal = self.begin_upload("--retries", "0", via=via, columns=400)
        self.until_seen(terminal, r"source  .*")
        self.assertRegex("\n".join(self.end(terminal, code=69)), r"\Aazlock: .*Put Block List")
        self.assertIn("1;31", terminal.screen.colours())

    def test_a_download_shows_progress_also_to_standard_output(self):
        content = self.file("source", SIZE).read_bytes()
        self.rest.put(self.container, "b", content)
        terminal = self.begin("download", self.blob("b"), "copy", "--limit-rate", "1MiB", columns=100)
        self.until_seen(terminal, rf"\S+/b  \d+ %  \[.*\]  {AMOUNT}  {RATE}  {LEFT}")
        self.assertRegex("\n".join(self.end(terminal)), r"\Aazlock: copy: downloaded 2 MiB, [^\n]+\Z")
        self.assertTrue(content == (self.work / "copy").read_bytes())
        with open(self.work / "output", "wb") as output:
            terminal = self.begin("download", self.blob("b"), "-", "--limit-rate", "1MiB", stdout=output, columns=100)
        self.until_seen(terminal, rf"\S+/b  \d+ %  \[.*\]  {AMOUNT}  {RATE}  {LEFT}")
        self.assertRegex("\n".join(self.end(terminal)), r"\Aazlock: \S+/b: downloaded 2 MiB, [^\n]+\Z")
        self.assertTrue(content == (self.work / "output").read_bytes())

    def test_verify_shows_progress(self):
        self.file("source", SIZE)
        self.rest.put(self.container, "b", b"x" + (self.work / "source").read_bytes()[1:])
        terminal = self.begin("verify", "source", self.blob("b"), "--download", via=self.slow_line(MIB), columns=200)
        self.until_seen(terminal, rf"source  \d+ %  \[.*\]  {AMOUNT}  {RATE}  {LEFT}")
        self.assertRegex("\n".join(self.end(terminal, code=65)), r"\Aazlock: [^\n]*differ from byte 0")

    def test_append_of_a_file_shows_progress_also_while_it_compares(self):
        self.file("source", SIZE)
        append = ("append", self.blob("log"), "source", "--resume")
        line = self.slow_line(MIB)
        terminal = self.begin(*append, via=line, columns=200)
        self.until_seen(terminal, rf"source  \d+ %  \[.*\]  {AMOUNT}  {RATE}(  {LEFT})?")
        self.assertRegex("\n".join(self.end(terminal)), r"\A\S+ \S+/log: appended 2 MiB in [^\n]+\Z")
        terminal = self.begin(*append, via=line, columns=200)  # all of it is there
        self.until_seen(terminal, rf"source  \d+ %  \[.*\]  {AMOUNT}  {RATE}  {LEFT}")
        self.assertRegex("\n".join(self.end(terminal)), r"\A\S+ \S+/log: [^\n]+2 MiB were there already[^\n]+\Z")

    def test_lines_that_are_put_into_a_queue_are_counted(self):
        self.file("lines", b"".join(b"task %d\n" % number for number in range(60)))
        terminal = self.begin("queue", "put", self.blob("q"), "lines", "--lines", via=self.slow_line(32 * KIB))
        self.until_seen(terminal, rf"\S+/q  \d+ %  \[.*\]  \d+ tasks?  {AMOUNT}  .*")
        self.assertRegex("\n".join(self.end(terminal)), r"\A\S+ \S+/q: 60 tasks, [^\n]+\Z")
        self.assertEqual(60, self.out.count(b"\n"))

    def test_the_entries_of_many_pages_are_counted_unless_they_are_on_the_terminal(self):
        for number in range(8):
            self.rest.put(self.container, f"blob-{number}", b"")
        line = self.slow_line(8 * KIB)
        pages = ("list", self.container, "--page-size", "1")
        terminal = self.begin(*pages, via=line)
        self.until_seen(terminal, rf"{self.container}  \d blobs?  \d+ (s|ms)")
        self.assertRegex("\n".join(self.end(terminal)), rf"\Aazlock: {self.container}: 8 blobs, [^\n]+\Z")
        self.assertEqual(8, self.out.count(b"\n"))

        terminal = Terminal(120)
        self.addCleanup(terminal.close)
        terminal.running = self.start(*pages, stdout=terminal.slave, stderr=terminal.slave, env={"TERM": "xterm", "NO_COLOR": "1"},
                                      via=line)
        terminal.release()
        terminal.to_the_end()
        self.assertEqual(8 + len(("titles", "totals")), len(terminal.screen.lines()))
        self.assertNotIn(b"\x1b", terminal.said)

    def test_quiet_json_and_a_dumb_terminal_show_none(self):
        self.assertEqual([], self.end(self.begin_upload("--quiet")))
        self.assertEqual([], self.end(self.begin_upload("--json", name="j")))
        self.assertEqual(SIZE, json.loads(self.out)["bytes"])
        terminal = self.begin_upload(env={"TERM": "dumb"}, name="c", columns=200)
        self.assertEqual(1, len(self.end(terminal)))
        self.assertNotIn(b"\x1b", terminal.said)


class Elsewhere(Case):
    def test_without_a_terminal_a_short_run_says_nothing_but_its_end(self):
        run = self.azlock("upload", self.file("source", SIZE), self.blob("b"), *SLOW)
        self.assertEqual(1, run.messages.count("\n"))
        self.assertIn("uploaded 2", run.messages)
        self.assertEqual(b"", self.azlock("download", self.blob("b"), "-", "--limit-rate", "1MiB").err)
        self.assertEqual(b"", self.azlock("list", self.container).err)

    def test_without_a_terminal_there_is_a_line_after_thirty_seconds(self):
        self.rest.put(self.container, "b", self.file("source", SIZE).read_bytes())
        run = self.azlock("download", self.blob("b"), "-", "--limit-rate", "64KiB", timeout=120)
        self.assertRegex(run.messages, rf"\Aazlock: \S+/b: {AMOUNT}, \d+ %, {RATE}, {LEFT}\n"
                                       r"azlock: \S+/b: downloaded 2 MiB, [^\n]+\n\Z")

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
