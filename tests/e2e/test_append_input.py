"""The input of append: followed files, lines and their stamps, and what happens to them in an outage of the service."""

import os
import re
import signal
import threading
import time
import unittest

from support.case import Case
from support.faults import drop_reply, fail_before, stall

STAMP = rb"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z "


class Outage:
    """A fault that lasts until it is changed: `fault` None lets requests pass."""

    def __init__(self, fault=fail_before):
        self.fault = fault

    def __call__(self, x):
        if self.fault is None:
            x.reply(x.forward())
        else:
            self.fault(x)


def numbered(first, last):
    return b"".join(b"line %06d of a log\n" % n for n in range(first, last))


class AppendInput(Case):
    def setUp(self):
        super().setUp()
        self.spool = self.folder / "spool"

    def append(self, *flags, **options):
        return self.azlock("append", self.blob("log"), *flags, **options)

    def start_append(self, *flags, **options):
        """Starts append with a pipe as its input; `self.write` is the end for writing."""
        read, write = os.pipe()
        running = self.start("append", self.blob("log"), *flags, stdin=read, **options)
        os.close(read)
        self.write = os.fdopen(write, "wb", buffering=0)
        self.addCleanup(self.write.close)
        return running

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "this never came true")
            time.sleep(0.02)

    def length(self):
        return int(self.rest.head(self.container, "log")["Content-Length"]) if self.rest.exists(self.container, "log") else 0

    def until_blob_has(self, size):
        self.until(lambda: self.length() >= size)

    def spooled(self):
        """The content of the spool's file."""
        return b"".join(path.read_bytes() for path in self.spool.iterdir()) if self.spool.exists() else b""

    def outage(self, needed=True):
        via = self.proxy()
        outage = Outage()
        via.on("Append Block", outage, times=None, needed=needed)
        return via, outage


