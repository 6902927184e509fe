"""stdout is data, stderr is for people, and --json is for programs."""

import json
import unittest

from support.case import MIB, Case
from support.faults import drop_reply, fail_before, service_error

ERROR_KEYS = {"code", "message", "http_status", "service_code", "operation", "request_id", "client_request_id", "target",
              "retryable", "may_have_applied", "hint"}


class Output(Case):
    def test_an_error_as_json_is_one_object_with_these_keys(self):
        for arguments, code, name in ((("show", self.blob("none")), 79, "not_found"), (("show",), 64, "usage"),
                                      (("upload", "none", self.blob("b")), 66, "input_missing"),
                                      (("--nonsense",), 64, "usage"), (("list", "no-such"), 79, "not_found")):
            with self.subTest(arguments=arguments):
                error = self.azlock(*arguments, "--json", code=code).error()
                self.assertEqual((ERROR_KEYS, name), (set(error), error["code"]))

    def test_an_error_of_the_service_carries_its_ids(self):
        error = self.azlock("show", self.blob("none"), "--json", code=79).error()
        self.assertEqual((404, "BlobNotFound", "Get Blob Properties", self.blob("none"), False, False),
                         (error["http_status"], error["service_code"], error["operation"], error["target"],
                          error["retryable"], error["may_have_applied"]))
        self.assertRegex(error["request_id"], "^[0-9a-f-]{36}$")
        self.assertRegex(error["client_request_id"], "^[0-9a-f-]{36}$")

    def test_a_plain_error_is_one_line_with_target_reason_and_request_id(self):
        run = self.azlock("show", self.blob("none"), code=79)
        self.assertRegex(run.messages, rf"^azlock: {self.blob('none')}: .*does not exist \(Get Blob Properties, HTTP 404 "
                                       r"BlobNotFound, request id [0-9a-f-]{36}\)\n$")

    def test_json_of_every_command_is_one_line_for_each_thing(self):
        source = self.file("source", 3 * MIB)
        expected = {
            ("upload", source, self.blob("b"), "--block-size", "1MiB"):
                {"target", "etag", "bytes", "sent", "reused", "blocks", "unchanged", "existed", "proof",
                 "requests", "retries", "seconds"},
            ("download", self.blob("b"), "copy"):
                {"target", "file", "etag", "bytes", "md5_checked", "superseded_by", "requests", "retries", "seconds"},
            ("show", self.blob("b")):
                {"target", "etag", "type", "size", "last_modified", "created", "content_type", "content_encoding",
                 "content_language", "content_disposition", "cache_control", "content_md5", "tier", "version_id", "sealed",
                 "tag_count", "lease", "metadata"},
            ("show", self.container):
                {"target", "etag", "last_modified", "public_access", "immutability_policy", "legal_hold", "lease",
                 "metadata"},
            ("delete", self.blob("b")): {"target", "deleted"},
            ("container", "create", self.container + "2"): {"target", "created"},
            ("container", "delete", self.container + "2", "--yes"): {"target", "deleted"}}
        for arguments, keys in expected.items():
            run = self.azlock(*arguments, "--json")
            self.assertEqual((1, b""), (run.out.count(b"\n"), run.err))
            self.assertEqual(keys, set(run.json()), arguments)

    def test_json_counts_requests_and_retries(self):
        via = self.proxy()
        via.on("Put Block", fail_before)
        report = self.azlock("upload", self.file("source", 2 * MIB), self.blob("b"), "--block-size", "1MiB", "--json",
                             via=via).json()
        self.assertEqual((len(via.requests), 1), (report["requests"], report["retries"]))

    def test_quiet_silences_all_but_errors(self):
        run = self.azlock("upload", self.file("source", 10), self.blob("b"), "-q")
        self.assertEqual((b"", 1), (run.err, run.out.count(b"\n")))
        for arguments in (("download", self.blob("b"), "copy"), ("delete", self.blob("b")),
                          ("container", "create", self.container + "2")):
            run = self.azlock(*arguments, "--quiet")
            self.assertEqual((b"", b""), (run.out, run.err))
        self.assertEqual(1, self.azlock("show", self.blob("b"), "-q", code=79).messages.count("\n"))

    def test_what_was_done_is_told_on_standard_error(self):
        self.assertIn("uploaded 10 B", self.azlock("upload", self.file("source", 10), self.blob("b")).messages)
        self.assertIn("downloaded 10 B", self.azlock("download", self.blob("b"), "copy").messages)
        self.assertIn("would delete", self.azlock("delete", self.blob("b"), "--dry-run").messages)
        self.assertIn("deleted", self.azlock("delete", self.blob("b")).messages)

    def test_very_verbose_shows_each_request(self):
        self.rest.put(self.container, "b", b"x")
        run = self.azlock("show", self.blob("b"), "-vv")
        for text in ("> Get Blob Properties (attempt 1): HEAD", "Authorization: REDACTED", "HTTP 200", "x-ms-request-id"):
            self.assertIn(text, run.messages)
        via = self.proxy()
        via.on("Get Blob Properties", service_error(503, "ServerBusy"))
        self.assertIn("trying Get Blob Properties again", self.azlock("show", self.blob("b"), "-v", via=via).messages)

    def test_a_lost_answer_that_was_resolved_is_a_plain_success(self):
        via = self.proxy()
        via.on("Put Blob", drop_reply)
        run = self.azlock("upload", self.file("source", 10), self.blob("b"), via=via)
        self.assertEqual(self.rest.head(self.container, "b")["ETag"], run.text.strip())

    def test_names_that_are_no_text_make_valid_json_all_the_same(self):
        error = self.azlock("upload", b"not\xffutf8", self.blob("b"), "--json", code=66).error()
        self.assertIn("utf8", error["message"])
        json.dumps(error)

    def test_a_terminal_is_not_told_what_it_would_obey(self):
        run = self.azlock("upload", b"\x1b[31mred\x07", self.blob("b"), code=66)
        self.assertNotIn(b"\x1b", run.err)
        self.assertNotIn(b"\x07", run.err)


if __name__ == "__main__":
    unittest.main()
