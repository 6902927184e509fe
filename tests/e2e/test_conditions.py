"""Conditions and leases: the service decides, and the exit code says what it decided."""

import os
import signal
import unittest

from support.case import MIB, Case, noise
from support.faults import after, before, stall, truncate

STALE = '"0x8DC000000000000"'


class Conditions(Case):
    def setUp(self):
        super().setUp()
        self.small = self.file("small", b"small")
        self.large = self.file("large", 3 * MIB)
        self.etag = self.rest.put(self.container, "b", b"old")
        self.via = self.proxy()

    def uploads(self):
        """(file, flags): one file that needs a single request, one of several blocks."""
        return ((self.small, ()), (self.large, ("--block-size", "1MiB")))

    def refused(self, code, *arguments, service_code=None):
        error = self.azlock(*arguments, "--json", via=self.via, code=code).error()
        if service_code:
            self.assertEqual(service_code, error["service_code"])
        self.assert_blob("b", b"old")

    def test_a_blob_that_must_be_new_and_is_not_is_73(self):
        for source, flags in self.uploads():
            self.refused(73, "upload", source, self.blob("b"), "--if-none-match", "*", *flags)
        # The refusal of the small one is looked at; for the large one the look is enough: no block is sent.
        self.assertEqual(["Put Blob", "Get Blob Properties", "Get Blob Properties"], self.via.operations())

    def test_a_blob_that_must_be_new_and_is_gets_written(self):
        for number, (source, flags) in enumerate(self.uploads()):
            self.azlock("upload", source, self.blob(f"new{number}"), "--if-none-match", "*", *flags)
            self.assert_blob(f"new{number}", source.read_bytes())

    def test_a_stale_etag_is_73_and_nothing_is_sent(self):
        for source, flags in self.uploads():
            self.refused(73, "upload", source, self.blob("b"), "--if-match", STALE, *flags)
        self.assertEqual(["Get Blob Properties"] * 2, self.via.operations())
        self.refused(73, "delete", self.blob("b"), "--if-match", STALE, service_code="ConditionNotMet")
        self.refused(73, "show", self.blob("b"), "--if-match", STALE)
        self.refused(73, "download", self.blob("b"), "copy", "--if-match", STALE)
        self.assertFalse((self.work / "copy").exists())

    def test_an_etag_that_fits_lets_the_write_through_once(self):
        for number, (source, flags) in enumerate(self.uploads()):
            etag = self.rest.put(self.container, f"b{number}", b"old")
            new = self.azlock("upload", source, self.blob(f"b{number}"), "--if-match", etag, *flags).text.strip()
            self.assertNotEqual(etag, new)
            self.assert_blob(f"b{number}", source.read_bytes())
            self.azlock("upload", source, self.blob(f"b{number}"), "--if-match", etag, *flags, code=73)
            self.azlock("delete", self.blob(f"b{number}"), "--if-match", etag, code=73)
            self.azlock("delete", self.blob(f"b{number}"), "--if-match", new)

    def test_an_etag_of_a_blob_that_is_not_there_is_73(self):
        for source, flags in self.uploads():
            self.azlock("upload", source, self.blob("none"), "--if-match", self.etag, *flags, code=73)
            self.azlock("upload", source, self.blob("none"), "--if-match", "*", *flags, code=73)
        self.assertFalse(self.rest.exists(self.container, "none"))

    def test_a_blob_that_changes_between_the_look_and_the_write_is_73_under_a_condition(self):
        for source, flags in self.uploads():
            for condition in ("--if-match", "--if-none-match"):
                with self.subTest(condition=condition, flags=flags):
                    name = f"race{condition}{len(flags)}"
                    value = "*"
                    if condition == "--if-match":
                        value = self.rest.put(self.container, name, b"old")
                    via = self.proxy()
                    via.on("Put Block List" if flags else "Put Blob",
                           before(lambda name=name: self.rest.put(self.container, name, b"somebody else's")))
                    self.azlock("upload", source, self.blob(name), condition, value, *flags, via=via, code=73)
                    self.assert_blob(name, b"somebody else's")

    def test_a_blob_that_changes_meanwhile_is_replaced_whole_without_a_condition(self):
        for source, flags in self.uploads():
            via = self.proxy()
            via.on("Put Block List" if flags else "Put Blob",
                   before(lambda: self.rest.put(self.container, "b", b"somebody else's")))
            self.azlock("upload", source, self.blob("b"), *flags, via=via)
            self.assert_blob("b", source.read_bytes())

    def test_dates_are_conditions_too(self):
        self.azlock("show", self.blob("b"), "--if-modified-since", "2020-01-01")
        self.azlock("show", self.blob("b"), "--if-modified-since", "2099-01-01T00:00:00Z", code=80)
        self.azlock("show", self.blob("b"), "--if-unmodified-since", "Wed, 01 Jan 2020 00:00:00 GMT", code=73)
        for source, flags in self.uploads():
            self.refused(73, "upload", source, self.blob("b"), "--if-unmodified-since", "2020-01-01", *flags)
            self.refused(73, "upload", source, self.blob("b"), "--if-modified-since", "2099-01-01", *flags)
        self.refused(73, "delete", self.blob("b"), "--if-unmodified-since", "2020-01-01")
        self.azlock("upload", self.small, self.blob("b"), "--if-unmodified-since", "2099-01-01")

    def test_a_download_of_what_one_has_already_is_80_and_leaves_the_file(self):
        copy = self.file("copy", b"what I have")
        stat = copy.stat()
        error = self.azlock("download", self.blob("b"), copy, "--if-none-match", self.etag, "--json", code=80).error()
        self.assertEqual(("not_modified", 304), (error["code"], error["http_status"]))
        self.assertEqual((b"what I have", stat.st_mtime_ns, stat.st_ino),
                         (copy.read_bytes(), copy.stat().st_mtime_ns, copy.stat().st_ino))
        self.assertEqual([], self.leftovers())
        self.azlock("show", self.blob("b"), "--if-none-match", self.etag, code=80)
        self.rest.put(self.container, "b", b"new")
        self.azlock("download", self.blob("b"), copy, "--if-none-match", self.etag)
        self.assertEqual(b"new", copy.read_bytes())

    def test_each_condition_holds_for_a_download_and_leaves_the_file_where_it_does_not(self):
        copy = self.file("copy", b"what I have")
        for flags, code in ((("--if-match", STALE), 73), (("--if-none-match", self.etag), 80),
                            (("--if-modified-since", "2099-01-01"), 80), (("--if-unmodified-since", "2020-01-01"), 73),
                            (("--if-match", self.etag, "--if-none-match", self.etag), 80)):
            self.azlock("download", self.blob("b"), copy, *flags, code=code)
            self.azlock("download", self.blob("b"), "-", *flags, code=code)
            self.azlock("show", self.blob("b"), *flags, code=code)
            self.assertEqual(b"what I have", copy.read_bytes())
        for flags in (("--if-match", self.etag), ("--if-none-match", STALE), ("--if-modified-since", "2020-01-01"),
                      ("--if-unmodified-since", "2099-01-01"), ("--if-match", "*", "--if-none-match", STALE)):
            copy.write_bytes(b"what I have")
            self.azlock("download", self.blob("b"), copy, *flags)
            self.assertEqual(b"old", copy.read_bytes())
            self.assertEqual(b"old", self.azlock("download", self.blob("b"), "-", *flags).out)

    def test_not_modified_is_a_notice_that_quiet_silences(self):
        for command in (("show", self.blob("b")), ("download", self.blob("b"), "copy"), ("download", self.blob("b"), "-")):
            run = self.azlock(*command, "--if-none-match", self.etag, code=80)
            self.assertEqual((b"", f"azlock: {self.blob('b')}: not modified\n"), (run.out, run.messages))
            run = self.azlock(*command, "--if-none-match", self.etag, "-q", code=80)
            self.assertEqual((b"", b""), (run.out, run.err))

    def test_two_conditions_on_a_write_and_nonsense_are_64(self):
        for flags in (("--if-match", "a", "--if-none-match", "b"),
                      ("--if-match", "a", "--if-unmodified-since", "2020-01-01"),
                      ("--if-match", "a b"), ("--lease-id", "a\nb"), ("--if-modified-since", "2020-13-01")):
            self.refused(64, "upload", self.small, self.blob("b"), *flags)
            self.refused(64, "delete", self.blob("b"), *flags)
        self.refused(64, "delete", self.blob("b"), "--if-none-match", "*")
        self.refused(64, "delete", self.blob("b"), "--if-none-match", STALE)
        for command in ("show", "download"):
            self.refused(64, command, self.blob("b"), "--if-none-match", "*")
            self.refused(64, command, self.blob("b"), "--if-none-match", STALE, "--etag-file", "etag")
        self.assertEqual([], self.via.operations())


