"""Names of blobs and of local files come back exactly, whatever characters they have."""

import os
import unittest
from urllib.parse import quote

from support.azurite import ACCOUNT
from support.case import Case

NAMES = ["with space", " leading and trailing ", "%41", "%zz 100%", "a+b", "a#b", "a?b=c&d", "a&b;c=d", "a//b", "//b",
         "Привет/мир.txt", "Пётр", "日本語", "🔒🗝️.bin", "e\u0301 and \u00e9", "'quo\"tes'", "[x]{y}|z^`~", "<xml>&amp;", "*?",
         ":@!$,;()", "sig=abc", "-starts-with-dash", "x" * 1024, "я" * 512, "a/" * 250 + "end"]
# An upload to one of these would add the file's name after the slash.
FOLDERS = ["a/", "a///", "//", "/"]
# Left out: names that the service (or Azurite) understands as something else, or that Linux does not allow for files.
LOCAL = ["with space", "%41", "a+b", "a#b", "a?b", "a&b", "новый файл", "🔒🗝️", "line\nbreak", "-dash", "--json", "x" * 255,
         "я" * 127, "quo'te\"s", "back\\slash", "*", "~", "$HOME", b"not\xffutf8"]


class BlobNames(Case):
    def listed(self):
        return {entry["name"] for entry in self.azlock("list", self.container, "--json").lines()}

    def check_upload(self, name, target, source):
        before = self.listed()
        self.azlock("upload", source, target)
        self.assertEqual({name}, self.listed() - before)
        self.assert_blob(name, b"x")

    def check_the_rest(self, name, target):
        self.azlock("show", target)
        self.azlock("download", target, "copy")
        self.assertEqual(b"x", (self.work / "copy").read_bytes())
        self.azlock("delete", target)
        self.assertFalse(self.rest.exists(self.container, name))

    def check(self, target_of):
        source = self.file("source", b"x")
        for name in NAMES:
            with self.subTest(name=name[:60]):
                self.check_upload(name, target_of(name), source)
                self.check_the_rest(name, target_of(name))
        for name in FOLDERS:
            with self.subTest(name=name):
                self.rest.put(self.container, name, b"x")
                self.check_the_rest(name, target_of(name))

    def test_a_name_is_taken_literally_in_a_plain_target(self):
        self.check(self.blob)

    def test_a_name_is_taken_literally_after_az(self):
        self.check(lambda name: f"az://{self.container}/{name}")

    def test_a_url_is_percent_encoded(self):
        account = f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}"
        self.check(lambda name: f"{account}/{self.container}/{quote(name, safe='/')}")

    def test_leases_appends_updates_locks_and_queues_take_a_name_literally(self):
        queue = self.blob("queue")
        for name in NAMES[:16]:
            target = self.blob(name)
            with self.subTest(name=name):
                self.azlock("append", target, input=b"1")
                lease = self.azlock("lease", "acquire", target).text.strip()
                self.azlock("append", target, "--lease-id", lease, input=b"2")
                self.azlock("lease", "release", target, "--lease-id", lease)
                self.assert_blob(name, b"12")
                self.azlock("delete", target)
                self.azlock("cas-update", target, "--create", "--add", "7")
                self.assert_blob(name, b"7")
                self.azlock("lock", "-n", name, "--", "true")
                self.assertTrue(self.rest.exists("locks", name))
                if "/" not in name:
                    self.azlock("queue", "put", queue, "--id", name, input=b"x")
                    self.azlock("queue", "work", queue, "-n", "1", "--output-to", self.blob("out"), "--", "sh", "-c",
                                'printf %s "$AZLOCK_TASK_ID"')
                    self.assert_blob(f"out/{name}.1", name.encode())

    def test_a_prefix_finds_odd_names(self):
        for name in ("a+b/1", "a b/2", "a%2Bb/3", "я/4"):
            self.rest.put(self.container, name, b"")
        for prefix, name in (("a+b/", "a+b/1"), ("a b/", "a b/2"), ("a%2Bb/", "a%2Bb/3"), ("я/", "я/4")):
            for arguments in ((self.blob(prefix),), (self.container, "--prefix", prefix)):
                with self.subTest(arguments=arguments):
                    self.assertEqual([name], [e["name"] for e in self.azlock("list", *arguments, "--json").lines()])

    def test_a_listed_name_with_a_dot_at_the_end_of_a_part_can_be_read_and_deleted(self):
        account = f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}/"
        names = ["dot.", "a./b", "a/.", "a/..", "a/./b", "a/../b", "..", "...", "a/", "b", "dot"]
        for name in names:
            self.rest.put(self.container, name, name.encode())
        self.assertEqual(set(names), self.listed())
        self.assertEqual(["a/."], [e["name"] for e in self.azlock("list", self.blob("a/."), "--json").lines()
                                   if e["name"] == "a/."])
        for name in names[:8]:
            for target in (self.blob(name), account + quote(self.blob(name))):
                with self.subTest(target=target):
                    self.assertEqual(len(name), self.azlock("show", target, "--json").json()["size"])
                    self.azlock("download", target, "copy")
                    self.assertEqual(name.encode(), (self.work / "copy").read_bytes())
                    self.azlock("delete", target, "--if-match", '"0x1"', code=73)
                    self.azlock("upload", self.file("source", b"x"), target, code=64)
            self.azlock("delete", self.blob(name))
            self.azlock("delete", self.blob(name), code=79)
        self.assertEqual(set(names[8:]), self.listed())

    def test_a_name_that_cannot_be_is_refused_at_once(self):
        source = self.file("source", b"x")
        via = self.proxy()
        for name in ("x" * 1025, "я" * 1025, "a/" * 255 + "end"):
            with self.subTest(name=name[:20]):
                self.azlock("upload", source, self.blob(name), via=via, code=64)
        for name in (b"not\xffutf8", b"tab\tname", b"line\nbreak", b"delete\x7f"):
            self.azlock("upload", source, self.container.encode() + b"/" + name, via=via, code=64)
        self.assertEqual([], via.requests)

    def test_a_terminal_gets_no_control_characters_from_a_name(self):
        self.rest.put(self.container, "tab\tbell", b"")
        self.assertNotIn(b"\t", self.azlock("list", self.container).out)


