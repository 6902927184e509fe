"""No service, a silent one, or something that only looks like one: 69, in time, and never a crash."""

import socket
import time
import unittest

from support.case import MIB, Case, noise
from support.faults import delay, fail_before, html, replace_body, reset_answer, service_error, stall, truncate

SLACK = 20  # seconds that a busy machine may need in addition


class Port:
    """A port without an HTTP server. Case can use it like a proxy."""

    def __init__(self, case, listen):
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        if listen:
            self._socket.listen(64)  # the kernel accepts; nobody ever answers
        case.addCleanup(self._socket.close)


class NoService(Case):
    def commands(self):
        source = self.file("source", b"x")
        large = self.file("large", 3 * MIB)
        return (("upload", source, self.blob("b")), ("upload", large, self.blob("b"), "--block-size", "1MiB"),
                ("download", self.blob("b"), "copy"), ("show", self.blob("b")), ("list",), ("delete", self.blob("b")),
                ("container", "create", self.container + "2"))

    def fails_in_time(self, via, seconds):
        for arguments in self.commands():
            with self.subTest(arguments=arguments):
                run = self.azlock(*arguments, "--timeout", f"{seconds}s", "--json", via=via, code=69)
                self.assertLess(run.seconds, seconds + SLACK)
                error = run.error()
                self.assertEqual(("unavailable", None, True),
                                 (error["code"], error["http_status"], error["retryable"]))
                self.assertFalse((self.work / "copy").exists())
                self.assertEqual([], self.leftovers())

    def test_a_server_that_does_not_listen_is_69_within_the_timeout(self):
        port = Port(self, listen=False)
        self.fails_in_time(port, 0.5)
        self.assertIn("cannot connect", self.azlock("list", "--timeout", "0.5s", via=port, code=69).messages)

    def test_a_server_that_accepts_and_never_answers_is_69_within_the_timeout(self):
        self.fails_in_time(Port(self, listen=True), 0.5)

    def test_a_server_that_takes_the_request_and_never_answers_is_69_within_the_timeout(self):
        via = self.proxy(upstream=False)
        via.on(lambda request: True, stall, times=None)
        self.fails_in_time(via, 0.5)

    def test_it_gives_up_after_the_retries_asked_for(self):
        via = self.proxy(upstream=False)
        via.on("List Containers", fail_before, times=3)
        run = self.azlock("list", "--retries", "2", via=via, code=69)
        self.assertEqual(3, via.count("List Containers"))
        self.assertIn("3 attempts", run.messages)

    def test_a_transfer_tries_for_the_time_asked_for_and_says_so(self):
        port = Port(self, listen=False)
        for arguments in (("upload", self.file("source", b"x"), self.blob("b")), ("download", self.blob("b"), "copy")):
            with self.subTest(arguments=arguments):
                run = self.azlock(*arguments, "--retry-for", "3s", via=port, code=69)
                self.assertGreaterEqual(run.seconds, 3)
                self.assertLess(run.seconds, 3 + SLACK)
                self.assertIn("the service cannot be reached; azlock tries again for 3 s", run.messages)

    def test_one_attempt_may_be_given_less_time_than_the_whole(self):
        self.rest.put(self.container, "b", b"content")
        via = self.proxy()
        via.on("Get Blob Properties", stall)
        run = self.azlock("show", self.blob("b"), "--try-timeout", "0.5s", "--timeout", "60s", via=via)
        self.assertLess(run.seconds, 0.5 + 1 + SLACK)
        self.assertGreaterEqual(run.seconds, 0.5)

    def test_an_answer_that_takes_its_time_is_waited_for(self):
        self.rest.put(self.container, "b", b"content")
        via = self.proxy()
        via.on("Get Blob", delay(1.5))
        self.azlock("download", self.blob("b"), "copy", via=via)
        self.assertEqual(["Get Blob"], via.operations())

    def test_a_name_that_does_not_resolve_is_69(self):
        env = {"AZURE_STORAGE_CONNECTION_STRING": "BlobEndpoint=http://no-such-host.invalid/account;",
               "AZURE_STORAGE_AUTH_MODE": "anonymous"}
        error = self.azlock("list", "--timeout", "2s", "--json", env=env, code=69).error()
        self.assertIn("no-such-host.invalid", error["message"])