class EtagFiles(Case):
    def setUp(self):
        super().setUp()
        self.etag = self.rest.put(self.container, "b", b"old")
        self.copy, self.saved = self.work / "copy", self.work / "copy.etag"
        self.via = self.proxy()

    def download(self, code=0, via=None):
        return self.azlock("download", self.blob("b"), self.copy, "--etag-file", self.saved, via=via or self.via, code=code)

    def assert_copy(self, content, etag):
        self.assertEqual((content, etag + "\n"), (self.copy.read_bytes(), self.saved.read_text()))
        self.assertEqual([], self.leftovers())

    def test_a_download_in_a_loop_costs_one_small_request_until_something_is_new(self):
        self.download()
        self.assert_copy(b"old", self.etag)
        self.via.clear()
        for _ in range(3):
            self.download(code=80)
        self.assertEqual(["Get Blob"] * 3, self.via.operations())
        self.assertEqual(0, self.via.carried_out("Get Blob"))
        new = self.rest.put(self.container, "b", b"new")
        self.download()
        self.assert_copy(b"new", new)

    def test_a_copy_that_is_missing_is_downloaded_whatever_the_etag(self):
        self.download()
        self.copy.unlink()
        self.download()
        self.assert_copy(b"old", self.etag)

    def test_a_copy_in_a_directory_is_found_there(self):
        folder = self.work / "folder"
        folder.mkdir()
        for code in (0, 80):
            self.azlock("download", self.blob("b"), folder, "--etag-file", self.saved, code=code)
        (folder / "b").unlink()
        self.azlock("download", self.blob("b"), folder, "--etag-file", self.saved)
        self.assertEqual(b"old", (folder / "b").read_bytes())

    def test_a_content_that_cannot_be_kept_leaves_the_etag(self):
        self.download()
        self.rest.put(self.container, "b", noise(MIB))
        self.via.on("Get Blob", truncate, times=None)
        self.azlock("download", self.blob("b"), self.copy, "--etag-file", self.saved, "--retries", "1", via=self.via, code=69)
        self.assert_copy(b"old", self.etag)

    def test_a_blob_that_is_gone_leaves_both_files(self):
        self.download()
        self.rest.request("DELETE", self.container, "b")
        self.download(code=79)
        self.assert_copy(b"old", self.etag)

    def test_a_kill_at_any_moment_never_leaves_an_etag_of_what_is_not_there(self):
        by_etag = {self.rest.put(self.container, "b", content): content for content in (noise(MIB, 1),)}
        self.download()
        inodes = lambda: (self.copy.stat().st_ino, self.saved.stat().st_ino)
        for n in range(15):
            content = noise(MIB, n + 2)
            by_etag[self.rest.put(self.container, "b", content)] = content
            via, before = self.proxy(), inodes()
            moment = via.on("Get Blob", (stall, stall_half_way, after(lambda: None))[n % 3])
            running = self.start("download", self.blob("b"), self.copy, "--etag-file", self.saved, via=via)
            moment.wait()
            if n % 3 == 2:  # between the two files: as soon as one of them is new
                while running.process.poll() is None and inodes() == before:
                    pass
            running.process.kill()
            code = running.process.wait()
            if n % 3 < 2:
                self.assertEqual(-signal.SIGKILL, code)
            # An old ETag for newer content costs only a download. With a new ETag the old content would be kept.
            kept = list(by_etag.values())
            self.assertLessEqual(kept.index(by_etag[self.saved.read_text().strip()]), kept.index(self.copy.read_bytes()))
        self.azlock("download", self.blob("b"), self.copy, "--etag-file", self.saved, code=None)
        self.assertEqual(content, self.copy.read_bytes())

    def test_standard_output_and_show_keep_an_etag_too(self):
        for command in (("download", self.blob("b"), "-"), ("show", self.blob("b"))):
            self.assertIn(b"old" if command[0] == "download" else self.etag.encode(),
                          self.azlock(*command, "--etag-file", self.saved).out)
            self.assertEqual(self.etag + "\n", self.saved.read_text())
            self.assertEqual(b"", self.azlock(*command, "--etag-file", self.saved, code=80).out)
            self.saved.unlink()

    def test_what_is_no_etag_file_is_refused_before_anything_is_asked(self):
        self.copy.write_bytes(b"what I have")
        self.saved.write_text("two words\n")
        self.download(code=65)
        self.azlock("download", self.blob("b"), self.copy, "--etag-file", self.work, via=self.via, code=66)
        self.azlock("show", self.container, "--etag-file", self.work / "none", via=self.via, code=64)
        self.copy.write_bytes(b"")
        self.azlock("download", self.blob("b"), self.copy, "--etag-file", self.copy, via=self.via, code=64)
        self.assertEqual([], self.via.operations())


