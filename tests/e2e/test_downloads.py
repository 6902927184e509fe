"""A download leaves the whole new file or the file that was there before."""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import MIB, Case, noise
from support.faults import after, before, fail_before, service_error, stall, truncate


class DownloadFailures(Case):
    def setUp(self):
        super().setUp()
        self.content = noise(9 * MIB)
        self.rest.put(self.container, "b", self.content)

    def test_a_good_file_stays_when_a_download_over_it_fails(self):
        target = self.file("target", b"good old content")
        for fault, code in ((service_error(403, "AuthorizationFailure"), 77), (service_error(404, "BlobNotFound"), 79),
                            (fail_before, 69), (truncate, 69)):
            with self.subTest(code=code):
                via = self.proxy()
                via.on("Get Blob", fault, nth=3, times=None)
                self.azlock("download", self.blob("b"), target, "--retries", "1", via=via, code=code)
                self.assertEqual(b"good old content", target.read_bytes())
                self.assertEqual(["target"], os.listdir(self.work))

    def test_a_full_disk_is_74_and_leaves_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small file system needs root")
        mount = self.folder / "small"
        mount.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", mount], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", mount], check=True)
        (mount / "old").write_bytes(b"old")
        run = self.azlock("download", self.blob("b"), mount / "new", code=74)
        self.assertIn("no space left", run.messages)
        self.azlock("download", self.blob("b"), mount / "old", code=74)
        self.assertEqual((["old"], b"old"), (os.listdir(mount), (mount / "old").read_bytes()))

    def test_a_full_disk_shows_before_the_first_range_is_fetched(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small file system needs root")
        mount = self.folder / "small"
        mount.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", mount], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", mount], check=True)
        via = self.proxy()
        self.azlock("download", self.blob("b"), mount / "new", via=via, code=74)
        self.assertEqual(1, len(via.requests))

    def test_what_a_killed_download_leaves_is_swept_by_the_next_one_and_what_a_running_one_writes_is_not(self):
        for _ in range(2):
            via = self.proxy()
            stalled = via.on("Get Blob", stall, nth=2, times=None)
            running = self.start("download", self.blob("b"), "copy", via=via)
            stalled.wait()
            self.assertEqual(1, len(self.leftovers()))
            running.signal(signal.SIGKILL)
            running.finish()
            left = self.leftovers()
            self.assertEqual(1, len(left))
        via = self.proxy()
        stalled = via.on("Get Blob", stall, nth=2, times=None)
        running = self.start("download", self.blob("b"), "copy", via=via)
        stalled.wait()
        being_written = self.leftovers()
        self.assertNotEqual(left, being_written)
        self.azlock("download", self.blob("b"), "other")
        self.assertEqual(being_written, self.leftovers())
        running.signal(signal.SIGTERM)
        running.finish()
        self.assertEqual(["other"], os.listdir(self.work))

    def test_a_full_standard_output_is_74(self):
        for arguments in (("download", self.blob("b"), "-"), ("list", self.container), ("show", self.blob("b")),
                          ("show", self.blob("b"), "--json"), ("--version",), ("--help",)):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                run = self.azlock(*arguments, stdout=full, code=74)
                if arguments != ("--help",):
                    self.assertIn("no space left", run.messages)

    def test_a_place_that_cannot_be_written_is_74_before_anything_is_fetched(self):
        via = self.proxy()
        (self.work / "folder").mkdir()
        for place in ("no/such/folder/file", "/proc/file", "x" * 256):
            with self.subTest(place=place[:20]):
                self.azlock("download", self.blob("b"), place, via=via, code=74)
        self.assertEqual([], via.requests)

    def test_a_device_and_a_pipe_are_written_in_place(self):
        self.azlock("download", self.blob("b"), "/dev/null")
        self.assertTrue(Path("/dev/null").is_char_device())
        os.mkfifo(self.work / "pipe")
        running = self.start("download", self.blob("b"), "pipe")
        received = (self.work / "pipe").read_bytes()
        self.assertEqual(0, running.finish().code)
        self.assertTrue(self.content == received)

    def test_a_removed_blob_in_the_middle_is_79_and_leaves_nothing(self):
        via = self.proxy()
        via.on("Get Blob", before(lambda: self.rest.request("DELETE", self.container, "b")), nth=2)
        self.azlock("download", self.blob("b"), "copy", via=via, code=79)
        self.assertEqual([], os.listdir(self.work))


