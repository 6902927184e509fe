"""A source that changes while it is read is not committed: 65, and the old blob stays."""

import os
import unittest

from support.case import MIB, Case
from support.faults import after, before

OLD = b"the old version"


class ChangingSources(Case):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", OLD)
        self.source = self.file("source", 6 * MIB)
        self.via = self.proxy()

    def refused(self, *flags):
        flags = flags or ("--block-size", "1MiB")
        error = self.azlock("upload", self.source, self.blob("b"), "--concurrency", "1", "--json", *flags, via=self.via,
                            code=65).error()
        self.assertEqual(("data", False), (error["code"], error["may_have_applied"]))
        self.assertIn("changed", error["message"])
        self.assertIn("nothing was committed", error["message"])
        self.assertEqual(0, self.via.count("Put Block List"))
        self.assert_blob("b", OLD)

    def overwrite(self, offset, content):
        with open(self.source, "r+b") as file:
            file.seek(offset)
            file.write(content)

    def test_a_file_that_is_written_to_between_two_blocks(self):
        self.via.on("Put Block", after(lambda: self.overwrite(5 * MIB, b"changed")), nth=1)
        self.refused()

    def test_a_file_that_is_written_to_behind_what_was_read(self):
        self.via.on("Put Block", after(lambda: self.overwrite(0, b"changed")), nth=4)
        self.refused()

    def test_a_file_that_grows(self):
        self.via.on("Put Block", after(lambda: self.overwrite(6 * MIB, b"more")), nth=2)
        self.refused()

    def test_a_file_that_shrinks(self):
        self.via.on("Put Block", after(lambda: os.truncate(self.source, 2 * MIB)), nth=1)
        self.refused()

    def test_a_file_that_becomes_empty(self):
        self.via.on("Put Block", after(lambda: os.truncate(self.source, 0)), nth=1)
        self.refused()

    def test_a_change_between_the_hash_and_the_sending_is_refused_by_the_service(self):
        # A block larger than all the buffers between: its end has not been read when its head has come.
        self.source = self.file("large", bytes(65 * MIB))

        def change(x):
            self.overwrite(63 * MIB, b"changed")
            x.reply(x.forward())
        self.via.on("Put Block", change)
        self.refused("--block-size", "64MiB")
        block = next(request for request in self.via.requests if request.operation == "Put Block")
        self.assertEqual(400, block.status)
        self.assertEqual([], self.rest.blocks(self.container, "b")[1])

    def test_a_file_that_is_replaced_by_another_is_uploaded_as_it_was(self):
        was = self.source.read_bytes()
        self.via.on("Put Block", before(lambda: os.rename(self.file("other", 100), self.source)))
        self.azlock("upload", self.source, self.blob("b"), "--block-size", "1MiB", via=self.via)
        self.assert_blob("b", was)

    def test_a_file_that_is_only_read_by_others_does_not(self):
        self.via.on("Put Block", before(self.source.read_bytes))
        self.azlock("upload", self.source, self.blob("b"), "--block-size", "1MiB", via=self.via)
        self.assert_blob("b", self.source.read_bytes())


if __name__ == "__main__":
    unittest.main()