def stall_half_way(x):
    """Half of the answer, then nothing more."""
    encoded = x.forward().encode()
    x.send(encoded[:len(encoded) // 2])
    x.happened()
    x.stopping.wait()
    x.close()


class Snapshots(Case):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", b"old")
        self.snapshot = self.rest.request("PUT", self.container, "b", query={"comp": "snapshot"})[1]["x-ms-snapshot"]

    def snapshots(self):
        listed = self.rest.request("GET", self.container, query={"restype": "container", "comp": "list",
                                                                 "include": "snapshots"})[2]
        return listed.count(b"<Snapshot>")

    def test_a_blob_with_snapshots_is_deleted_only_where_that_was_said(self):
        run = self.azlock("delete", self.blob("b"), code=73)
        self.assertIn("--snapshots include", run.messages)
        self.assert_blob("b", b"old")
        run = self.azlock("delete", self.blob("b"), "--snapshots", "only")
        self.assertIn("deleted the snapshots of", run.messages)
        self.assertEqual(0, self.snapshots())
        self.assert_blob("b", b"old")
        self.rest.request("PUT", self.container, "b", query={"comp": "snapshot"})
        self.azlock("delete", self.blob("b"), "--snapshots", "include")
        self.assertFalse(self.rest.exists(self.container, "b"))
        self.assertEqual(0, self.snapshots())

    def test_conditions_hold_for_a_delete_with_snapshots(self):
        for snapshots in ("include", "only"):
            self.azlock("delete", self.blob("b"), "--snapshots", snapshots, "--if-match", STALE, code=73)
            self.azlock("delete", self.blob("b"), "--snapshots", snapshots, "--if-unmodified-since", "2020-01-01", code=73)
        self.assertEqual(1, self.snapshots())
        self.assert_blob("b", b"old")


class Leases(Case):
    def setUp(self):
        super().setUp()
        self.small = self.file("small", b"small")
        self.large = self.file("large", 3 * MIB)
        self.rest.put(self.container, "b", b"old")
        self.lease = self.rest.lease(self.container, "b", "acquire", duration=-1)

    def test_a_write_to_a_leased_blob_without_its_id_is_75(self):
        for arguments in (("upload", self.small, self.blob("b")),
                          ("upload", self.large, self.blob("b"), "--block-size", "1MiB"), ("delete", self.blob("b"))):
            error = self.azlock(*arguments, "--json", code=75).error()
            self.assertEqual(("busy", "LeaseIdMissing", True),
                             (error["code"], error["service_code"], error["retryable"]))
            self.assertIn("--lease-id", error["hint"])
        self.assert_blob("b", b"old")

    def test_a_write_with_a_wrong_id_is_75(self):
        wrong = "00000000-0000-0000-0000-00000000e2e0"
        for arguments in (("upload", self.small, self.blob("b")),
                          ("upload", self.large, self.blob("b"), "--block-size", "1MiB"), ("delete", self.blob("b")),
                          ("show", self.blob("b")), ("download", self.blob("b"), "copy")):
            self.azlock(*arguments, "--lease-id", wrong, code=75)
        self.assert_blob("b", b"old")
        self.assertFalse((self.work / "copy").exists())

    def test_reads_need_no_lease_id_and_show_the_lease(self):
        shown = self.azlock("show", self.blob("b"), "--json").json()["lease"]
        self.assertEqual({"state": "leased", "status": "locked", "duration": "infinite"}, shown)
        self.azlock("download", self.blob("b"), "copy")
        self.assertIn("leased", self.azlock("list", self.container).text)

    def test_the_holder_writes_and_keeps_the_lease(self):
        self.azlock("upload", self.small, self.blob("b"), "--lease-id", self.lease)
        self.assert_blob("b", b"small")
        self.azlock("upload", self.large, self.blob("b"), "--block-size", "1MiB", "--lease-id", self.lease)
        self.assert_blob("b", self.large.read_bytes())
        self.assertEqual("leased", self.rest.head(self.container, "b")["x-ms-lease-state"])
        self.azlock("download", self.blob("b"), "copy", "--lease-id", self.lease)
        self.azlock("delete", self.blob("b"), "--lease-id", self.lease)
        self.assertFalse(self.rest.exists(self.container, "b"))

    def test_a_lease_that_is_gone_is_73(self):
        self.rest.lease(self.container, "b", "release", id=self.lease)
        self.azlock("upload", self.small, self.blob("b"), "--lease-id", self.lease, code=73)
        self.azlock("delete", self.blob("b"), "--lease-id", self.lease, code=73)
        self.assert_blob("b", b"old")

    def test_a_lease_id_for_a_blob_that_is_not_there_is_73(self):
        # For a small file the service itself refuses; Azurite does not.
        self.azlock("upload", self.large, self.blob("none"), "--lease-id", self.lease, "--block-size", "1MiB", code=73)
        self.assertFalse(self.rest.exists(self.container, "none"))

    def test_a_lease_lost_while_blocks_are_sent_keeps_the_old_blob(self):
        via = self.proxy()

        def lose():
            self.rest.lease(self.container, "b", "break", **{"break_period": 0})
        via.on("Put Block List", before(lose))
        self.azlock("upload", self.large, self.blob("b"), "--block-size", "1MiB", "--lease-id", self.lease, via=via, code=73)
        self.assert_blob("b", b"old")

    def test_a_leased_container_is_deleted_by_its_holder_only(self):
        self.rest.lease(self.container, "b", "break", **{"break_period": 0})  # else that blob would be the reason
        lease = self.rest.request("PUT", self.container, query={"comp": "lease", "restype": "container"}, headers={
            "x-ms-lease-action": "acquire", "x-ms-lease-duration": -1})[1]["x-ms-lease-id"]
        self.azlock("container", "delete", self.container, "--yes", code=75)
        self.azlock("container", "delete", self.container, "--yes", "--lease-id", os.urandom(16).hex(), code=75)
        self.assertEqual("leased", self.azlock("container", "show", self.container, "--json").json()["lease"]["state"])
        self.azlock("container", "delete", self.container, "--yes", "--lease-id", lease)


if __name__ == "__main__":
    unittest.main()
