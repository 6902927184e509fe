"""An upload over an earlier version sends what that version does not hold, and nothing else."""

import base64
import hashlib
import struct
import unittest

from support.case import MIB, Case, noise

KIB = 1024
SIZE = 20 * MIB  # about five blocks of 1 to 16 MiB by content
FIXED = ("--block-size", "256KiB")
CONTENT = ("--chunking", "content")


class Delta(Case):
    def setUp(self):
        super().setUp()
        self.content = noise(SIZE)

    def upload(self, content, *flags, code=0):
        """Returns the report and how many blocks were sent."""
        via = self.proxy()
        report = self.azlock("upload", self.file("source", content), self.blob("b"), "--json", *flags, via=via,
                             code=code).json()
        self.assert_blob("b", content)
        self.assertEqual(len(content), report["sent"] + report["reused"])
        sent = [request.length for request in via.requests if request.operation in ("Put Block", "Put Blob")]
        self.assertEqual(sum(sent), report["sent"])
        return report, len(sent)


class Fixed(Delta):
    def setUp(self):
        super().setUp()
        self.content = self.content[:4 * MIB + 100]
        self.assertEqual(17, self.upload(self.content, *FIXED)[1])

    def test_the_same_file_again_sends_no_block(self):
        self.assertEqual(0, self.upload(self.content, *FIXED)[1])

    def test_a_change_in_place_sends_the_blocks_it_touches(self):
        at = 256 * KIB - 2
        changed = self.content[:at] + b"news" + self.content[at + 4:]
        self.assertEqual(2, self.upload(changed, *FIXED)[1])

    def test_what_is_appended_is_sent_and_the_block_it_begins_in(self):
        self.assertEqual(3, self.upload(self.content + noise(512 * KIB, seed=2), *FIXED)[1])

    def test_blocks_that_change_places_are_not_sent(self):
        half = 2 * MIB
        self.assertEqual(0, self.upload(self.content[half:2 * half] + self.content[:half] + self.content[2 * half:],
                                        *FIXED)[1])

    def test_a_shorter_version_sends_its_last_block_at_most(self):
        self.assertEqual(0, self.upload(self.content[:MIB], *FIXED)[1])
        self.assertEqual(1, self.upload(self.content[:MIB - 1], *FIXED)[1])

    def test_the_same_bytes_many_times_over_are_sent_as_often_and_then_reused(self):
        zeros = bytes(2 * MIB + 5)
        self.assertEqual(9, self.upload(zeros, *FIXED)[1])
        self.assertEqual(0, self.upload(zeros, *FIXED)[1])
        self.assertEqual(1, self.upload(bytes(2 * MIB + 256 * KIB + 5), *FIXED)[1])

    def test_fresh_sends_all(self):
        self.assertEqual(17, self.upload(self.content, *FIXED, "--fresh")[1])

    def test_an_uploaded_file_over_a_blob_of_put_blob_or_of_another_tool_sends_all(self):
        self.rest.put(self.container, "b", self.content)
        self.assertEqual(17, self.upload(self.content, *FIXED)[1])
        self.rest.stage(self.container, "b", bytes(48), b"of another tool")
        self.rest.request("PUT", self.container, "b", query={"comp": "blocklist"}, body=(
            f"<?xml version='1.0'?><BlockList><Latest>{base64.b64encode(bytes(48)).decode()}</Latest></BlockList>").encode())
        self.assertEqual(17, self.upload(self.content, *FIXED)[1])


class ByContent(Delta):
    def setUp(self):
        super().setUp()
        self.blocks = self.upload(self.content, *CONTENT)[1]
        self.assertGreaterEqual(self.blocks, 3)

    def sizes(self):
        return [size for _, size in self.rest.blocks(self.container, "b")[0]]

    def test_an_insertion_at_the_front_sends_a_few_blocks(self):
        report, sent = self.upload(b"inserted" + self.content, *CONTENT)
        self.assertLessEqual(sent, 2)
        self.assertEqual(self.blocks, report["blocks"] - sent + 1)
        self.assertEqual(len(self.content) + 8, sum(self.sizes()))

    def test_a_change_in_place_and_an_append_send_a_few_blocks(self):
        middle = SIZE // 2
        self.assertLessEqual(self.upload(self.content[:middle] + b"changed" + self.content[middle + 7:], *CONTENT)[1], 2)
        self.upload(self.content, *CONTENT)
        self.assertLessEqual(self.upload(self.content + noise(MIB, seed=3), *CONTENT)[1], 2)

    def test_a_deletion_at_the_front_sends_a_few_blocks(self):
        self.assertLessEqual(self.upload(self.content[1000:], *CONTENT)[1], 2)

    def test_the_same_file_again_sends_no_block_with_or_without_the_flag(self):
        before = self.sizes()
        self.assertEqual(0, self.upload(self.content, *CONTENT)[1])
        self.assertEqual(0, self.upload(self.content)[1])
        self.assertEqual(before, self.sizes())

    def test_a_blob_in_content_defined_blocks_keeps_its_plan_without_the_flag(self):
        self.assertLessEqual(self.upload(b"inserted" + self.content)[1], 2)
        self.assertGreater(len(set(self.sizes())), 2)

    def test_the_other_plan_is_taken_where_it_is_asked_for(self):
        self.assertEqual(3, self.upload(self.content, "--chunking", "fixed")[1])
        self.assertEqual([8 * MIB, 8 * MIB, 4 * MIB], self.sizes())


