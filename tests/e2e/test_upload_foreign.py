"""If another tool has staged blocks with ids of another length, the service does not take ours."""

import base64
import unittest

from support.case import MIB, Case
from support.faults import service_error
from support.rest import Refused as RefusedByService

OLD = b"the old version!!"  # 17 bytes
FLAGS = ("--block-size", "256KiB")


class Foreign(Case):
    def setUp(self):
        super().setUp()
        self.source = self.file("source", MIB)
        self.via = self.proxy()

    def stage(self, name="b", count=2):
        for number in range(count):
            self.rest.stage(self.container, name, f"short-{number}".encode(), b"of another tool")

    def commit_foreign(self, name="b", **headers):
        """A blob in two blocks of another tool."""
        ids = []
        for text in (b"first half, ", b"second half"):
            ids.append(base64.b64encode(text[:6]).decode())
            self.rest.stage(self.container, name, text[:6], text)
        body = "".join(f"<Latest>{block_id}</Latest>" for block_id in ids)
        self.rest.request("PUT", self.container, name, query={"comp": "blocklist"}, headers=headers,
                          body=f"<?xml version='1.0'?><BlockList>{body}</BlockList>".encode())
        return b"first half, second half"

    def upload(self, *flags, code=0, name="b"):
        return self.azlock("upload", self.source, self.blob(name), "--json", *FLAGS, *flags, via=self.via, code=code)

    def staged(self, name="b"):
        return [base64.b64decode(block_id) for block_id, _ in self.rest.blocks(self.container, name)[1]]


class Refused(Foreign):
    def assert_refused(self, *flags):
        before = self.staged()
        error = self.upload(*flags, code=73).error()
        self.assertEqual(0, self.via.count("Put Block"))
        self.assertEqual(0, self.via.count("Put Block List"))
        self.assertEqual(0, self.via.count("Delete Blob"))
        self.assertEqual(before, self.staged())
        return error

    def test_they_are_seen_before_a_block_is_sent_and_explained(self):
        self.stage()
        error = self.assert_refused()
        self.assertEqual(("precondition", self.blob("b")), (error["code"], error["target"]))
        self.assertIn("2 staged blocks of another tool", error["message"])
        self.assertIn("--discard-staged", error["hint"])

    def test_a_resume_of_ours_is_refused_as_well(self):
        self.stage()
        error = self.azlock("resume", self.source, self.blob("b"), "--json", via=self.via, code=73).error()
        self.assertIn("another tool", error["message"])

    def test_with_fresh_the_service_refuses_the_first_block_and_it_is_explained(self):
        self.stage()
        error = self.upload("--fresh", code=73).error()
        self.assertIn("another tool", error["message"])
        self.assertIn("--discard-staged", error["hint"])
        self.assertEqual(0, self.via.count("Put Block List"))

    def test_no_overwrite_does_not_take_them_for_a_blob_that_exists(self):
        # Nothing was uploaded and no blob is there: neither a success nor "exists already".
        self.stage()
        for arguments in (("upload", self.source, self.blob("b")), ("upload", self.source, self.blob("b"), "--json")):
            run = self.azlock(*arguments, *FLAGS, "--no-overwrite", via=self.via, code=73)
            self.assertIn("another tool", run.messages)
        self.file("other", b"small")
        run = self.azlock("upload", self.source, self.work / "other", self.blob("x/"), *FLAGS, "--no-overwrite")
        self.stage("y/source")
        run = self.azlock("upload", self.source, self.work / "other", self.blob("y/"), *FLAGS, "--no-overwrite", code=73)

    def test_a_small_file_needs_no_block_and_goes_up_beside_them(self):
        self.stage()
        small = self.file("small", b"small")
        self.azlock("upload", small, self.blob("b"), via=self.via)
        self.assert_blob("b", b"small")

    def test_blocks_of_another_tool_with_ids_as_long_as_ours_are_in_nobodys_way(self):
        self.rest.stage(self.container, "b", bytes(48), b"of another tool")
        self.upload()
        self.assert_blob("b", self.source.read_bytes())

    def test_discarding_keeps_a_blob_that_was_written_as_a_whole(self):
        etag = self.rest.put(self.container, "b", OLD, x_ms_meta_kept="yes")
        self.stage()
        error = self.assert_refused("--discard-staged")
        self.assertIn("cannot be discarded safely", error["message"])
        self.assert_blob("b", OLD)
        self.assertEqual(etag, self.rest.head(self.container, "b")["ETag"])

    def test_discarding_keeps_a_blob_that_somebody_else_has_leased(self):
        content = self.commit_foreign()
        self.stage()
        self.rest.lease(self.container, "b", "acquire", duration=-1)
        self.upload("--discard-staged", code=75)
        self.assert_blob("b", content)
        self.assertEqual(2, len(self.staged()))


