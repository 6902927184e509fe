"""Uploads from a pipe or from a command: whole and as expected, or not at all."""

import base64
import hashlib
import os
import signal
import subprocess
import time
import unittest

from support.case import MIB, Case, noise
from support.faults import stall

BLOCK = 64 * 1024
SOON = 30  # seconds; azlock promises two, but the machine may be busy
FLAGS = ("--block-size", "64KiB")
OLD = b"the old version"


class Pipes(Case):
    def setUp(self):
        super().setUp()
        self.via = self.proxy()

    def upload(self, content, *flags, code=0):
        return self.azlock("upload", "-", self.blob("b"), "--json", *FLAGS, *flags, input=content, via=self.via, code=code)

    def exec(self, *command, flags=(), code=0):
        return self.azlock("upload", "--json", *FLAGS, *flags, "--exec", self.blob("b"), "--", *command, via=self.via,
                           code=code)

    def shell(self, script, **options):
        return self.exec("sh", "-c", script, **options)

    def assert_old(self):
        """Nothing was committed over the old version."""
        self.assert_blob("b", OLD)
        self.assertEqual(0, self.via.count("Put Block List"))
        self.assertEqual(0, self.via.count("Put Blob"))

    def marker(self):
        """A number of seconds that no other command on this machine sleeps."""
        return f"600.{os.getpid()}{time.monotonic_ns()}"

    def gone(self, marker, seconds=SOON):
        """True when no process has `marker` among its arguments any more."""
        end = time.monotonic() + seconds
        while self.running_with(marker):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def running_with(self, marker):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if any(word == marker.encode() for word in words):
                found.append(int(pid))
        return found


