"""A SAS that may write and not read is enough for upload and append; the service checks each permission."""

import unittest

from support.azurite import ACCOUNT, KEY
from support.case import MIB, Case
from support.signer import account_sas

NOTICE = "the credential may not read"


class WriteOnly(Case):
    def permitted(self, *arguments, permissions="w", **options):
        port = (options.get("via") or self.azurite).port
        sas = account_sas(ACCOUNT, KEY, permissions)
        env = {"AZURE_STORAGE_CONNECTION_STRING":
               f"BlobEndpoint=http://127.0.0.1:{port}/{ACCOUNT};SharedAccessSignature={sas}"}
        return self.azlock(*arguments, env=env, **options)

    def test_a_file_of_several_blocks_goes_up_and_one_notice_says_that_all_was_sent(self):
        source = self.file("source", 3 * MIB)
        for flags in ((), (), ("--skip-unchanged",)):
            run = self.permitted("upload", source, self.blob("b"), "--block-size", "1MiB", *flags)
            self.assertEqual(1, run.messages.count(NOTICE))
            self.assert_blob("b", source.read_bytes())

    def test_the_condition_of_the_user_holds(self):
        source = self.file("source", 3 * MIB)
        self.rest.put(self.container, "b", b"old")
        for condition in (("--if-match", '"0x1"'), ("--if-none-match", "*")):
            self.permitted("upload", source, self.blob("b"), "--block-size", "1MiB", *condition, code=73)
        self.assert_blob("b", b"old")

    def test_many_files_go_up(self):
        for name in ("one", "two"):
            self.file(name, 3 * MIB)
        run = self.permitted("upload", "one", "two", self.blob(""), "--block-size", "1MiB")
        self.assertEqual(1, run.messages.count(NOTICE))
        self.assert_blob("two", (self.work / "two").read_bytes())

    def test_a_pipe_goes_up(self):
        self.permitted("upload", "-", self.blob("b"), "--block-size", "4KiB", input=b"x" * 10_000)
        self.assert_blob("b", b"x" * 10_000)

    def test_append_adds_each_byte_once(self):
        for text in (b"one\n", b"two\n"):
            run = self.permitted("append", self.blob("log"), input=text)
            self.assertEqual(1, run.messages.count(NOTICE))
        self.permitted("append", self.blob("log"), "--no-lease", permissions="a", input=b"three\n")
        self.assert_blob("log", b"one\ntwo\nthree\n")

    def test_to_continue_needs_the_permission_to_read(self):
        source = self.file("source", 3 * MIB)
        self.permitted("resume", source, self.blob("b"), code=77)

    def test_to_create_is_enough_for_one_request_and_else_the_message_says_what_is_missing(self):
        self.permitted("upload", self.file("small", b"small"), self.blob("b"), permissions="c")
        self.assert_blob("b", b"small")
        source = self.file("source", 3 * MIB)
        for arguments, needs in ((("upload", source, self.blob("new"), "--block-size", "1MiB"), "the permission to write (w)"),
                                 (("append", self.blob("log"), source), "the permission to write (w)"),
                                 (("append", self.blob("log"), source, "--no-lease"), "the SAS permits c; this needs a or w")):
            run = self.permitted(*arguments, permissions="c", code=77)
            self.assertIn(needs, run.messages)
        self.assertFalse(self.rest.exists(self.container, "new"))


if __name__ == "__main__":
    unittest.main()
