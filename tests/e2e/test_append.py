"""append: the input is at the end of the blob, once; if it is not, the message says so."""

import os
import signal
import time
import unittest

from support.case import Case
from support.faults import drop_reply, service_error


class Append(Case):
    def append(self, *arguments, **options):
        return self.azlock("append", *arguments, **options)

    def lease_state(self, name):
        return self.rest.head(self.container, name)["x-ms-lease-state"]

    def test_a_pipe_goes_to_the_end_of_a_blob_that_is_made_for_it(self):
        first = self.append(self.blob("log.txt"), "--json", input=b"one\ntwo\n").json()
        self.assertEqual((self.blob("log.txt"), 8, 2, 1, 0),
                         tuple(first[key] for key in ("target", "bytes", "lines", "blocks", "first_offset")))
        second = self.append(self.blob("log.txt"), "-", "--json", input=b"three").json()
        self.assertEqual(8, second["first_offset"])
        self.assert_blob("log.txt", b"one\ntwo\nthree")
        head = self.rest.head(self.container, "log.txt")
        self.assertEqual(("AppendBlob", "text/plain", "available"),
                         (head["x-ms-blob-type"], head["Content-Type"], head["x-ms-lease-state"]))
        self.assertEqual(head["ETag"], second["etag"])

    def test_standard_output_has_the_etag_and_nothing_else(self):
        run = self.append(self.blob("log"), input=b"x\n")
        self.assertEqual(self.rest.head(self.container, "log")["ETag"], run.text.strip())
        self.assertIn("appended 2 B in 1 block", run.messages)

    def test_a_file_of_several_batches_arrives_whole(self):
        file = self.file("data", 300_000)
        report = self.append(self.blob("b"), file, "--batch-size", "64KiB", "--json").json()
        self.assertEqual(300_000, report["bytes"])
        self.assertEqual(5, report["blocks"])
        self.assert_blob("b", file.read_bytes())

    def test_no_input_makes_an_empty_blob_and_is_no_error(self):
        report = self.append(self.blob("b"), "--json", input=b"").json()
        self.assertEqual((0, None), (report["bytes"], report["first_offset"]))
        self.assertEqual(self.rest.head(self.container, "b")["ETag"], report["etag"])
        self.assert_blob("b", b"")

    def test_what_cannot_be_appended_to_is_refused_with_a_reason(self):
        self.rest.put(self.container, "block", b"x")
        self.append(self.blob("sealed"), "--seal", input=b"x")
        for name, flags, code, words in (("block", (), 73, "block blob"), ("sealed", (), 73, "sealed"),
                                         ("missing", ("--no-create",), 79, "--no-create")):
            with self.subTest(name):
                run = self.append(self.blob(name), *flags, input=b"y", code=code)
                self.assertIn(words, run.messages)
        self.assert_blob("block", b"x")
        self.assert_blob("sealed", b"x")
        self.assertEqual("ContainerNotFound", self.append("none-" + self.container + "/b", "--json", input=b"y",
                                                          code=79).error()["service_code"])

    def test_flags_that_contradict_one_another_are_usage(self):
        for flags in (("--exclusive", "--no-lease"), ("--resume",), ("--rotate", "--no-lease"), ("--max-size", "0"),
                      ("--lease-id", "nonsense"), ("file", "--exec"), ("file", "--resume", "--rotate")):
            with self.subTest(flags):
                run = self.append(self.blob("b"), *flags, input=b"x", code=64)
                self.assertEqual(1, len(run.messages.splitlines()), f"\n{run}")
        self.append(self.container, input=b"x", code=64)
        self.assertFalse(self.rest.exists(self.container, "b"))

    def test_term_ends_a_pipe_in_good_order(self):
        read, write = os.pipe()
        running = self.start("append", self.blob("b"), "--json", "--flush-interval", "1h", stdin=read)
        os.close(read)
        self.addCleanup(os.close, write)
        os.write(write, b"one\n")
        self.until(lambda: self.rest.exists(self.container, "b"))
        os.write(write, b"two\n")
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(0, run.code, f"\n{run}")
        self.assert_blob("b", b"one\ntwo\n")
        self.assertEqual("available", self.lease_state("b"))

    def test_term_in_an_outage_says_how_many_bytes_are_not_in_the_blob(self):
        via = self.proxy()
        via.on("Append Block", service_error(503, "ServerBusy"), times=None)
        read, write = os.pipe()
        running = self.start("append", self.blob("b"), "--shutdown-timeout", "1s", stdin=read, via=via)
        os.close(read)
        self.addCleanup(os.close, write)
        os.write(write, b"0123456789\n")
        self.until(lambda: via.count("Append Block") >= 2)
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(69, run.code, f"\n{run}")
        self.assertIn("11 bytes that were read are not in the blob", run.messages)
        self.assert_blob("b", b"")
        self.assertEqual("available", self.lease_state("b"))

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "this never came true")
            time.sleep(0.02)

    def test_exec_appends_what_the_command_writes_and_ends_with_its_code(self):
        run = self.append("--exec", self.blob("b"), "--json", "--", "sh", "-c", "echo out; echo err >&2; exit 5", code=5)
        self.assertEqual(4, run.json()["bytes"])
        self.assertIn("err", run.messages)
        self.assert_blob("b", b"out\n")
        self.append("--exec", self.blob("b"), "--", "/no/such/command", code=127)
        self.append("--exec", self.blob("b"), "--", "sh", "-c", "kill -9 $$", code=137)

    def test_a_command_is_told_of_the_signal_and_what_it_says_then_is_appended(self):
        script = "trap 'echo goodbye; exit 7' TERM; echo hello; while :; do sleep 0.05; done"
        running = self.start("append", "--exec", self.blob("b"), "--", "sh", "-c", script)
        self.until(lambda: self.rest.exists(self.container, "b") and
                   self.rest.head(self.container, "b")["Content-Length"] == "6")
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(7, run.code, f"\n{run}")
        self.assert_blob("b", b"hello\ngoodbye\n")

    def test_exclusive_keeps_others_out_until_it_ends(self):
        read, write = os.pipe()
        running = self.start("append", self.blob("b"), "--exclusive", stdin=read)
        os.close(read)
        self.until(lambda: self.rest.exists(self.container, "b") and self.lease_state("b") == "leased")
        self.append(self.blob("b"), "--wait", "0", input=b"theirs", code=75)
        os.write(write, b"ours\n")
        os.close(write)
        self.assertEqual(0, running.finish().code)
        self.append(self.blob("b"), input=b"theirs\n")
        self.assert_blob("b", b"ours\ntheirs\n")

    def test_under_the_users_lease_it_appends_and_leaves_the_lease(self):
        self.append(self.blob("b"), input=b"one\n")
        lease = self.rest.lease(self.container, "b", "acquire", duration=60)
        via = self.proxy()
        via.on("Append Block", drop_reply)
        self.append(self.blob("b"), "--lease-id", lease, input=b"two\n", via=via)
        self.assertEqual("leased", self.lease_state("b"))
        self.append(self.blob("b"), "--wait", "0", input=b"x", code=75)
        self.assert_blob("b", b"one\ntwo\n")

    def test_if_match_is_for_the_first_append(self):
        self.append(self.blob("b"), input=b"one\n")
        etag = self.rest.head(self.container, "b")["ETag"]
        self.append(self.blob("b"), "--if-match", etag, "--batch-size", "4", input=b"two\nsix\n")
        self.append(self.blob("b"), "--if-match", etag, input=b"no\n", code=73)
        self.assert_blob("b", b"one\ntwo\nsix\n")

    def test_a_fenced_append_in_a_lock_keeps_an_earlier_holder_out(self):
        append = f"printf 'x\\n' | '{self.azlock_path}' append --fence {self.blob('b')}"
        for _ in range(2):
            self.azlock("lock", "job", "--container", self.container, "--", "sh", "-c", append)
        token = self.rest.head(self.container, "b")["x-ms-meta-azl_fence"]
        by = self.rest.head(self.container, "b")["x-ms-meta-azl_fence_by"]
        self.append(self.blob("b"), f"--fence={int(token) - 1}", "--fence-by", by, input=b"old\n", code=73)
        self.assert_blob("b", b"x\nx\n")

    def test_a_blob_that_reaches_its_size_is_continued_or_an_error(self):
        run = self.append(self.blob("b"), "--max-size", "8", "--batch-size", "4", input=b"aaaabbbbcccc", code=73)
        self.assertIn("--rotate", run.messages)
        self.assertIn("4 bytes that were read are not in the blob", run.messages)
        self.assert_blob("b", b"aaaabbbb")
        report = self.append(self.blob("b"), "--max-size", "8", "--batch-size", "4", "--rotate", "--json",
                             input=b"cccc").json()
        self.assertEqual((self.blob("b.0001"), 1), (report["target"], report["rotations"]))
        self.assert_blob("b.0001", b"cccc")
        self.assertEqual("true", self.rest.head(self.container, "b")["x-ms-blob-sealed"])


if __name__ == "__main__":
    unittest.main()
