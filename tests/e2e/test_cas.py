"""cas-update: the command's content or the old one, never a lost update, and every way it can end."""

import json
import signal
import unittest

from support.cas_case import CasCase
from support.case import MIB
from support.faults import after, before, close, service_error


class Updates(CasCase):
    def test_a_command_makes_the_new_content_out_of_the_old(self):
        self.put(b"old content")
        run = self.cas("--", "tr", "a-z", "A-Z")
        self.assert_blob("b", b"OLD CONTENT")
        self.assertEqual(self.rest.head(self.container, "b")["ETag"], run.text.strip())

    def test_a_command_need_not_read_what_it_gets(self):
        self.rest.put(self.container, "b", b"old" * 100_000)
        self.azlock("cas-update", self.blob("b"), "--", "sh", "-c", "exec <&-; printf new")
        self.assert_blob("b", b"new")

    def test_the_command_knows_blob_version_and_try(self):
        etag = self.put(b"x")
        self.cas("--", "sh", "-c", 'printf "%s|%s|%s" "$AZLOCK_ETAG" "$AZLOCK_ATTEMPT" "$AZLOCK_BLOB"')
        self.assert_blob("b", f"{etag}|1|{self.blob('b')}".encode())

    def test_binary_empty_and_large_content_come_through(self):
        every = bytes(range(256))
        for content in (every, b"", every * 40_000):
            self.put(content)
            self.cas("--touch", "--", "cat")
            self.assert_blob("b", content)
        self.cas("--", "sh", "-c", "exec <&-; echo new")  # more than a pipe holds stays unread
        self.assert_blob("b", b"new\n")
        self.cas("--", "true")
        self.assert_blob("b", b"")

    def test_equal_content_is_not_written_and_said_so(self):
        etag = self.put(b"same")
        run = self.cas("--", "cat")
        self.assertIn("unchanged, nothing written", run.messages)
        self.assertEqual(etag, run.text.strip())
        self.assertEqual(etag, self.rest.head(self.container, "b")["ETag"])
        self.assertEqual("unchanged", self.cas("--json", "--", "cat").json()["outcome"])
        self.cas("--touch", "--", "cat")
        self.assertNotEqual(etag, self.rest.head(self.container, "b")["ETag"])

    def test_everything_but_the_content_survives(self):
        self.put(b"1", x_ms_blob_content_type="text/x-odd", x_ms_blob_content_encoding="gzip",
                 x_ms_blob_content_language="de", x_ms_blob_content_disposition="inline",
                 x_ms_blob_cache_control="no-cache", x_ms_meta_Job="17", x_ms_tags="team=red%20ones&n=1",
                 x_ms_access_tier="Cool")
        kept = ("Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition", "Cache-Control",
                "x-ms-meta-Job", "x-ms-tag-count", "x-ms-access-tier")
        before_it = self.rest.head(self.container, "b")
        self.cas("--add", "1")
        after_it = self.rest.head(self.container, "b")
        for name in kept:
            self.assertIsNotNone(before_it[name], name)
            self.assertEqual(before_it[name], after_it[name], name)
        self.assertNotEqual(before_it["Content-MD5"], after_it["Content-MD5"])
        tags = self.rest.request("GET", self.container, "b", query={"comp": "tags"})[2]
        self.assertIn(b"red ones", tags)
        self.cas("--content-type", "text/plain", "--metadata", "Job=18", "--", "cat")
        changed = self.rest.head(self.container, "b")
        self.assertEqual(("text/plain", "18", "de"),
                         (changed["Content-Type"], changed["x-ms-meta-Job"], changed["Content-Language"]))

    def test_tags_that_may_not_be_read_are_told_of_and_the_update_is_done(self):
        self.put(b"1", x_ms_tags="k=v")
        via = self.proxy()
        via.on(lambda request: request.query.get("comp") == "tags",
               service_error(403, "AuthorizationPermissionMismatch"))
        run = self.cas("--add", "1", via=via)
        self.assertEqual(1, run.messages.count("its tags cannot be read"))
        self.assert_blob("b", b"2")

    def test_a_counter_is_printed_and_keeps_its_line_end(self):
        self.put(b"41\n")
        self.assertEqual("42\n", self.cas("--add", "1").text)
        self.assert_blob("b", b"42\n")
        self.assertEqual("-8\n", self.cas("--add", "-50").text)
        self.assertEqual(-7, self.cas("--add=+1", "--json").json()["value"])
        self.cas("--add", "1.5", code=64)
        self.cas("--add", "9223372036854775808", code=64)
        for content in (b"9223372036854775807", b"not a number", b"1 2"):
            self.put(content)
            self.cas("--add", "1", code=65)
            self.assert_blob("b", content)

    def test_a_missing_blob_is_79_or_made(self):
        self.cas("--add", "1", code=79)
        self.assertEqual("5\n", self.cas("--create", "--add", "5").text)
        self.cas("--default", self.file("start", b"10\n"), "--add", "1", name="other.txt")
        self.assert_blob("other.txt", b"11\n")
        self.assertEqual("text/plain", self.rest.head(self.container, "other.txt")["Content-Type"])
        run = self.cas("--create", "--json", "--", "sh", "-c", 'printf "<%s>" "$AZLOCK_ETAG"; cat', name="third")
        self.assertIs(True, run.json()["created"])
        self.assert_blob("third", b"<>")
        self.azlock("cas-update", "no-such-container/b", "--create", "--add", "1", code=79)

    def test_files_and_standard_input_patches_and_lines(self):
        self.cas("--create", "--from", "-", input=b'{\n  "z": 1,\n  "a": {"keep": true}\n}\n')
        self.cas("--merge-patch", self.file("merge", b'{"z": null, "b": 2}'))
        self.assert_blob("b", b'{\n  "a": {\n    "keep": true\n  },\n  "b": 2\n}\n')
        self.cas("--json-patch", "-", input=b'[{"op":"test","path":"/b","value":2},{"op":"remove","path":"/b"}]')
        self.assertEqual({"a": {"keep": True}}, json.loads(self.content()))
        was = self.content()
        run = self.cas("--json-patch", "-", input=b'[{"op":"test","path":"/a","value":1}]', code=73)
        self.assertIn("does not hold", run.messages)
        self.cas("--json-patch", self.file("bad", b"{"), code=65)
        self.cas("--merge-patch", "missing", code=66)
        self.assert_blob("b", was)
        self.put(b"one\r\ntwo")
        self.cas("--append-line", "three")
        self.assert_blob("b", b"one\r\ntwo\r\nthree\r\n")
        self.cas("--append-line", "a\nb", code=64)

    def test_a_version_that_is_named_is_the_only_one_that_is_replaced(self):
        etag = self.put(b"1")
        self.cas("--if-match", etag, "--from", self.file("new", b"2"))
        run = self.cas("--if-match", etag, "--from", self.file("newer", b"3"), "--json", code=73)
        self.assertEqual("ConditionNotMet", run.error()["service_code"])
        self.assert_blob("b", b"2")
        self.cas("--if-match", etag, "--create", "--from", "new", name="none", code=73)

    def test_bad_usage_is_64(self):
        self.put(b"1")
        for arguments in ((), ("--",), ("--", ""), ("--add", "1", "--from", "f"), ("--add", "1", "--", "cat"),
                          ("--max-tries", "0", "--add", "1"), ("--skip-code", "0", "--", "cat"),
                          ("--max-size", "6GiB", "--", "cat"), ("--if-match", "a b", "--", "cat")):
            with self.subTest(arguments=arguments):
                self.cas(*arguments, code=64)
        self.azlock("cas-update", self.container, "--add", "1", code=64)

    def test_an_append_blob_is_refused_also_where_it_comes_between_two_tries(self):
        def becomes_append_blob():
            self.rest.request("DELETE", self.container, "b")
            self.rest.request("PUT", self.container, "b", headers={"x-ms-blob-type": "AppendBlob"})
        self.put(b"1")
        via = self.proxy()
        via.on("Put Blob", before(becomes_append_blob))
        run = self.cas("--add", "1", via=via, code=73)
        self.assertIn("AppendBlob", run.messages)
        self.assertEqual("AppendBlob", self.rest.head(self.container, "b")["x-ms-blob-type"])


