"""`verify` says whether a blob holds a file's bytes, and how it found out."""

import base64
import hashlib
import unittest

from support.case import MIB, Case, noise

KIB = 1024
BLOCK = 256 * KIB


class Verify(Case):
    def setUp(self):
        super().setUp()
        self.content = noise(3 * MIB + 1000)
        self.source = self.file("source", self.content)

    def upload(self, *flags):
        self.azlock("upload", self.source, self.blob("b"), *(flags or ("--block-size", "256KiB")))

    def changed(self, at, text=b"changed"):
        return self.file("other", self.content[:at] + text + self.content[at + len(text):])

    def verify(self, file, *flags, code=0, allowed=("Get Blob Properties", "Get Block List")):
        """The report of --json; the human form must have the same exit code."""
        via = self.proxy()
        run = self.azlock("verify", file, self.blob("b"), "--json", *flags, via=via, code=code)
        self.assertEqual(b"", run.err)
        self.assertLessEqual(set(via.operations()), set(allowed))
        text = self.azlock("verify", file, self.blob("b"), *flags, code=code)
        self.assertEqual((b"", 1), (text.out, text.messages.count("\n")))
        self.messages = text.messages
        report = run.json()
        self.assertEqual({"target", "same", "proof", "hash", "file_bytes", "blob_bytes", "different_from",
                          "different_length", "etag"}, set(report))
        self.assertEqual((code == 0, self.blob("b"), file.stat().st_size),
                         (report["same"], report["target"], report["file_bytes"]))
        return report

    def different(self, report):
        return report["different_from"], report["different_length"]


class ByBlockIds(Verify):
    def test_the_same_file_is_proven_without_downloading(self):
        for flags in (("--block-size", "256KiB"), ("--block-size", "256KiB", "--id-hash", "xxh3", "--fresh")):
            with self.subTest(flags=flags):
                uploaded = self.azlock("upload", self.source, self.blob("b"), "--json", *flags).json()
                report = self.verify(self.source)
                self.assertEqual(("block-ids", (None, None)), (report["proof"], self.different(report)))
                self.assertEqual(uploaded["proof"], report["hash"])
                self.assertEqual(self.rest.head(self.container, "b")["ETag"], report["etag"])
                self.assertIn("without downloading", self.messages)

    def test_content_defined_blocks_are_a_proof_too(self):
        self.source = self.file("large", 10 * MIB)
        self.upload("--chunking", "content")
        self.assertEqual("block-ids", self.verify(self.source)["proof"])
        self.content = self.source.read_bytes()
        report = self.verify(self.changed(9 * MIB), code=65)
        start, length = self.different(report)
        self.assertTrue(start <= 9 * MIB < start + length)

    def test_a_difference_is_65_with_the_first_block_that_differs(self):
        self.upload()
        report = self.verify(self.changed(5 * BLOCK + 7), code=65)
        self.assertEqual(("block-ids", (5 * BLOCK, BLOCK)), (report["proof"], self.different(report)))
        self.assertIn(f"bytes {5 * BLOCK} to {6 * BLOCK - 1}", self.messages)

    def test_of_several_differences_it_is_the_first(self):
        self.upload()
        other = self.changed(9 * BLOCK)
        with open(other, "r+b") as file:
            file.seek(3 * BLOCK)
            file.write(b"changed too")
        self.assertEqual((3 * BLOCK, BLOCK), self.different(self.verify(other, code=65)))

    def test_a_shorter_and_a_longer_file_differ_where_one_ends(self):
        self.upload()
        size = len(self.content)
        shorter = self.verify(self.file("short", self.content[:-1]), code=65)
        self.assertEqual((size - 1, size, 12 * BLOCK),
                         (shorter["file_bytes"], shorter["blob_bytes"], shorter["different_from"]))
        longer = self.verify(self.file("long", self.content + b"and more"), code=65)
        self.assertEqual((size + 8, size, (size, 8)),
                         (longer["file_bytes"], longer["blob_bytes"], self.different(longer)))
        self.assertIn(f"the file has {size + 8} bytes, the blob {size}", self.messages)

    def test_staged_blocks_are_no_part_of_the_blob(self):
        self.upload()
        self.rest.stage(self.container, "b", bytes(48), b"x" * 100)
        self.assertEqual("block-ids", self.verify(self.source)["proof"])


