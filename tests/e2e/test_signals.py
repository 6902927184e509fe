"""A signal ends azlock within two seconds with exit code 128+N, and what was committed stays unchanged."""

import os
import signal
import subprocess
import time
import unittest

from support.case import MIB, Case
from support.faults import service_error, stall

SOON = 30  # seconds; azlock promises two, but the machine may be busy
OLD = b"the old version"


class Signals(Case):
    def assert_ends(self, running, number):
        running.signal(number)
        run = running.finish()
        self.assertEqual(128 + number, run.code, f"\n{run}")
        self.assertLess(run.seconds, SOON)
        return run

    def test_an_upload_that_is_stopped_keeps_its_staged_blocks_and_the_old_blob(self):
        large = self.file("large", 5 * MIB)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number.name):
                name = number.name
                self.rest.put(self.container, name, OLD)
                via = self.proxy()
                # There are two workers, so the third block is sent when one of the first two is done.
                stalled = via.on("Put Block", stall, nth=3, times=None)
                running = self.start("upload", large, self.blob(name), "--block-size", "1MiB", "--concurrency", "2",
                                     "--json", via=via)
                stalled.wait()
                error = self.assert_ends(running, number).error()
                self.assertEqual("cancelled", error["code"])
                self.assert_blob(name, OLD)
                staged = self.rest.blocks(self.container, name)[1]
                self.assertGreaterEqual(len(staged), 1)
                self.assertEqual(0, via.count("Put Block List"))
                self.assertNotIn("Delete Blob", via.operations())

    def test_a_stop_while_the_commit_is_unanswered_says_that_it_may_have_been_done(self):
        via = self.proxy()
        stalled = via.on("Put Block List", stall)
        running = self.start("upload", self.file("large", 2 * MIB), self.blob("b"), "--block-size", "1MiB", "--json",
                             via=via)
        stalled.wait()
        error = self.assert_ends(running, signal.SIGTERM).error()
        self.assertEqual(("cancelled", True), (error["code"], error["may_have_applied"]))

    def test_a_stop_while_waiting_to_try_again_is_heard(self):
        via = self.proxy()
        refused = via.on("Put Blob", service_error(503, "ServerBusy", ("Retry-After", "60")))
        running = self.start("upload", self.file("small", 10), self.blob("b"), via=via)
        refused.wait()
        self.assert_ends(running, signal.SIGTERM)
        self.assertFalse(self.rest.exists(self.container, "b"))

    def test_a_stopped_download_leaves_nothing_and_the_old_file(self):
        self.rest.put(self.container, "b", bytes(9 * MIB))
        target = self.file("target", OLD)
        for number in (signal.SIGINT, signal.SIGTERM):
            via = self.proxy()
            stalled = via.on("Get Blob", stall, nth=3)
            running = self.start("download", self.blob("b"), target, via=via)
            stalled.wait()
            self.assert_ends(running, number)
            self.assertEqual((OLD, ["target"]), (target.read_bytes(), os.listdir(self.work)))

    def test_reads_and_deletes_that_hang_are_stopped(self):
        for arguments in (("list",), ("show", self.blob("b")), ("delete", self.blob("b")),
                          ("container", "create", "abc"), ("download", self.blob("b"), "copy")):
            with self.subTest(arguments=arguments):
                via = self.proxy(upstream=False)
                stalled = via.on(lambda request: True, stall, times=None)
                running = self.start(*arguments, via=via)
                stalled.wait()
                self.assert_ends(running, signal.SIGINT)

    def test_a_reader_that_does_not_read_cannot_hold_it(self):
        self.rest.put(self.container, "b", bytes(9 * MIB))
        running = self.start("download", self.blob("b"), "-")
        os.read(running.process.stdout.fileno(), 1)  # the pipe is full from now on
        running.signal(signal.SIGTERM)
        self.assertEqual(128 + signal.SIGTERM, running.process.wait(SOON))

    def test_standard_input_that_says_nothing_cannot_hold_it(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        running = self.start("list", "--account-key-file", "-", "--account", "aaa", stdin=reader,
                             env={"AZURE_STORAGE_CONNECTION_STRING": None})
        os.close(reader)
        self.wait_until_reading(running.pid)
        self.assert_ends(running, signal.SIGINT)

    def wait_until_reading(self, pid):
        """Waits until its main thread reads standard input."""
        for _ in range(2000):
            with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
                if file.read().startswith("0 0x0 "):
                    return
            time.sleep(0.01)
        self.fail("it never read standard input")

    def test_a_signal_that_the_parent_ignores_stays_ignored(self):
        via = self.proxy()
        stalled = via.on("Put Blob", stall)
        wrapper = ["python3", "-c", "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
                   "os.execv(sys.argv[1], sys.argv[1:])"]
        running = self.start("upload", self.file("small", 10), self.blob("b"), "--timeout", "20s", via=via, wrapper=wrapper)
        stalled.wait()
        running.signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            running.process.wait(0.5)
        self.assert_ends(running, signal.SIGTERM)

    def test_many_signals_at_once_end_it_all_the_same(self):
        via = self.proxy()
        stalled = via.on("Put Block", stall, times=None)
        running = self.start("upload", self.file("large", 4 * MIB), self.blob("b"), "--block-size", "1MiB", via=via)
        stalled.wait()
        for _ in range(20):
            running.process.send_signal(signal.SIGTERM)
        self.assert_ends(running, signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
