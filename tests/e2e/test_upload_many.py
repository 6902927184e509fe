"""Many files in one command: which file becomes which blob; one that fails stops no other."""

import base64
import hashlib
import json
import os
import signal
import unittest

from support.case import MIB, Case
from support.faults import before, drop_reply, service_error, stall


class Many(Case):
    def setUp(self):
        super().setUp()
        self.via = self.proxy()

    def tree(self, *names, below="d"):
        """Files in work/`below`, each holding its own name."""
        for name in names:
            path = self.work / below / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(path.name.encode())

    def upload(self, *arguments, code=0, **options):
        run = self.azlock("upload", *arguments, "--json", via=self.via, code=code, **options)
        return run.json()

    def blobs(self):
        lines = self.azlock("list", self.container, "--json").lines()
        return {line["name"]: line for line in lines}

    def assert_blobs(self, *names):
        self.assertEqual(sorted(names), sorted(self.blobs()))

    def refused(self, *arguments, saying, code=64):
        self.via.clear()
        run = self.azlock("upload", *arguments, via=self.via, code=code)
        self.assertIn(saying, run.messages)
        self.assertEqual([], self.via.requests)


class Names(Many):
    def test_a_directory_becomes_blobs_below_its_name(self):
        self.tree("a", "sub/b", "sub/deeper/c")
        report = self.upload("-r", "d", self.blob("to/"))
        self.assert_blobs("to/d/a", "to/d/sub/b", "to/d/sub/deeper/c")
        self.assert_blob("to/d/sub/deeper/c", b"c")
        self.assertEqual((3, 3, 0, 3, 3), tuple(report[k] for k in ("files", "uploaded", "failed", "bytes", "requests")))

    def test_what_is_in_a_directory_can_be_meant(self):
        self.tree("a", "sub/b")
        for source in ("d/.", "."):
            self.upload("-r", source, self.blob(source.replace("/", "") + "x/"))
        self.assert_blobs(".x/d/a", ".x/d/sub/b", "d.x/a", "d.x/sub/b")

    def test_several_files_and_directories_go_together_into_a_container(self):
        self.tree("a", "sub/b")
        self.file("one", b"1")
        self.file("two", b"2")
        self.upload("-r", "one", "d", "two", self.container)
        self.assert_blobs("one", "two", "d/a", "d/sub/b")

    def test_names_with_blanks_and_letters_of_all_kinds(self):
        names = ["with blank", "Пётр/ü ñ 🔒", "100%+#?&=", "-dash", "a'b\"c"]
        self.tree(*names)
        self.upload("-r", "d", self.container)
        for name in names:
            self.assert_blob("d/" + name, name.rsplit("/", 1)[-1].encode())

    def test_a_name_that_no_blob_can_have_fails_alone(self):
        self.tree("good", "new\nline", "tab\there")
        self.file(b"d/bad\xff", b"x")
        run = self.azlock("upload", "-r", "d", self.container, "--json", code=64)
        report = run.json()
        self.assertEqual((1, 3), (report["uploaded"], report["failed"]))
        self.assert_blobs("d/good")
        self.assertEqual(1, run.err.count(b"\n"))
        run = self.azlock("upload", "-r", "d", self.container, code=64)
        self.assertIn("control character", run.messages)
        self.assertEqual(5, run.messages.count("\n"), "three failures, the summary and the error")

    def test_two_sources_for_one_blob_are_refused_before_anything_is_sent(self):
        self.tree("same", below="d")
        self.tree("same", below="e")
        self.refused("d/same", "e/same", self.container, saying="would both become the blob 'same'")

    def test_one_source_named_twice_is_one_blob(self):
        self.tree("same")
        self.assertEqual(1, self.upload("d/same", "./d/same", self.container)["uploaded"])

    def test_several_sources_cannot_become_one_blob(self):
        self.tree("a", "b")
        self.refused("d/a", "d/b", self.blob("x"), saying="cannot become the one blob 'x'")
        self.refused("-r", "d", self.blob("x"), saying="cannot become the one blob 'x'")
        self.refused("d", self.blob("x/"), saying="-r")

    def test_empty_files_and_directories(self):
        self.tree("a")
        (self.work / "d/empty").write_bytes(b"")
        (self.work / "d/folder").mkdir()
        self.upload("-r", "d", self.container)
        self.assert_blobs("d/a", "d/empty")
        self.assert_blob("d/empty", b"")

    def test_small_and_large_files_go_together(self):
        self.tree(*[f"small-{number:03}" for number in range(60)])
        large = [self.file(f"d/large-{number}", 3 * MIB + number) for number in range(3)]
        report = self.upload("-r", "d", self.container, "--block-size", "512KiB", "--concurrency", "4")
        self.assertEqual((63, 0), (report["uploaded"], report["failed"]))
        for path in large:
            self.assert_blob("d/" + path.name, path.read_bytes())
        for number in range(60):
            self.assert_blob(f"d/small-{number:03}", f"small-{number:03}".encode())
        self.assertLessEqual(self.via.connections, 8)
        # The small ones do not wait until the large ones are done.
        order = self.via.operations()
        self.assertLess(order.index("Put Blob"), len(order) - 1 - order[::-1].index("Put Block List"))