class ByOtherProofs(Verify):
    def test_a_small_blob_is_proven_by_its_md5(self):
        self.source = self.file("small", b"small file")
        self.upload("--fresh")
        report = self.verify(self.source)
        self.assertEqual(("md5", None), (report["proof"], report["hash"]))
        report = self.verify(self.file("other", b"SMALL file"), code=65)
        self.assertEqual("md5", report["proof"])
        self.assertIn("--download", self.messages)
        report = self.verify(self.work / "other", "--download", code=65,
                             allowed=("Get Blob Properties", "Get Block List", "Get Blob"))
        self.assertEqual(("content", (0, 1)), (report["proof"], self.different(report)))

    def test_an_empty_blob_holds_an_empty_file(self):
        empty = self.file("empty", b"")
        self.azlock("upload", empty, self.blob("b"))
        self.assertEqual(0, self.verify(empty)["blob_bytes"])
        self.assertEqual((0, 10), (lambda r: (r["blob_bytes"], r["file_bytes"]))(
            self.verify(self.file("ten", b"0123456789"), code=65)))

    def test_lengths_that_differ_are_enough(self):
        self.foreign_blocks()
        report = self.verify(self.file("short", self.content[:-5]), code=65)
        self.assertEqual(("length", 0, len(self.content)), (report["proof"], report["different_from"], report["different_length"]))

    def foreign_blocks(self, content=None, **headers):
        content = self.content if content is None else content
        ids = []
        for at in range(0, len(content), MIB):
            ids.append(f"foreign-{at:010}")
            self.rest.stage(self.container, "b", ids[-1].encode(), content[at:at + MIB])
        body = "".join(f"<Latest>{base64.b64encode(i.encode()).decode()}</Latest>" for i in ids)
        self.rest.request("PUT", self.container, "b", query={"comp": "blocklist"}, headers=headers,
                          body=f"<?xml version='1.0'?><BlockList>{body}</BlockList>".encode())

    def test_where_there_is_nothing_to_prove_it_by_it_is_73_and_download_does_it(self):
        self.foreign_blocks()
        run = self.azlock("verify", self.source, self.blob("b"), code=73)
        self.assertIn("--download", run.messages)
        with_content = ("Get Blob Properties", "Get Block List", "Get Blob")
        self.assertEqual("content", self.verify(self.source, "--download", allowed=with_content)["proof"])
        report = self.verify(self.changed(2 * MIB + 3), "--download", code=65, allowed=with_content)
        self.assertEqual(("content", (2 * MIB + 3, 1)), (report["proof"], self.different(report)))

    def test_downloaded_and_compared_the_ends_count_too(self):
        self.foreign_blocks()
        with_content = ("Get Blob Properties", "Get Block List", "Get Blob")
        size = len(self.content)
        report = self.verify(self.file("short", self.content[:-5]), "--download", code=65, allowed=with_content)
        self.assertEqual(("content", size - 5), (report["proof"], report["different_from"]))
        report = self.verify(self.file("long", self.content + b"12345"), "--download", code=65, allowed=with_content)
        self.assertEqual(("content", (size, 5)), (report["proof"], self.different(report)))

    def test_a_stored_md5_of_another_tools_blob_is_a_proof(self):
        md5 = base64.b64encode(hashlib.md5(self.content).digest()).decode()
        self.foreign_blocks(**{"x-ms-blob-content-md5": md5})
        self.assertEqual("md5", self.verify(self.source)["proof"])
        self.assertEqual("md5", self.verify(self.changed(10), code=65)["proof"])

    def test_an_append_blob_is_compared_as_bytes(self):
        self.rest.request("PUT", self.container, "b", headers={"x-ms-blob-type": "AppendBlob"})
        self.rest.request("PUT", self.container, "b", query={"comp": "appendblock"}, body=self.content)
        self.azlock("verify", self.source, self.blob("b"), code=73)
        self.assertEqual("content", self.verify(self.source, "--download",
                                                allowed=("Get Blob Properties", "Get Blob"))["proof"])


class Refusals(Verify):
    def test_a_missing_blob_is_79_and_a_missing_file_66(self):
        self.assertEqual("not_found", self.azlock("verify", self.source, self.blob("none"), "--json", code=79).error()["code"])
        self.upload()
        self.azlock("verify", "no-such-file", self.blob("b"), code=66)

    def test_what_is_only_staged_is_no_blob(self):
        self.rest.stage(self.container, "b", b"x", b"y")
        self.azlock("verify", self.source, self.blob("b"), code=79)

    def test_conditions_hold(self):
        self.upload()
        etag = self.rest.head(self.container, "b")["ETag"]
        self.verify(self.source, "--if-match", etag)
        self.azlock("verify", self.source, self.blob("b"), "--if-match", '"0x1"', code=73)

    def test_quiet_says_nothing_where_they_are_the_same(self):
        self.upload()
        run = self.azlock("verify", self.source, self.blob("b"), "-q")
        self.assertEqual((b"", b""), (run.out, run.err))


if __name__ == "__main__":
    unittest.main()