class WithoutSpool(AppendInput):
    # --follow

    def test_a_followed_file_arrives_over_rotation_and_truncation(self):
        log = self.file("app.log", b"one\n")
        running = self.start("append", self.blob("log"), log, "--follow", "--lines", "--json")
        self.until_blob_has(4)
        with log.open("ab") as old:
            old.write(b"two\n")
            old.flush()
            log.rename(self.work / "app.log.1")
            self.file("app.log", b"four\n")
            old.write(b"three\n")
        self.until_blob_has(19)
        os.truncate(log, 0)
        with log.open("ab") as new:
            new.write(b"5\n")
        self.until_blob_has(21)
        with log.open("ab") as new:
            new.write(b"six")
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(0, run.code, f"\n{run}")
        self.assert_blob("log", b"one\ntwo\nthree\nfour\n5\nsix")
        self.assertEqual(24, run.json()["bytes"])

    def test_a_file_that_is_missing_is_waited_for(self):
        running = self.start("append", self.blob("log"), "later.log", "--follow")
        running.until_says("waiting for it")
        self.file("later.log", b"here\n")
        self.until_blob_has(5)
        running.signal(signal.SIGINT)
        self.assertEqual(0, running.finish().code)
        self.assert_blob("log", b"here\n")

    # --lines, and the stamps before them

    def test_a_signal_ends_the_search_for_the_blob_within_a_second_if_the_service_is_silent(self):
        via = self.proxy(upstream=False)
        asked = threading.Event()

        def silent(x):
            asked.set()
            stall(x)

        via.on(lambda request: True, silent, times=None)
        running = self.start_append(via=via)
        self.write.write(b"not read yet\n")
        self.assertTrue(asked.wait(60))
        since = time.monotonic()
        running.signal(signal.SIGINT)
        run = running.finish()
        self.assertEqual(128 + signal.SIGINT, run.code, run)
        self.assertLess(time.monotonic() - since, 20)  # one is promised; the machine may be busy

    def test_lines_get_the_time_and_a_prefix_and_the_last_one_its_newline(self):
        report = self.append("--timestamp", "--prefix", "web1: ", "--complete-last-line", "--json",
                             input=b"one\n\xff\x00two\r\nthree").json()
        self.assertEqual(3, report["lines"])
        self.assertRegex(self.rest.get(self.container, "log"),
                         re.compile(b"^" + STAMP + b"web1: one\n" + STAMP + b"web1: \xff\x00two\r\n" + STAMP
                                    + b"web1: three\n$"))

    def test_a_time_has_the_format_that_follows_the_equals_sign(self):
        self.append("--timestamp=%Y", input=b"x\n")
        self.assertRegex(self.rest.get(self.container, "log"), rb"^2\d\d\d x\n$")
        self.append("--timestamp=%n", input=b"x\n", code=64)

    def test_lines_of_many_writers_stay_whole_whatever_the_size_of_a_batch(self):
        inputs = [b"".join(b"%d" % writer * (n % 300) + b"\n" for n in range(400)) for writer in range(4)]
        running = []
        for content in inputs:
            file = self.file(f"w{len(running)}", content)
            running.append(self.start("append", self.blob("log"), file, "--lines", "--batch-size", "10K"))
        for one in running:
            run = one.finish()
            self.assertEqual(0, run.code, f"\n{run}")
        lines = self.rest.get(self.container, "log").splitlines()
        self.assertEqual(1600, len(lines))
        for writer, content in enumerate(inputs):
            mine = [line for line in lines if line.startswith(b"%d" % writer)]
            self.assertEqual([line for line in content.splitlines() if line], mine)

    def test_a_line_longer_than_a_batch_arrives_in_pieces_which_is_told(self):
        content = b"short\n" + b"x" * 50_000 + b"\nend\n"
        run = self.append("--lines", "--buffer", "32K", "--batch-size", "8K", "--json", input=content)
        self.assertEqual(1, run.json()["split_lines"])
        self.assert_blob("log", content)

    # --tee

    def test_a_copy_of_the_input_goes_to_standard_output_and_nothing_else(self):
        content = numbered(0, 10_000)
        run = self.append("--tee", "--prefix", "x", input=content)
        self.assertEqual(content, run.out)
        self.assertEqual(len(content) + 10_000, self.length())
        self.append("--tee", "--json", input=b"x", code=64)

    def test_a_reader_of_the_copy_that_has_gone_changes_nothing_in_the_blob(self):
        read, write = os.pipe()
        os.close(read)
        running = self.start_append("--tee", stdout=write)
        os.close(write)
        content = numbered(0, 1000)
        self.write.write(content)
        self.write.close()
        run = running.finish()
        self.assertEqual(0, run.code, f"\n{run}")
        self.assertIn("its reader has gone", run.messages)
        self.assert_blob("log", content)

    # --on-full, without a spool

    def test_a_full_buffer_stops_the_pipe_and_nothing_is_lost(self):
        via, outage = self.outage()
        running = self.start_append("--lines", "--buffer", "32K", "--batch-size", "8K", via=via)
        content = numbered(0, 10_000)
        written = []
        writer = threading.Thread(target=lambda: written.append(self.write.write(content)), daemon=True)
        writer.start()
        self.until(lambda: via.count("Append Block") >= 2)
        self.assertEqual([], written)
        outage.fault = None
        writer.join(60)
        self.write.close()
        self.assertEqual(0, running.finish().code)
        self.assert_blob("log", content)

    def test_drop_oldest_goes_on_reading_and_counts_what_it_dropped(self):
        via, outage = self.outage()
        running = self.start_append("--lines", "--buffer", "32K", "--batch-size", "8K", "--on-full", "drop-oldest",
                                    via=via)
        content = numbered(0, 10_000)
        self.write.write(content[:2300])
        self.until(lambda: via.count("Append Block") >= 1)
        self.write.write(content[2300:])
        outage.fault = None
        self.write.close()
        run = running.finish()
        self.assertEqual(69, run.code, f"\n{run}")
        dropped, lines = map(int, re.search(r"(\d+) bytes \((\d+) lines\) were dropped", run.messages).groups())
        stored = self.rest.get(self.container, "log")
        self.assertGreater(dropped, 0)
        self.assertEqual(len(content), len(stored) + dropped)
        self.assertEqual(10_000, stored.count(b"\n") + lines)
        numbers = [int(line.split()[1]) for line in stored.splitlines()]
        self.assertEqual(sorted(set(numbers)), numbers, "each once, in order")
        self.assertEqual((0, 9999), (numbers[0], numbers[-1]), "the one that was being sent, and the last one")