class Discarded(Foreign):
    def test_a_blob_in_blocks_is_kept_with_all_that_belongs_to_it_until_the_upload_commits(self):
        content = self.commit_foreign(**{
            "x-ms-blob-content-type": "text/x-odd", "x-ms-blob-content-encoding": "gzip",
            "x-ms-blob-content-language": "de", "x-ms-blob-cache-control": "no-store",
            "x-ms-blob-content-disposition": "inline", "x-ms-blob-content-md5": base64.b64encode(bytes(16)).decode(),
            "x-ms-meta-job": "17", "x-ms-meta-Owner": "somebody", "x-ms-access-tier": "Cool",
            "x-ms-tags": "team=a&stage=b%20c"})
        before = self.rest.head(self.container, "b")
        self.stage()
        # The upload fails after the staged blocks were dropped: the blob of before is still there.
        self.via.on("Put Block", lambda x: (x.read_body(), x.close()), times=None)
        self.upload("--discard-staged", "--retries", "0", code=69)
        self.assertEqual(1, self.via.count("Put Block List"))
        self.assert_blob("b", content)
        self.assertEqual([], self.staged())
        after = self.rest.head(self.container, "b")
        for name in ("Content-Type", "Content-Encoding", "Content-Language", "Cache-Control", "Content-Disposition",
                     "Content-MD5", "x-ms-meta-job", "x-ms-meta-owner", "x-ms-access-tier", "x-ms-tag-count"):
            self.assertEqual(before[name], after[name], name)
        tags = self.rest.request("GET", self.container, "b", query={"comp": "tags"})[2].decode()
        self.assertIn("<Key>stage</Key><Value>b c</Value>", tags)
        self.assertIn("<Key>team</Key><Value>a</Value>", tags)

    def test_the_upload_then_goes_on(self):
        self.commit_foreign()
        self.stage()
        report = self.upload("--discard-staged").json()
        self.assertEqual(MIB, report["sent"])
        self.assert_blob("b", self.source.read_bytes())
        self.assertEqual([], self.staged())
        commits = [r for r in self.via.requests if r.operation == "Put Block List"]
        self.assertEqual(2, len(commits))
        for commit in commits:
            self.assertIsNotNone(commit.headers.get("If-Match"))

    def test_a_leased_blob_of_ours_is_kept_under_its_lease(self):
        self.commit_foreign()
        self.stage()
        lease = self.rest.lease(self.container, "b", "acquire", duration=-1)
        self.upload("--discard-staged", "--lease-id", lease)
        self.assert_blob("b", self.source.read_bytes())
        self.assertEqual("leased", self.rest.head(self.container, "b")["x-ms-lease-state"])

    def test_a_blob_that_a_peer_writes_meanwhile_keeps_the_peers_version(self):
        self.commit_foreign()
        self.stage()

        def peer_writes_first(x):
            x.read_body()
            self.rest.put(self.container, "b", OLD)
            x.reply(x.forward())
        self.via.on("Put Block List", peer_writes_first, nth=1)
        self.upload("--discard-staged", code=73)
        self.assert_blob("b", OLD)

    def test_discarding_goes_with_fresh(self):
        self.commit_foreign()
        self.stage()
        self.upload("--discard-staged", "--fresh")
        self.assert_blob("b", self.source.read_bytes())

    def test_where_nothing_hinders_nothing_is_discarded(self):
        content = self.commit_foreign()
        self.assertEqual(23, len(content))
        self.upload("--discard-staged")
        self.assertEqual(1, self.via.count("Put Block List"))
        self.assertNotIn("Delete Blob", self.via.operations())
        self.assert_blob("b", self.source.read_bytes())

    def test_where_there_are_staged_blocks_only_they_are_deleted_under_a_lease(self):
        self.stage()
        self.upload("--discard-staged")
        operations = self.via.operations()
        self.assertLess(operations.index("Lease"), operations.index("Delete Blob"))
        delete = next(r for r in self.via.requests if r.operation == "Delete Blob")
        self.assertIsNotNone(delete.headers.get("x-ms-lease-id"))
        self.assert_blob("b", self.source.read_bytes())
        self.assertEqual([], self.staged())


class OurOwn(Foreign):
    """Blocks that an interrupted upload of azlock has left."""

    def interrupt(self):
        self.via.on("Put Block List", service_error(403, "AuthorizationPermissionMismatch"))
        self.upload(code=77)
        self.assertEqual(4, len(self.staged()))

    def test_they_block_another_tool_until_delete_staged_drops_them(self):
        self.interrupt()
        with self.assertRaises(RefusedByService):
            self.stage()
        run = self.azlock("delete", self.blob("b"), "--staged")
        self.assertIn("dropped 4 staged blocks", run.messages)
        self.stage()

    def test_the_blob_keeps_its_content(self):
        self.azlock("upload", self.source, self.blob("b"), *FLAGS)
        content = self.source.read_bytes()
        self.source.write_bytes(content[::-1])
        self.interrupt()
        status = self.azlock("resume", self.source, self.blob("b"), "--status").text
        self.assertIn(f"azlock delete {self.blob('b')} --staged", status)
        dry = self.azlock("delete", self.blob("b"), "--staged", "--dry-run", "--json").json()
        self.assertEqual((False, 4), (dry["dropped"], dry["staged_blocks"]))
        self.assertEqual(4, len(self.staged()))
        told = self.azlock("delete", self.blob("b"), "--staged", "--json").json()
        self.assertEqual((True, 4), (told["dropped"], told["staged_blocks"]))
        self.assertEqual([], self.staged())
        self.assert_blob("b", content)
        self.azlock("delete", self.blob("b"), "--staged")
        self.assert_blob("b", content)

    def test_conditions_do_not_go_with_it(self):
        self.azlock("delete", self.blob("b"), "--staged", "--if-match", '"0x1"', code=64)


if __name__ == "__main__":
    unittest.main()