class LocalNames(Case):
    def test_any_file_name_can_be_uploaded_and_downloaded_to(self):
        for number, name in enumerate(LOCAL):
            with self.subTest(name=name[:60]):
                raw = os.fsencode(name)
                self.file(raw, str(number).encode())
                blob = self.blob(f"n{number}")
                path = raw if not raw.startswith(b"-") else b"./" + raw
                self.azlock("upload", path, blob)
                self.assert_blob(f"n{number}", str(number).encode())
                os.unlink(os.path.join(os.fsencode(self.work), raw))
                self.azlock("download", blob, path)
                self.assertEqual([raw], os.listdir(os.fsencode(self.work)))
                os.unlink(os.path.join(os.fsencode(self.work), raw))

    def test_a_files_own_name_becomes_the_blobs_name(self):
        for name in ("with space", "%41", "a+b#c?d&e", "новый файл", "🔒"):
            with self.subTest(name=name):
                self.azlock("upload", self.file(name, b"x"), self.container)
                self.assert_blob(name, b"x")
                (self.work / name).unlink()
                self.azlock("download", self.blob(name))
                self.assertEqual(b"x", (self.work / name).read_bytes())

    def test_after_two_dashes_a_name_may_begin_with_one(self):
        self.file("--json", b"x")
        self.azlock("upload", "--", "--json", self.blob("-b"))
        self.assert_blob("-b", b"x")
        self.azlock("download", "--", self.blob("-b"), "-v")
        self.assertEqual(b"x", (self.work / "-v").read_bytes())

    def test_a_blob_cannot_choose_a_place_outside_the_folder(self):
        for name in ("a/..", "a/.", "a/", "a/-"):
            self.rest.put(self.container, name, b"x")
            with self.subTest(name=name):
                self.azlock("download", self.blob(name), code=64)
        self.assertEqual([], list(self.work.iterdir()))


if __name__ == "__main__":
    unittest.main()
