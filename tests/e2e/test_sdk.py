"""Microsoft's JavaScript SDK reads what azlock wrote, and azlock reads what the SDK wrote."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from support.case import MIB, Case

SCRIPT = Path(__file__).resolve().parent / "support/sdk.js"


class BesideTheSdk(Case):
    def sdk(self, action, name, file):
        done = subprocess.run(["node", SCRIPT, action, self.container, name, file], capture_output=True, timeout=60,
                              env={"PATH": os.environ["PATH"], **self.environment()}, check=False)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        return json.loads(done.stdout)

    def test_the_sdk_reads_what_azlock_wrote(self):
        for size, blocks, name in ((1000, [], "small"), (3 * MIB + 5, [MIB, MIB, MIB, 5], "large/a b+ф%41.bin")):
            source = self.file("source", size)
            etag = self.azlock("upload", source, self.blob(name), "--block-size", "1MiB", "--content-type", "text/x-azlock",
                               "--metadata", "Owner=me").text.strip()
            found = self.sdk("get", name, self.work / "copy")
            self.assertTrue(source.read_bytes() == (self.work / "copy").read_bytes(), "the SDK read other bytes")
            ours = {key: value for key, value in found["metadata"].items() if not key.startswith("azl_")}
            self.assertEqual(("BlockBlob", size, "text/x-azlock", {"owner": "me"}, etag, blocks, 0),
                             (found["type"], found["size"], found["contentType"], ours, found["etag"], found["blocks"],
                              found["staged"]))

    def test_azlock_reads_what_the_sdk_wrote(self):
        source = self.file("source", 5 * MIB + 7)
        self.sdk("put", "of the sdk", source)
        self.azlock("download", self.blob("of the sdk"), "copy")
        self.assertTrue(source.read_bytes() == (self.work / "copy").read_bytes(), "azlock read other bytes")
        shown = self.azlock("show", self.blob("of the sdk"), "--json").json()
        self.assertEqual(("BlockBlob", 5 * MIB + 7, "text/x-sdk; charset=utf-8", "no-cache",
                          {"writer": "sdk", "i_": "1", "i0": "2"}),
                         (shown["type"], shown["size"], shown["content_type"], shown["cache_control"], shown["metadata"]))

    def test_azlock_writes_over_what_the_sdk_wrote(self):
        self.sdk("put", "b", self.file("old", 3 * MIB))
        new = self.file("new", 2 * MIB)
        self.azlock("upload", new, self.blob("b"), "--block-size", "1MiB")
        self.assert_blob("b", new.read_bytes())
        self.sdk("put", "b", self.work / "old")
        self.assert_blob("b", (self.work / "old").read_bytes())

    def test_staged_blocks_of_the_sdk_are_told_and_left_alone(self):
        # The service takes only ids of one length, and the other upload may still be running.
        self.rest.stage(self.container, "b", b"short-id", b"of somebody else")
        error = self.azlock("upload", self.file("new", 2 * MIB), self.blob("b"), "--block-size", "1MiB", "--json",
                            code=73).error()
        self.assertIn("staged blocks", error["message"])
        self.assertEqual(1, len(self.rest.blocks(self.container, "b")[1]))


if __name__ == "__main__":
    unittest.main()
