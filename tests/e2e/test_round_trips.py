"""Upload, show, list, download, delete, containers: what goes in comes out."""

import os
import unittest

from support.case import MIB, Case, noise
from support.faults import replace_body

STAGED_LISTING = b"""<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs><Blob><Name>staged</Name>
<Properties><Content-Length>0</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob></Blobs>
<NextMarker/></EnumerationResults>"""


class RoundTrips(Case):
    def round_trip(self, size, *flags):
        """Uploads and downloads a file, and compares every byte; returns the JSON of the upload."""
        source = self.file("source", size)
        up = self.azlock("upload", source, self.blob("b"), "--json", *flags).json()
        self.assert_blob("b", source.read_bytes())
        down = self.azlock("download", self.blob("b"), "copy", "--json").json()
        self.assertTrue(source.read_bytes() == (self.work / "copy").read_bytes(), "the copy differs")
        self.assertEqual((size, up["etag"]), (down["bytes"], down["etag"]))
        self.assertEqual(size, up["bytes"])
        self.assertEqual([], self.leftovers())
        return up

    def test_an_empty_file_makes_the_trip(self):
        self.assertEqual(0, self.round_trip(0)["blocks"])

    def test_a_file_of_one_byte_makes_the_trip(self):
        self.assertEqual(0, self.round_trip(1)["blocks"])

    def test_a_file_of_exactly_one_block_is_put_as_one_blob(self):
        self.assertEqual(0, self.round_trip(8 * MIB)["blocks"])
        self.assertEqual(([], []), self.rest.blocks(self.container, "b"))

    def test_a_file_of_one_block_and_a_byte_takes_two_blocks(self):
        self.assertEqual(2, self.round_trip(8 * MIB + 1)["blocks"])
        committed, staged = self.rest.blocks(self.container, "b")
        self.assertEqual(([8 * MIB, 1], []), ([size for _, size in committed], staged))

    def test_forty_mebibytes_in_blocks_of_four_make_the_trip(self):
        self.assertEqual(10, self.round_trip(40 * MIB, "--block-size", "4MiB", "--concurrency", "3")["blocks"])

    def test_equal_blocks_of_one_file_are_all_kept(self):
        source = self.file("zeros", bytes(3 * MIB) + b"x" + bytes(2 * MIB - 1) + bytes(MIB))
        self.azlock("upload", source, self.blob("zeros"), "--block-size", "1MiB")
        self.assert_blob("zeros", source.read_bytes())

    def test_an_upload_replaces_what_was_there_with_its_metadata_and_type(self):
        self.rest.put(self.container, "b", b"old", x_ms_meta_old="1", x_ms_blob_content_type="text/plain")
        self.azlock("upload", self.file("new", 3000), self.blob("b"), "--content-type", "image/png", "--metadata",
                    "owner=me", "--metadata", "job=a=b, c")
        self.assert_blob("b", noise(3000))
        head = self.rest.head(self.container, "b")
        self.assertEqual(("image/png", "me", "a=b, c", None),
                         (head["Content-Type"], head["x-ms-meta-owner"], head["x-ms-meta-job"], head["x-ms-meta-old"]))

    def test_metadata_and_type_reach_a_blob_of_blocks_too(self):
        self.azlock("upload", self.file("new", MIB), self.blob("b"), "--block-size", "256KiB", "--content-type",
                    "image/png", "--metadata", "owner=me")
        head = self.rest.head(self.container, "b")
        self.assertEqual(("image/png", "me"), (head["Content-Type"], head["x-ms-meta-owner"]))

    def test_the_plain_output_of_an_upload_is_its_etag(self):
        run = self.azlock("upload", self.file("a", 10), self.blob("a"))
        self.assertEqual(self.rest.head(self.container, "a")["ETag"] + "\n", run.text)
        self.assertIn("uploaded 10 B", run.messages)

    def test_a_container_or_a_folder_as_destination_takes_the_files_name(self):
        source = self.file("report.txt", b"text")
        self.azlock("upload", source, self.container)
        self.azlock("upload", source, self.blob("2026/11/"))
        self.assert_blob("report.txt", b"text")
        self.assert_blob("2026/11/report.txt", b"text")

    def test_a_download_without_a_file_takes_the_last_part_of_the_blobs_name(self):
        self.rest.put(self.container, "2026/report.txt", b"text")
        self.azlock("download", self.blob("2026/report.txt"))
        self.assertEqual(b"text", (self.work / "report.txt").read_bytes())
        (self.work / "folder").mkdir()
        self.azlock("download", self.blob("2026/report.txt"), "folder")
        self.assertEqual(b"text", (self.work / "folder/report.txt").read_bytes())

    def test_a_download_to_standard_output_is_the_content_and_nothing_else(self):
        content = noise(9 * MIB)
        self.rest.put(self.container, "b", content)
        self.assertTrue(self.azlock("download", self.blob("b"), "-").out == content)

    def test_a_download_replaces_a_file_and_keeps_its_mode(self):
        self.rest.put(self.container, "b", b"new")
        target = self.file("target", b"a longer old content")
        target.chmod(0o640)
        (self.work / "link").symlink_to("target")
        self.azlock("download", self.blob("b"), "link")
        self.assertEqual((b"new", 0o640), (target.read_bytes(), target.stat().st_mode & 0o777))
        self.assertTrue((self.work / "link").is_symlink())

    def test_the_blobs_own_md5_is_checked(self):
        self.rest.put(self.container, "b", b"content", x_ms_blob_content_md5="mgNkuembtIDdJeHwKEyFVQ==")
        self.assertTrue(self.azlock("download", self.blob("b"), "copy", "--json").json()["md5_checked"])
        # The service accepts any value that is set after the upload.
        self.rest.request("PUT", self.container, "b", query={"comp": "properties"},
                          headers={"x-ms-blob-content-md5": "AAAAAAAAAAAAAAAAAAAAAA=="})
        error = self.azlock("download", self.blob("b"), "other", "--json", code=65).error()
        self.assertIn("MD5", error["message"])
        self.assertFalse((self.work / "other").exists())
        self.azlock("download", self.blob("b"), "other", "--no-check-md5")
        self.assertEqual(b"content", (self.work / "other").read_bytes())

    def test_show_tells_what_the_service_knows(self):
        etag = self.rest.put(self.container, "b", bytes(2000), x_ms_meta_owner="me", x_ms_blob_content_type="text/css",
                             x_ms_blob_cache_control="no-store")
        shown = self.azlock("show", self.blob("b"), "--json").json()
        self.assertEqual((etag, 2000, "BlockBlob", "text/css", "no-store", {"owner": "me"}, "available"),
                         (shown["etag"], shown["size"], shown["type"], shown["content_type"], shown["cache_control"],
                          shown["metadata"], shown["lease"]["state"]))
        text = self.azlock("show", self.blob("b")).text
        for expected in (etag, "2000", "text/css", "metadata owner: me", "available"):
            self.assertIn(expected, text)

    def test_list_shows_names_sizes_and_folders(self):
        for name, size in (("a/1", 5), ("a/2", 0), ("b", 7)):
            self.rest.put(self.container, name, bytes(size))
        listed = self.azlock("list", self.container, "--json").lines()
        self.assertEqual([("a/1", 5), ("a/2", 0), ("b", 7)], [(blob["name"], blob["size"]) for blob in listed])
        self.assertEqual(["a/1", "a/2"], [b["name"] for b in self.azlock("list", self.blob("a/"), "--json").lines()])
        self.assertEqual(["b"], [b["name"] for b in self.azlock("list", self.container, "--prefix", "b",
                                                                "--json").lines()])
        self.assertEqual(["a/", "b"], [entry.get("prefix", entry.get("name")) for entry in self.azlock(
            "list", self.container, "--delimiter", "/", "--json").lines()])
        table = self.azlock("list", self.container).text.splitlines()
        self.assertEqual(["5", "a/1"], [table[0].split()[0], table[0].split()[-1]])

    def test_an_etag_is_the_same_text_everywhere(self):
        etag = self.azlock("upload", self.file("a", 10), self.blob("a")).text.strip()
        listed, = self.azlock("list", self.container, "--json").lines()
        shown = self.azlock("show", self.blob("a"), "--json").json()
        self.assertEqual((etag, etag), (listed["etag"], shown["etag"]))
        self.azlock("delete", self.blob("a"), "--if-match", listed["etag"])

    def test_list_follows_all_pages(self):
        for number in range(7):
            self.rest.put(self.container, f"n{number}", b"")
        listed = self.azlock("list", self.container, "--page-size", "3", "--json").lines()
        self.assertEqual([f"n{number}" for number in range(7)], [blob["name"] for blob in listed])

    def test_list_shows_staged_blobs_only_when_asked(self):
        self.rest.stage(self.container, "staged", b"0001", b"x")
        self.assertEqual(b"", self.azlock("list", self.container).out)
        self.assertEqual(["staged"], [entry["name"] for entry in self.azlock(
            "list", self.container, "--uncommitted", "--json").lines()])

    def test_list_marks_staged_blobs(self):
        # The service gives no ETag and no date for these; Azurite does.
        proxy = self.proxy()
        proxy.on("List Blobs", replace_body(STAGED_LISTING), times=2)
        entry, = self.azlock("list", self.container, "--uncommitted", "--json", via=proxy).lines()
        self.assertEqual(("staged", True), (entry["name"], entry["uncommitted"]))
        table = self.azlock("list", self.container, "--uncommitted", via=proxy).text
        self.assertEqual(["staged", "staged"], table.split())

    def test_list_without_a_target_shows_the_containers(self):
        names = [entry["name"] for entry in self.azlock("list", "--json").lines()]
        self.assertIn(self.container, names)
        self.assertIn(self.container, self.azlock("list").text)
        self.assertEqual([self.container], [entry["name"] for entry in self.azlock(
            "list", "--prefix", self.container, "--json").lines()])

    def test_delete_deletes_that_blob_only(self):
        self.rest.put(self.container, "a", b"1")
        self.rest.put(self.container, "ab", b"2")
        self.assertIs(False, self.azlock("delete", self.blob("a"), "--dry-run", "--json").json()["deleted"])
        self.assertTrue(self.rest.exists(self.container, "a"))
        self.assertIs(True, self.azlock("delete", self.blob("a"), "--json").json()["deleted"])
        self.assertEqual((False, True), (self.rest.exists(self.container, "a"), self.rest.exists(self.container, "ab")))

    def test_containers_are_created_shown_and_deleted(self):
        name = "c-" + os.urandom(6).hex()
        self.assertIs(True, self.azlock("container", "create", name, "--metadata", "owner=me", "--json").json()["created"])
        self.azlock("container", "create", name, code=73)
        self.assertIs(False, self.azlock("container", "create", name, "--if-absent", "--json").json()["created"])
        self.assertEqual({"owner": "me"}, self.azlock("container", "show", name, "--json").json()["metadata"])
        self.assertEqual({"owner": "me"}, self.azlock("show", name, "--json").json()["metadata"])
        self.azlock("container", "delete", name, "--dry-run")
        self.azlock("container", "show", name)
        self.assertIs(True, self.azlock("container", "delete", name, "--yes", "--json").json()["deleted"])
        self.azlock("container", "show", name, code=79)
        self.azlock("container", "delete", name, "--yes", code=79)


if __name__ == "__main__":
    unittest.main()