class Choosing(Many):
    def test_include_and_exclude(self):
        self.tree("a.txt", "b.log", "sub/c.txt", "sub/d.log", "cache/e.txt")
        self.upload("-r", "d", self.blob("x/"), "--include", "*.txt", "--exclude", "cache")
        self.assert_blobs("x/d/a.txt", "x/d/sub/c.txt")
        self.upload("-r", "d", self.blob("y/"), "--exclude", "*.log", "--exclude", "sub/c.txt")
        self.assertEqual({"y/d/a.txt", "y/d/cache/e.txt"}, {n for n in self.blobs() if n.startswith("y/")})

    def test_they_hold_for_a_single_file_too(self):
        self.tree("a.txt")
        for flags in (("--exclude", "*.txt"), ("--include", "*.log")):
            with self.subTest(flags=flags):
                self.azlock("upload", "d/a.txt", self.blob("x"), *flags, via=self.via, code=None)
                self.assertFalse(self.rest.exists(self.container, "x"))

    def test_symlinks(self):
        self.tree("real", "sub/inner")
        (self.work / "outside").mkdir()
        self.tree("far", below="outside")
        os.symlink("real", self.work / "d/link")
        os.symlink("../outside", self.work / "d/folder-link")
        os.symlink("..", self.work / "d/sub/loop")
        run = self.azlock("upload", "-r", "d", self.blob("skip/"), via=self.via)
        self.assertIn("link", run.messages)
        self.assert_blobs("skip/d/real", "skip/d/sub/inner")
        self.upload("-r", "d", self.blob("follow/"), "--symlinks", "follow")
        self.assertEqual({"d/real", "d/sub/inner", "d/link", "d/folder-link/far"},
                         {n[7:] for n in self.blobs() if n.startswith("follow/")})
        report = self.upload("-r", "d", self.blob("refuse/"), "--symlinks", "refuse", code=64)
        self.assertEqual((3, 2), (report["failed"], report["uploaded"]))

    def test_a_link_as_the_only_source_is_followed_unless_links_are_refused(self):
        self.tree("real")
        os.symlink("real", self.work / "d/link")
        self.azlock("upload", "d/link", self.blob("x"), via=self.via)
        self.assert_blob("x", b"real")
        self.azlock("upload", "d/link", self.blob("y"), "--symlinks", "refuse", via=self.via, code=64)
        self.assertFalse(self.rest.exists(self.container, "y"))

    def test_files_from_a_list(self):
        self.tree("a", "sub/b", "sub/new\nline", "other")
        self.file("list", b"d/a\n./d//sub/b\n")
        self.upload("--files-from", "list", self.blob("x/"))
        self.assert_blobs("x/d/a", "x/d/sub/b")
        self.upload("--files-from", "-", self.blob("y/"), input=b"d/a\nd/other")
        self.upload("--files-from", "-", "--null", self.blob("z/"), input=b"d/sub/b\0d/a\0")
        self.assert_blobs("x/d/a", "x/d/sub/b", "y/d/a", "y/d/other", "z/d/a", "z/d/sub/b")
        run = self.azlock("upload", "--files-from", "-", "--null", self.blob("n/"), input=b"d/sub/new\nline\0", code=64)
        self.assertIn("control character", run.messages)  # it is read as one path, but a blob cannot have this name

    def test_a_list_that_names_what_is_not_there_fails_for_that_alone(self):
        self.tree("a")
        report = self.upload("--files-from", "-", self.blob("x/"), input=b"d/none\nd/a\n../up\n", code=66)
        self.assertEqual((1, 2), (report["uploaded"], report["failed"]))
        self.assert_blobs("x/d/a")
        self.refused("--files-from", "no-such-list", self.container, saying="no-such-list", code=66)

    def test_a_dry_run_sends_nothing_and_says_what_it_would(self):
        self.tree("a", "sub/b")
        run = self.azlock("upload", "-r", "d", self.blob("x/"), "--dry-run", via=self.via)
        self.assertEqual(f"d/a -> {self.blob('x/d/a')}\nd/sub/b -> {self.blob('x/d/sub/b')}\n", run.text)
        lines = self.azlock("upload", "-r", "d", self.blob("x/"), "--dry-run", "--json", via=self.via).lines()
        self.assertEqual([{"source": "d/a", "target": self.blob("x/d/a"), "bytes": 1},
                          {"source": "d/sub/b", "target": self.blob("x/d/sub/b"), "bytes": 1}], lines)
        self.azlock("upload", "d/a", self.blob("y"), "--dry-run", via=self.via)
        self.azlock("upload", "-", self.blob("y"), "--dry-run", via=self.via, input=b"x", code=None)
        self.azlock("upload", "--dry-run", "--exec", self.blob("y"), "--", "echo", "x", via=self.via, code=None)
        self.assertEqual([], self.via.requests)