class NotTheService(Case):
    def test_a_page_of_html_is_69_with_its_status(self):
        self.rest.put(self.container, "b", b"content")
        for status in (200, 403, 404, 302):
            for arguments in (("upload", self.file("source", b"x"), self.blob("n")), ("download", self.blob("b"), "copy"),
                              ("show", self.blob("b")), ("list", self.container), ("delete", self.blob("b")),
                              ("container", "create", self.container + "2")):
                with self.subTest(status=status, arguments=arguments):
                    via = self.proxy(upstream=False)
                    via.on(lambda request: True, html(status), times=None)
                    error = self.azlock(*arguments, "--json", "--timeout", "3s", "--retries", "1", via=via,
                                        code=69).error()
                    self.assertEqual((status, "unavailable"), (error["http_status"], error["code"]))
                    self.assertIn(f"HTTP {status}", error["message"])
                    self.assertFalse((self.work / "copy").exists())
        self.assert_blob("b", b"content")

    def test_a_sign_in_page_that_goes_away_does_no_harm(self):
        via = self.proxy()
        via.on("Get Blob", html(200))
        self.rest.put(self.container, "b", b"content")
        self.azlock("download", self.blob("b"), "copy", via=via)
        self.assertEqual(b"content", (self.work / "copy").read_bytes())

    def test_malformed_xml_in_a_listing_is_69(self):
        good = b'<?xml version="1.0"?><EnumerationResults><Blobs><Blob><Name>a</Name></Blob></Blobs><NextMarker/>'
        for body in (b"", b"not xml", b"<", good, good[:-30], good + b"</Other>", b"<EnumerationResults>" * 5000,
                     b'{"json": true}', b"\x00\x01\xff" * 100, b"<Error><Code>x</Code></Error>",
                     b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]><EnumerationResults>&c;</EnumerationResults>',
                     b"<EnumerationResults><Blobs><Blob></Blob></Blobs></EnumerationResults>"):
            with self.subTest(body=body[:60]):
                via = self.proxy()
                via.on("List Blobs", replace_body(body), times=None)
                error = self.azlock("list", self.container, "--json", "--timeout", "2s", "--retries", "1", via=via,
                                    code=69).error()
                self.assertEqual("unavailable", error["code"])

    def test_what_is_not_http_is_69(self):
        for garbage in (b"SSH-2.0-OpenSSH_9.2\r\n", b"\x15\x03\x01\x00\x02\x02\x28", b"HTTP/1.1 abc\r\n\r\n", b"\r\n\r\n"):
            with self.subTest(garbage=garbage):
                via = self.proxy(upstream=False)

                def say(x, garbage=garbage):
                    x.send(garbage)
                    x.close()
                via.on(lambda request: True, say, times=None)
                self.azlock("list", "--timeout", "3s", "--retries", "1", "--json", via=via, code=69).error()

    def test_headers_without_end_do_not_fill_the_memory(self):
        via = self.proxy(upstream=False)

        def flood(x):
            x.send(b"HTTP/1.1 200 OK\r\n")
            end = time.monotonic() + 10
            while time.monotonic() < end:
                x.send(b"x-ms-flood: " + b"a" * 60000 + b"\r\n")
        via.on("List Containers", flood, times=None)
        self.azlock("list", "--timeout", "2s", "--retries", "0", via=via, code=69)


class Interruptions(Case):
    def test_answers_that_break_off_are_asked_for_again(self):
        content = noise(9 * MIB)
        self.rest.put(self.container, "b", content)
        for fault in (truncate, reset_answer, fail_before):
            with self.subTest(fault=fault.__name__):
                via = self.proxy()
                via.on("Get Blob", fault, nth=1)
                via.on("Get Blob", fault, nth=3)
                self.azlock("download", self.blob("b"), "copy", via=via)
                self.assertTrue(content == (self.work / "copy").read_bytes(), "the copy differs")

    def test_a_download_to_a_pipe_gets_each_byte_once_despite_broken_answers(self):
        content = noise(9 * MIB)
        self.rest.put(self.container, "b", content)
        via = self.proxy()
        via.on("Get Blob", truncate, nth=1)
        via.on("Get Blob", reset_answer, nth=3, times=2)
        self.assertTrue(content == self.azlock("download", self.blob("b"), "-", via=via).out)

    def test_a_listing_that_breaks_off_is_asked_for_again(self):
        for number in range(3):
            self.rest.put(self.container, f"n{number}", b"")
        via = self.proxy()
        via.on("List Blobs", truncate)
        listed = self.azlock("list", self.container, "--json", via=via).lines()
        self.assertEqual(["n0", "n1", "n2"], [entry["name"] for entry in listed])

    def test_a_range_of_other_bytes_is_not_taken(self):
        self.rest.put(self.container, "b", noise(9 * MIB))

        def shifted(x):
            answer = x.forward()
            first, last = x.request.headers.get("x-ms-range").removeprefix("bytes=").split("-")
            answer.headers = answer.headers.without("Content-Range")
            answer.headers.append(("Content-Range", f"bytes {int(first) + 1}-{last}/{9 * MIB}"))
            x.reply(answer)
        via = self.proxy()
        via.on("Get Blob", shifted, nth=2, times=None)
        self.azlock("download", self.blob("b"), "copy", "--retries", "1", "--timeout", "5s", via=via, code=69)
        self.assertFalse((self.work / "copy").exists())

    def test_retry_after_is_obeyed(self):
        self.rest.put(self.container, "b", b"content")
        for header in (("Retry-After", "2"), ("x-ms-retry-after-ms", "2000")):
            with self.subTest(header=header):
                via = self.proxy()
                via.on("Get Blob", service_error(503, "ServerBusy", header))
                run = self.azlock("download", self.blob("b"), "copy", via=via)
                self.assertGreaterEqual(run.seconds, 2)
                self.assertEqual(2, via.count("Get Blob"))

    def test_a_retry_after_beyond_the_deadline_is_not_waited_for(self):
        via = self.proxy()
        via.on("Get Blob", service_error(503, "ServerBusy", ("Retry-After", "600")))
        run = self.azlock("download", self.blob("b"), "copy", "--timeout", "30s", "--json", via=via, code=69)
        self.assertLess(run.seconds, 30)
        self.assertEqual((503, "ServerBusy"), (run.error()["http_status"], run.error()["service_code"]))

    def test_a_server_error_is_tried_again_and_a_refusal_is_not(self):
        self.rest.put(self.container, "b", b"content")
        via = self.proxy()
        via.on("Get Blob", service_error(500, "InternalError"))
        self.azlock("download", self.blob("b"), "copy", via=via)
        self.assertEqual(2, via.count("Get Blob"))
        via.on("Get Blob", service_error(400, "InvalidInput"))
        self.azlock("download", self.blob("b"), "copy", via=via, code=64)
        self.assertEqual(3, via.count("Get Blob"))

    def test_a_long_outage_is_told(self):
        via = self.proxy()
        via.on("List Containers", service_error(503, "ServerBusy", ("Retry-After", "4")))
        self.assertIn("trying List Containers again", self.azlock("list", via=via).messages)


if __name__ == "__main__":
    unittest.main()