class Spool(AppendInput):
    def flags(self, *more):
        return ("--lines", "--batch-size", "8K", "--buffer", "32K", "--on-full", "spool", "--spool-dir", self.spool, *more)

    def setUp(self):
        super().setUp()
        self.via, self.service = self.outage(needed=False)  # a spool is for one address, so all go through the same proxy

    def append(self, *flags, **options):
        return super().append(*self.flags(), *flags, via=self.via, **options)

    def kill_in_outage(self, fault, content, *flags):
        """Returns when all of the content was in the spool and azlock is dead."""
        self.service.fault = fault
        seen = self.via.count("Append Block")
        running = self.start_append(*self.flags(*flags), via=self.via)
        self.write.write(content)
        self.until(lambda: self.via.count("Append Block") > seen and content.splitlines()[-1] in self.spooled())
        running.process.kill()
        running.finish()
        self.service.fault = None

    def test_after_kill_9_in_an_outage_the_next_run_appends_everything_once(self):
        """The input is much more than memory holds; the request that was on its way is not carried out."""
        self.kill_in_outage(fail_before, numbered(0, 20_000))
        self.append(input=numbered(20_000, 20_100))
        self.assert_blob("log", numbered(0, 20_100))
        self.assertEqual([], list(self.spool.iterdir()))

    def test_after_kill_9_what_was_carried_out_without_an_answer_is_not_appended_again(self):
        self.kill_in_outage(drop_reply, numbered(0, 2000))
        self.kill_in_outage(drop_reply, numbered(2000, 2100))
        self.append(input=numbered(2100, 2200))
        self.assert_blob("log", numbered(0, 2200))

    def test_a_lease_that_was_held_throughout_is_gone_on_with_after_kill_9(self):
        for n, fault in enumerate((drop_reply, fail_before)):
            self.kill_in_outage(fault, numbered(n * 500, n * 500 + 500), "--exclusive")
        self.append("--exclusive", input=numbered(1000, 1100))
        self.assert_blob("log", numbered(0, 1100))

    def test_term_in_an_outage_leaves_the_rest_in_the_spool_and_says_so(self):
        running = self.start_append(*self.flags("--shutdown-timeout", "1s"), via=self.via)
        self.write.write(numbered(0, 100))
        self.until(lambda: self.via.count("Append Block") >= 1)
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(69, run.code, f"\n{run}")
        self.assertIn("wait in the spool", run.messages)
        self.service.fault = None
        self.append(input=numbered(100, 200))
        self.assert_blob("log", numbered(0, 200))

    def test_two_writers_cannot_have_one_spool(self):
        self.service.fault = None
        running = self.start_append(*self.flags(), via=self.via)
        self.write.write(b"one\n")
        self.until_blob_has(4)
        run = self.append(input=b"two\n", code=75)
        self.assertIn("--spool-dir", run.messages)
        self.write.close()
        self.assertEqual(0, running.finish().code)
        self.assert_blob("log", b"one\n")

    def test_a_damaged_spool_is_told_and_left_alone(self):
        self.kill_in_outage(fail_before, numbered(0, 2000))
        path = next(self.spool.iterdir())
        content = bytearray(path.read_bytes())
        at = content.index(b"line 000100 ")
        content[at] ^= 1
        path.write_bytes(content)
        run = self.append(input=b"new\n", code=65)
        self.assertIn("damaged", run.messages)
        self.assertIn("move it away", run.messages)
        self.assertEqual(bytes(content), path.read_bytes())
        path.unlink()
        self.rest.lease(self.container, "log", "break", break_period=0)  # the lease of the killed one
        self.append(input=b"new\n")
        self.assert_blob("log", b"new\n")

    def test_a_spool_that_cannot_be_made_is_local_io(self):
        self.spool.write_bytes(b"no folder")
        super().append(*self.flags(), input=b"x\n", code=74)

    def test_a_full_disk_stops_reading_and_everything_arrives(self):
        """A limit on the size of files plays the full disk."""
        running = self.start_append(*self.flags(), via=self.via, wrapper=("prlimit", "--fsize=200000"), restore_signals=False)
        content = numbered(0, 20_000)
        writer = threading.Thread(target=self.write.write, args=(content,), daemon=True)
        writer.start()
        running.until_says("waits until there is room")
        self.service.fault = None
        writer.join(60)
        self.write.close()
        run = running.finish()
        self.assertEqual(0, run.code, f"\n{run}")
        self.assert_blob("log", content)


if __name__ == "__main__":
    unittest.main()