class Failing(Many):
    def test_a_file_that_vanishes_stops_no_other_and_the_exit_code_tells(self):
        self.tree(*[f"f{number}" for number in range(8)])
        # The first request waits until a file that was found is gone.
        self.via.on("Put Blob", before((self.work / "d/f7").unlink), nth=1)
        run = self.azlock("upload", "-r", "d", self.container, "--concurrency", "1", via=self.via, code=66)
        self.assertEqual({f"d/f{number}" for number in range(7)}, set(self.blobs()))
        self.assertIn("FAILED: ", run.messages)
        self.assertIn("d/f7", run.messages)
        self.assertIn("uploaded 7 files", run.messages)
        self.assertIn("1 of 8 files failed", run.messages)
        self.assertEqual(b"", run.out)

    def test_the_json_summary_names_what_failed(self):
        self.tree("a", "b", "c")
        self.via.on(lambda r: r.operation == "Put Blob" and r.raw_path.endswith("/b"), service_error(403, "BlobImmutableDueToPolicy"))
        run = self.azlock("upload", "-r", "d", self.container, "--json", via=self.via, code=73)
        report = run.json()
        self.assertEqual({"target", "files", "uploaded", "unchanged", "skipped_existing", "left_out", "failed", "not_finished",
                          "failures", "bytes", "sent", "reused", "requests", "retries", "seconds"}, set(report))
        self.assertEqual(3, report["uploaded"] + report["failed"] + report["not_finished"])
        self.assertEqual([self.blob("d/b")], [failure["target"] for failure in report["failures"]])
        self.assertEqual(1, run.err.count(b"\n"))
        json.loads(run.err)

    def test_an_immutable_blob_among_many_fails_alone(self):
        # A 403 for one blob does not mean that the account refuses all.
        self.tree("a", "b", "c", "e", "f")
        self.via.on(lambda r: r.operation == "Put Blob" and r.raw_path.endswith("/b"),
                    service_error(409, "BlobImmutableDueToPolicy"))
        report = self.upload("-r", "d", self.container, "--concurrency", "1", code=None)
        self.assertEqual((4, 1, 0), (report["uploaded"], report["failed"], report["not_finished"]))

    def test_a_leased_blob_among_many_fails_alone_with_75(self):
        self.tree("a", "b", "c")
        self.rest.put(self.container, "d/b", b"leased")
        self.rest.lease(self.container, "d/b", "acquire", duration=-1)
        report = self.upload("-r", "d", self.container, code=75)
        self.assertEqual((2, 1), (report["uploaded"], report["failed"]))
        self.assert_blob("d/b", b"leased")

    def test_a_missing_container_is_one_error_and_not_one_for_each_file(self):
        self.tree(*[f"f{number}" for number in range(40)])
        run = self.azlock("upload", "-r", "d", "no-such-container", "--concurrency", "2", via=self.via, code=79)
        self.assertLess(len(self.via.requests), 8)
        self.assertLess(run.messages.count("\n"), 8)
        self.assertIn("--create-container", run.messages)
        self.via.clear()
        new = self.container + "-new"
        self.azlock("upload", "-r", "d", new, "--create-container", via=self.via)
        self.assertEqual(40, len(self.azlock("list", new, "--json").lines()))

    def test_a_wrong_key_is_one_error(self):
        self.tree(*[f"f{number}" for number in range(40)])
        self.via.on("Put Blob", service_error(403, "AuthenticationFailed"), times=None)
        run = self.azlock("upload", "-r", "d", self.container, "--concurrency", "2", via=self.via, code=77)
        self.assertLess(run.messages.count("\n"), 8)
        self.assertLess(len(self.via.requests), 10)

    def test_lost_answers_and_busy_spells_are_repaired_file_by_file(self):
        self.tree(*[f"f{number}" for number in range(10)])
        self.via.on("Put Blob", drop_reply, nth=2, times=3)
        self.via.on("Put Blob", service_error(503, "ServerBusy", ("Retry-After", "1")), nth=7, times=2)
        report = self.upload("-r", "d", self.container)
        self.assertEqual((10, 0), (report["uploaded"], report["failed"]))
        for number in range(10):
            self.assert_blob(f"d/f{number}", f"f{number}".encode())

    def test_a_stop_says_what_is_missing_and_how_to_go_on(self):
        self.tree(*[f"f{number}" for number in range(4)])
        stalled = self.via.on(lambda r: r.raw_path.endswith("/f2"), stall, times=None)
        running = self.start("upload", "-r", "d", self.container, "--concurrency", "1", via=self.via)
        stalled.wait()
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(143, run.code, f"\n{run}")
        self.assertLess(run.seconds, 30)  # two are promised; the machine may be busy
        self.assertIn("uploaded 2 files", run.messages)
        self.assertRegex(run.messages, "(?i)2 (files )?not|run the same command again")
        self.azlock("upload", "-r", "d", self.container)
        self.assert_blobs("d/f0", "d/f1", "d/f2", "d/f3")