class Hashes(Delta):
    def ids(self):
        return [base64.b64decode(block_id) for block_id, _ in self.rest.blocks(self.container, "b")[0]]

    def test_ids_say_what_the_blocks_hold(self):
        content = self.content[:1 * MIB] + self.content[:512 * KIB]
        self.upload(content, *FIXED)
        seen = {}
        for number, block_id in enumerate(self.ids()):
            block = content[number * 256 * KIB:][:256 * KIB]
            occurrence = seen.get(block, 0)
            seen[block] = occurrence + 1
            self.assertEqual(b"azl1" + hashlib.sha256(block).digest() + struct.pack(">II", len(block), occurrence),
                             block_id[:44])
            self.assertEqual(48, len(block_id))

    def test_xxh3_is_in_the_ids_and_is_adopted_by_the_next_upload(self):
        content = self.content[:2 * MIB]
        report, sent = self.upload(content, *FIXED, "--id-hash", "xxh3")
        self.assertEqual((8, "xxh3"), (sent, report["proof"]))
        for block_id in self.ids():
            self.assertEqual((b"azl1", bytes(16), False),
                             (block_id[:4], block_id[20:36], block_id[4:20] == bytes(16)))
        report, sent = self.upload(content, *FIXED)
        self.assertEqual((0, "xxh3"), (sent, report["proof"]))

    def test_another_hash_is_another_id_and_never_taken_for_the_same(self):
        content = self.content[:2 * MIB]
        self.assertEqual("xxh3", self.upload(content, *FIXED, "--id-hash", "xxh3")[0]["proof"])
        report, sent = self.upload(content, *FIXED, "--id-hash", "sha256")
        self.assertEqual((8, "sha256"), (sent, report["proof"]))


class Unchanged(Delta):
    def assert_nothing_written(self, content, *flags):
        before = self.rest.head(self.container, "b")["ETag"]
        via = self.proxy()
        report = self.azlock("upload", self.file("source", content), self.blob("b"), "--skip-unchanged", "--json", *flags,
                             via=via).json()
        self.assertEqual((True, before, 0, len(content)),
                         (report["unchanged"], report["etag"], report["sent"], report["reused"]))
        self.assertEqual(before, self.rest.head(self.container, "b")["ETag"])
        self.assertLessEqual(set(via.operations()), {"Get Blob Properties", "Get Block List"})
        text = self.azlock("upload", self.work / "source", self.blob("b"), "--skip-unchanged", *flags)
        self.assertEqual(before, text.text.strip())
        self.assertIn("unchanged", text.messages)

    def test_skip_unchanged_writes_nothing_where_the_blob_holds_the_same(self):
        for content, flags in ((b"small", ()), (b"", ()), (self.content[:3 * MIB], FIXED), (self.content, CONTENT),
                               (self.content, ())):
            with self.subTest(size=len(content), flags=flags):
                self.upload(content, *flags)
                self.assert_nothing_written(content, *flags)

    def test_skip_unchanged_writes_where_anything_differs(self):
        for content, flags in ((b"small", ()), (self.content[:3 * MIB], FIXED)):
            self.upload(content, *flags)
            for other in (content[:-1] + b"\x00", content[:-1], content + b"x"):
                with self.subTest(size=len(content), other=len(other)):
                    self.upload(content, *flags)
                    report, _ = self.upload(other, "--skip-unchanged", *flags)
                    self.assertIs(False, report["unchanged"])

    def test_skip_unchanged_does_not_trust_an_equal_length(self):
        self.rest.put(self.container, "b", bytes(3 * MIB))
        report, sent = self.upload(self.content[:3 * MIB], "--skip-unchanged", *FIXED)
        self.assertEqual((False, 12), (report["unchanged"], sent))

    def test_blocks_in_another_order_are_not_unchanged(self):
        self.upload(self.content[:MIB], *FIXED)
        swapped = self.content[512 * KIB:MIB] + self.content[:512 * KIB]
        report, sent = self.upload(swapped, "--skip-unchanged", *FIXED)
        self.assertEqual((False, 0), (report["unchanged"], sent))


if __name__ == "__main__":
    unittest.main()