class ChangingBlobs(Case):
    def setUp(self):
        super().setUp()
        self.versions = 0
        self.change()

    def change(self):
        self.versions += 1
        self.content = noise(9 * MIB, seed=self.versions)
        self.rest.put(self.container, "b", self.content)

    def test_a_blob_that_changes_once_is_fetched_again_whole(self):
        via = self.proxy()
        via.on("Get Blob", after(self.change), nth=1)
        self.azlock("download", self.blob("b"), "copy", via=via)
        self.assertEqual(2, self.versions)
        self.assertTrue(self.content == (self.work / "copy").read_bytes(), "the copy is no single version")

    def test_a_blob_that_shrinks_meanwhile_is_fetched_again_whole(self):
        via = self.proxy()
        via.on("Get Blob", after(lambda: self.rest.put(self.container, "b", b"short")), nth=1)
        self.azlock("download", self.blob("b"), "copy", via=via)
        self.assertEqual(b"short", (self.work / "copy").read_bytes())

    def test_a_blob_that_always_changes_is_73_and_leaves_the_old_file(self):
        target = self.file("target", b"good old content")
        via = self.proxy()
        first = via.on(lambda request: request.headers.get("x-ms-range", "").startswith("bytes=0-"), after(self.change),
                       times=None)
        run = self.azlock("download", self.blob("b"), target, "--json", via=via, code=73)
        self.assertIn("changed", run.error()["message"])
        self.assertEqual(3, first.fired)
        self.assertEqual((b"good old content", ["target"]), (target.read_bytes(), os.listdir(self.work)))

    def test_standard_output_cannot_start_again_so_a_change_is_73(self):
        old = self.content
        via = self.proxy()
        via.on("Get Blob", after(self.change), nth=1)
        run = self.azlock("download", self.blob("b"), "-", via=via, code=73)
        self.assertTrue(old.startswith(run.out), "bytes of two versions on standard output")
        self.assertIn("changed", run.messages)


class GrowingBlobs(Case):
    def setUp(self):
        super().setUp()
        self.content = noise(9 * MIB)
        self.rest.request("PUT", self.container, "log", headers={"x-ms-blob-type": "AppendBlob"})
        for at in range(0, len(self.content), 3 * MIB):
            self.append(self.content[at:at + 3 * MIB])

    def append(self, content):
        self.rest.request("PUT", self.container, "log", query={"comp": "appendblock"}, body=content)

    def test_a_growing_append_blob_is_downloaded_as_it_was_at_the_start(self):
        for target in (self.work / "target", "-"):
            with self.subTest(target=target):
                start = self.rest.get(self.container, "log")
                via = self.proxy()
                via.on("Get Blob", before(lambda: self.append(b"more")), nth=2, times=2)
                run = self.azlock("download", self.blob("log"), target, via=via)
                got = run.out if target == "-" else target.read_bytes()
                self.assertTrue(start == got)

    def test_follow_prints_what_is_appended_through_a_rotation(self):
        follow = self.start("download", self.blob("log"), "--follow", "--interval", "100ms", "--timeout", "60s")
        self.azlock("append", self.blob("log"), "--seal", input=b"one line\n")
        self.azlock("append", self.blob("log"), "--rotate", "--seal", input=b"another line\n")
        wanted = self.content + b"one line\nanother line\n"
        self.assertTrue(follow.process.stdout.read(len(wanted)) == wanted)
        follow.signal(signal.SIGTERM)
        self.assertEqual(143, follow.finish().code)


class Readers(Case):
    """The reader of standard output may go away."""

    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", noise(9 * MIB))
        for number in range(3):
            self.rest.put(self.container, f"{number}-" + "x" * 1000, b"")

    def shell(self, script):
        with tempfile.TemporaryFile() as err:
            out = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err,
                                 env={**self.environment(), "AZLOCK": self.azlock_path, "BLOB": self.blob("b"),
                                      "CONTAINER": self.container}, timeout=60, check=False)
            err.seek(0)
            return out.stdout, err.read().decode()

    def test_a_reader_that_has_had_enough_ends_a_download_quietly(self):
        out, err = self.shell('"$AZLOCK" download "$BLOB" - | head -c 1 | wc -c; echo "${PIPESTATUS[0]}"')
        self.assertEqual((["1", "141"], ""), (out.decode().split(), err))

    def test_a_reader_that_is_gone_ends_any_command_quietly(self):
        for arguments in (("list", self.container), ("list",), ("show", self.blob("b")), ("show", self.blob("b"), "--json"),
                          ("--version",), ("--help",)):
            with self.subTest(arguments=arguments):
                reader, writer = os.pipe()
                os.close(reader)
                run = self.start(*arguments, stdout=writer).finish()
                os.close(writer)
                self.assertEqual((-signal.SIGPIPE, b""), (run.code, run.err))

    def test_a_closed_standard_output_is_74(self):
        for command in ("list $CONTAINER", "download $BLOB -", "show $BLOB", "--version", "container create ${CONTAINER}2"):
            with self.subTest(command=command):
                out, err = self.shell(f'"$AZLOCK" {command} >&-; echo "$?" >&2')
                code = err.splitlines()[-1]
                self.assertEqual("0" if "create" in command else "74", code, err)

    def test_a_closed_standard_output_gets_no_other_file_written(self):
        # Descriptor 1 must not become a socket or the file that is downloaded.
        out, err = self.shell(f'cd "{self.work}" && "$AZLOCK" download "$BLOB" copy >&- 2>&- <&-; echo "$?"')
        self.assertEqual(("0\n", ""), (out.decode(), err))
        self.assert_blob("b", (self.work / "copy").read_bytes())


if __name__ == "__main__":
    unittest.main()