class AlreadyThere(Many):
    def setUp(self):
        super().setUp()
        self.tree("a", "b", "c")
        self.large = self.file("d/large", 2 * MIB)

    def test_no_overwrite_leaves_what_is_there(self):
        etag = self.rest.put(self.container, "d/b", b"the older b")
        report = self.upload("-r", "d", self.container, "--no-overwrite", "--block-size", "512KiB")
        self.assertEqual((3, 1, 0), (report["uploaded"], report["skipped_existing"], report["failed"]))
        self.assertEqual(etag, self.rest.head(self.container, "d/b")["ETag"])
        self.via.clear()
        report = self.upload("-r", "d", self.container, "--no-overwrite", "--block-size", "512KiB")
        self.assertEqual((0, 4), (report["uploaded"], report["skipped_existing"]))
        self.assertEqual(0, self.via.count("Put Block"))
        run = self.azlock("upload", "-r", "d", self.container, "--no-overwrite")
        self.assertIn("4 there already", run.messages)

    def test_no_overwrite_means_the_same_for_a_single_file_and_a_pipe(self):
        self.rest.put(self.container, "x", b"older")
        self.assertIn("left alone", self.azlock("upload", "d/a", self.blob("x"), "--no-overwrite").messages)
        report = self.azlock("upload", "d/a", self.blob("x"), "--no-overwrite", "--json").json()
        self.assertEqual((True, 0, None), (report["existed"], report["sent"], report["proof"]))
        self.azlock("upload", "-", self.blob("x"), "--no-overwrite", input=b"newer")
        self.assert_blob("x", b"older")

    def test_skip_unchanged_writes_what_changed_alone(self):
        flags = ("--skip-unchanged", "--block-size", "512KiB")
        self.upload("-r", "d", self.container, *flags)
        before = {name: line["etag"] for name, line in self.blobs().items()}
        self.via.clear()
        report = self.upload("-r", "d", self.container, *flags)
        self.assertEqual((0, 4, 0), (report["uploaded"], report["unchanged"], report["sent"]))
        self.assertLessEqual(set(self.via.operations()), {"Get Blob Properties", "Get Block List"})
        (self.work / "d/b").write_bytes(b"B")
        with open(self.large, "r+b") as file:
            file.write(b"changed")
        report = self.upload("-r", "d", self.container, *flags)
        self.assertEqual((2, 2, 1 + MIB // 2), (report["uploaded"], report["unchanged"], report["sent"]))
        after = {name: line["etag"] for name, line in self.blobs().items()}
        self.assertEqual({"d/b", "d/large"}, {name for name in after if after[name] != before[name]})
        self.assertIn("4 unchanged", self.azlock("upload", "-r", "d", self.container, *flags).messages)

    def test_one_unchanged_file_is_read_and_not_sent(self):
        self.upload("d/large", self.container, "--block-size", "512KiB")
        report = self.upload("d/large", self.container, "--block-size", "512KiB", "--skip-unchanged")
        self.assertEqual((True, 0, 2 * MIB), (report["unchanged"], report["sent"], report["reused"]))


class Content(Many):
    def test_types_come_from_the_names_and_other_properties_go_on_every_blob(self):
        self.tree("page.html", "data.json", "picture.png", "what.ever-is-this", "archive.tar.gz")
        self.upload("-r", "d", self.container, "--cache-control", "no-store", "--metadata", "job=17", "--tier", "Cool",
                    "--content-encoding", "identity", "--content-disposition", "inline", "--tags", "team=a")
        types = {name: line["content_type"] for name, line in self.blobs().items()}
        self.assertEqual({"d/page.html": "text/html", "d/data.json": "application/json", "d/picture.png": "image/png",
                          "d/what.ever-is-this": "application/octet-stream"},
                         {name: kind for name, kind in types.items() if not name.endswith("gz")})
        self.assertRegex(types["d/archive.tar.gz"], "gzip|compressed-tar")
        for name in types:
            head = self.rest.head(self.container, name)
            self.assertEqual(("no-store", "17", "Cool", "identity", "inline", "1"),
                             tuple(head[key] for key in ("Cache-Control", "x-ms-meta-job", "x-ms-access-tier",
                                                         "Content-Encoding", "Content-Disposition", "x-ms-tag-count")))

    def test_a_type_that_is_given_holds_for_all(self):
        self.tree("page.html", "data.json")
        self.upload("-r", "d", self.container, "--content-type", "text/x-odd")
        self.assertEqual({"text/x-odd"}, {line["content_type"] for line in self.blobs().values()})

    def test_properties_go_on_a_blob_in_blocks_as_well(self):
        self.file("page.html", 2 * MIB)
        self.upload("page.html", self.container, "--block-size", "512KiB", "--put-md5", "--tags", "team=a b",
                    "--metadata", "job=17", "--tier", "cool")
        head = self.rest.head(self.container, "page.html")
        md5 = base64.b64encode(hashlib.md5((self.work / "page.html").read_bytes()).digest()).decode()
        self.assertEqual(("text/html", "17", "Cool", "1", md5),
                         tuple(head[key] for key in ("Content-Type", "x-ms-meta-job", "x-ms-access-tier", "x-ms-tag-count",
                                                     "Content-MD5")))


if __name__ == "__main__":
    unittest.main()