class Endings(CasCase):
    """Whatever the command does, the blob has all of the new content or is unchanged."""

    def setUp(self):
        super().setUp()
        self.etag = self.put(b"old")

    def as_it_was(self):
        self.assertEqual(self.etag, self.rest.head(self.container, "b")["ETag"])

    def test_a_command_that_fails_gives_its_code_and_nothing_is_written(self):
        for script, code in (("echo new; exit 3", 3), ("echo new; exit 73", 73), ("kill -KILL $$", 137)):
            run = self.cas("--status-file", "status", "--", "sh", "-c", script, code=code)
            self.assertIn("nothing was written", run.messages)
            status = json.loads((self.work / "status").read_bytes())
            self.assertEqual(("command_failed", code), (status["outcome"], status["command_exit_code"]))
            self.as_it_was()
        self.cas("--", "/no/such/command", code=127)
        self.cas("--", self.file("plain", b"text"), code=126)

    def test_a_command_can_leave_the_blob_as_it_is(self):
        self.assertEqual("skipped", self.cas("--json", "--", "sh", "-c", "echo new; exit 80").json()["outcome"])
        self.cas("--skip-code", "3", "--", "sh", "-c", "echo new; exit 3")
        self.cas("--skip-code", "3", "--", "sh", "-c", "exit 80", code=80)
        self.as_it_was()

    def test_a_command_that_hangs_is_ended_by_the_timeouts(self):
        self.cas("--run-timeout", "300ms", "--", "sh", "-c", "echo new; sleep 1000", code=124)
        self.cas("--timeout", "1s", "--", "sh", "-c", "echo new; exec >&-; sleep 1000", code=69)
        self.as_it_was()

    def test_a_command_that_writes_without_end_is_ended(self):
        run = self.cas("--", "sh", "-c", "yes; echo end >>trace", code=65)
        self.assertIn("larger than 64 MiB", run.messages)
        self.cas("--max-size", "1MiB", "--", "head", "-c", str(MIB + 1), "/dev/zero", code=65)
        self.as_it_was()
        self.cas("--max-size", "1MiB", "--", "head", "-c", str(MIB), "/dev/zero")
        self.assertEqual(MIB, len(self.content()))
        self.cas("--max-size", "1000", "--", "cat", code=65)

    def test_a_signal_ends_the_command_and_nothing_is_written(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            script = f"trap 'echo got >got-{number}; exit 0' {number.name[3:]}; echo ready >&2; while :; do sleep 0.05; done"
            run = self.start("cas-update", self.blob("b"), "--", "sh", "-c", script)
            run.until_says("ready")
            run.signal(number)
            ended = run.finish()
            self.assertEqual(128 + number, ended.code, f"\n{ended}")
            self.assertEqual(b"got\n", (self.work / f"got-{number}").read_bytes())
        self.as_it_was()


class Conflicts(CasCase):
    def test_a_lost_answer_is_found_again_below_a_peers_update(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", after(self.peer_adds, then=close))
        self.assertEqual("1\n", self.cas("--add", "1", via=via).text)
        self.assert_blob("b", b"2")

    def test_an_update_that_never_arrived_is_done_after_the_peers(self):
        self.put(b"0")
        self.peer_adds()
        via = self.proxy()
        via.on("Put Blob", lambda x: (x.read_body(), self.peer_adds(), x.close()))
        report = self.cas("--add", "1", "--json", via=via).json()
        self.assertEqual((3, 2, False), (report["value"], report["tries"], report["recognised"]))
        self.assert_blob("b", b"3")

    def test_two_who_make_the_blob_end_with_one_creation_and_one_update(self):
        via = self.proxy()
        via.on("Put Block List", before(lambda: self.cas("--create", "--add", "1", name="made")))
        report = self.cas("--create", "--add", "1", "--json", name="made", via=via).json()
        self.assertEqual((2, False), (report["value"], report["created"]))
        self.assert_blob("made", b"2")

    def test_a_creation_whose_answer_was_lost_is_not_repeated_over_a_later_blob(self):
        def creation(request):
            return request.method == "PUT" and request.headers.get("If-None-Match") == "*"

        def harvest():
            self.assert_blob("h", b"1")
            self.azlock("delete", self.blob("h"))
        for later, harvested in ((True, 2), (False, 1)):
            def meanwhile(later=later):
                harvest()
                if later:
                    self.cas("--create", "--add", "1", name="h")
            via = self.proxy()
            via.on(creation, after(meanwhile, then=close))
            error = self.cas("--create", "--add", "1", "--json", name="h", via=via, code=69).error()
            self.assertIs(True, error["may_have_applied"])
            left = int(self.content("h")) if self.rest.exists(self.container, "h") else 0
            self.assertEqual(harvested, 1 + left)
            if later:
                self.azlock("delete", self.blob("h"))

    def test_where_another_tool_wrote_over_a_lost_answer_it_is_69(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", after(lambda: self.put(b"77"), then=close))
        error = self.cas("--add", "1", "--json", via=via, code=69).error()
        self.assertIs(True, error["may_have_applied"])
        self.assert_blob("b", b"77")

    def test_the_tries_have_an_end_and_are_told_of(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", before(self.peer_adds), times=3)
        run = self.cas("--add", "1", "--max-tries", "3", "--no-lease-fallback", "-v", via=via, code=73)
        self.assertIn("3 tries", run.messages)
        self.assertIn("(try 2)", run.messages)
        self.assert_blob("b", b"3")


if __name__ == "__main__":
    unittest.main()