class StandardInput(Pipes):
    def test_every_length_goes_up_whole(self):
        for size in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 20 * BLOCK + 7):
            with self.subTest(size=size):
                self.via.clear()
                content = noise(size)
                report = self.upload(content).json()
                self.assert_blob("b", content)
                blocks = 0 if size <= BLOCK else -(-size // BLOCK)
                self.assertEqual((size, size, blocks), (report["bytes"], report["sent"], report["blocks"]))
                self.assertEqual(blocks, self.via.count("Put Block"))
                self.assertEqual(1 if blocks == 0 else 0, self.via.count("Put Blob"))

    def test_input_that_dribbles_in_is_gathered_into_blocks(self):
        running = self.start("upload", "-", self.blob("b"), *FLAGS, stdin=subprocess.PIPE, via=self.via)
        content = noise(3 * BLOCK + 5)
        for at in range(0, len(content), 5000):
            running.process.stdin.write(content[at:at + 5000])
            running.process.stdin.flush()
        self.assertEqual(0, running.finish().code)
        self.assert_blob("b", content)
        self.assertEqual([5, BLOCK, BLOCK, BLOCK], sorted(r.length for r in self.via.requests if r.operation == "Put Block"))

    def test_a_file_as_standard_input_is_input_like_any_other(self):
        content = noise(3 * BLOCK)
        with open(self.file("source", content), "rb") as file:
            file.seek(BLOCK)
            running = self.start("upload", "-", self.blob("b"), *FLAGS, stdin=file, via=self.via)
            self.assertEqual(0, running.finish().code)
        self.assert_blob("b", content[BLOCK:])

    def test_the_same_input_again_sends_no_block(self):
        content = noise(10 * BLOCK + 1)
        self.upload(content)
        self.via.clear()
        report = self.upload(content).json()
        self.assertEqual((0, len(content)), (report["sent"], report["reused"]))
        self.assertEqual(0, self.via.count("Put Block"))

    def test_the_memory_for_one_block_must_be_there(self):
        error = self.azlock("upload", "-", self.blob("b"), "--block-size", "8MiB", "--memory", "4MiB", "--json", input=b"x",
                            code=64).error()
        self.assertIn("--memory", error["hint"])

    def test_the_md5_of_the_whole_is_stored_where_it_is_asked_for(self):
        for content in (noise(5 * BLOCK + 3), b"small"):
            self.upload(content, "--put-md5")
            md5 = base64.b64encode(hashlib.md5(content).digest()).decode()
            self.assertEqual(md5, self.rest.head(self.container, "b")["Content-MD5"])

    def test_standard_input_that_is_closed_is_an_error_and_no_empty_blob(self):
        self.rest.put(self.container, "b", OLD)
        self.azlock("upload", "-", self.blob("b"), code=74, wrapper=("sh", "-c", 'exec "$0" "$@" <&-'))
        self.assert_blob("b", OLD)


class Expectations(Pipes):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", OLD)

    def test_what_was_expected_is_committed(self):
        for content in (b"", b"small", noise(5 * BLOCK)):
            self.upload(content, "--expect-size", str(len(content)), "--expect-sha256", hashlib.sha256(content).hexdigest())
            self.assert_blob("b", content)

    def test_another_size_or_sum_is_65_and_the_blob_stays(self):
        for content in (b"", b"small", noise(5 * BLOCK)):
            size, digest = str(len(content)), hashlib.sha256(content).hexdigest()
            for flags in (("--expect-size", str(len(content) + 1)), ("--expect-sha256", hashlib.sha256(b"?").hexdigest()),
                          ("--expect-size", size, "--expect-sha256", "0" * 64),
                          ("--expect-size", "1000000", "--expect-sha256", digest)):
                with self.subTest(size=size, flags=flags):
                    error = self.upload(content, *flags, code=65).error()
                    self.assertEqual("data", error["code"])
                    self.assertIn("nothing was committed", error["message"])
                    self.assert_old()

    def test_they_hold_for_a_commands_output(self):
        self.exec("echo", "hi", flags=("--expect-size", "4"), code=65)
        self.assert_old()
        self.exec("echo", "hi", flags=("--expect-size", "3"))
        self.assert_blob("b", b"hi\n")


class Commands(Pipes):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", OLD)

    def test_what_a_command_writes_is_committed_when_it_exits_with_0(self):
        self.shell("head -c 500000 /dev/zero")
        self.assert_blob("b", bytes(500000))
        self.shell(":")
        self.assert_blob("b", b"")

    def test_a_command_that_fails_commits_nothing_and_its_code_comes_back(self):
        for script in ("exit 7", "echo x; exit 7", "head -c 500000 /dev/zero; exit 7"):
            with self.subTest(script=script):
                error = self.shell(script, code=7).error()
                self.assertIn("exit code 7", error["message"])
                self.assert_old()

    def test_a_command_that_a_signal_kills_is_128_and_its_number(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
            error = self.shell(f"head -c 500000 /dev/zero; kill -{number.value} $$", code=128 + number).error()
            self.assertIn(f"signal {number.value}", error["message"])
            self.assert_old()

    def test_a_command_that_fails_late_after_closing_its_output_commits_nothing(self):
        self.shell("head -c 500000 /dev/zero; exec >&-; sleep 0.2; exit 9", code=9)
        self.assert_old()

    def test_a_command_that_is_not_there_is_127_and_one_that_cannot_run_126(self):
        self.assertIn("no-such-command", self.exec("no-such-command", code=127).error()["message"])
        self.file("plain", b"text").chmod(0o644)
        self.exec("./plain", code=126)
        self.exec(os.fspath(self.work), code=126)
        self.assertEqual([], self.via.requests)
        self.assert_blob("b", OLD)

    def test_all_after_the_first_two_dashes_is_the_commands(self):
        self.exec("printf", "%s|", "--", "-x", "--json", "a b", "--", "")
        self.assert_blob("b", b"--|-x|--json|a b|--||")

    def test_the_command_has_our_standard_input_and_error_and_no_descriptor_of_ours(self):
        run = self.azlock("upload", "--exec", self.blob("b"), "--", "sh", "-c", "cat; echo said >&2; ls /proc/self/fd >&2",
                          input=b"from stdin")
        self.assert_blob("b", b"from stdin")
        said = run.messages.split("\n")
        self.assertEqual("said", said[0])
        self.assertEqual(["0", "1", "2", "3"], [line for line in said[1:] if line.isdigit()])  # 3: the directory itself

    def test_a_command_that_reads_on_when_the_network_fails_is_ended(self):
        self.via.on("Put Block", lambda x: (x.read_body(), x.close()), times=None)
        marker = self.marker()
        self.exec("sh", "-c", f"head -c 500000 /dev/zero; exec sleep {marker}", flags=("--retries", "0"), code=69)
        self.assertTrue(self.gone(marker))
        self.assert_blob("b", OLD)


class Signals(Pipes):
    def assert_stops(self, running, number=signal.SIGTERM, marker=None):
        running.signal(number)
        started = time.monotonic()
        self.assertEqual(128 + number, running.process.wait(60))
        self.assertLess(time.monotonic() - started, SOON)
        if marker:
            left = not self.gone(marker)
            self.end_all(marker)  # it would keep our standard error open
            self.assertFalse(left, "the command is running still")
        run = running.finish()
        self.assertEqual(1, run.messages.count("\n"), f"\n{run}")
        return run

    def wait_until(self, condition):
        end = time.monotonic() + 40
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_a_stop_while_it_waits_for_input_is_heard(self):
        self.rest.put(self.container, "b", OLD)
        for number in (signal.SIGTERM, signal.SIGINT):
            self.via.clear()
            running = self.start("upload", "-", self.blob("b"), *FLAGS, stdin=subprocess.PIPE, via=self.via)
            running.process.stdin.write(noise(3 * BLOCK + 10, seed=number))
            running.process.stdin.flush()
            self.wait_until(lambda: self.via.carried_out("Put Block") == 3)
            run = self.assert_stops(running, number)
            self.assertIn("run the same command again", run.messages)
            self.assert_blob("b", OLD)

    def test_a_stop_ends_the_command_too(self):
        self.rest.put(self.container, "b", OLD)
        for script in ("", "echo x; ", "exec >&-; ", "head -c 300000 /dev/zero; exec >&-; "):
            with self.subTest(script=script):
                marker = self.marker()
                running = self.start("upload", *FLAGS, "--exec", self.blob("b"), "--", "sh", "-c",
                                     f"{script}exec sleep {marker}", via=self.via)
                self.wait_until(lambda marker=marker: self.running_with(marker))
                self.addCleanup(self.end_all, marker)
                self.wait_until_quiet(running.pid)
                self.assert_stops(running, marker=marker)
                self.assert_blob("b", OLD)

    def wait_until_quiet(self, pid):
        """Waits until its main thread is idle: then it has seen the end of the command's output, if there was one."""
        seen, since = None, 0
        while since < 20:
            with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
                now = file.read()
            seen, since = now, since + 1 if now == seen != "running\n" else 0
            time.sleep(0.01)

    def end_all(self, marker):
        for pid in self.running_with(marker):
            os.kill(pid, signal.SIGKILL)

    def test_a_second_run_after_a_kill_sends_only_what_was_not_staged(self):
        content = noise(12 * BLOCK)
        stalled = self.via.on("Put Block", stall, nth=8, times=None)
        source = self.file("source", content)
        with open(source, "rb") as stdin:
            running = self.start("upload", "-", self.blob("b"), *FLAGS, "--concurrency", "2", stdin=stdin, via=self.via)
            stalled.wait()
            running.signal(signal.SIGKILL)
            running.finish()
        staged = len(self.rest.blocks(self.container, "b")[1])
        self.assertGreaterEqual(staged, 6)
        self.via = self.proxy()
        report = self.upload(content).json()
        self.assertEqual((12 - staged, staged * BLOCK), (self.via.count("Put Block"), report["reused"]))
        self.assert_blob("b", content)


class Growing(Case):
    def test_blocks_are_eight_mebibytes_where_no_size_is_given(self):
        content = bytes(17 * MIB)
        report = self.azlock("upload", "-", self.blob("b"), "--json", input=content).json()
        self.assertEqual([8 * MIB, 8 * MIB, MIB], [size for _, size in self.rest.blocks(self.container, "b")[0]])
        self.assertEqual((len(content), 3), (report["bytes"], report["blocks"]))
        self.assert_blob("b", content)


if __name__ == "__main__":
    unittest.main()
