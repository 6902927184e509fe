"""What goes over the wire: how many requests and connections, and how requests are signed."""

import re
import unittest

from support import signer
from support.azurite import ACCOUNT, KEY
from support.case import MIB, Case
from support.faults import fail_before

GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class RequestCounts(Case):
    def setUp(self):
        super().setUp()
        self.via = self.proxy()

    def assert_requests(self, *operations):
        self.assertEqual(sorted(operations), sorted(self.via.operations()))

    def test_a_small_file_is_one_request(self):
        run = self.azlock("upload", self.file("small", 1000), self.blob("b"), "--json", via=self.via)
        self.assert_requests("Put Blob")
        self.assertEqual((1, 0), (run.json()["requests"], run.json()["retries"]))

    def test_a_small_file_over_an_existing_blob_is_one_request(self):
        self.rest.put(self.container, "b", b"old")
        self.azlock("upload", self.file("small", 1000), self.blob("b"), via=self.via)
        self.assert_requests("Put Blob")

    def test_a_small_file_that_must_be_new_is_one_request(self):
        self.azlock("upload", self.file("small", 1000), self.blob("b"), "--if-none-match", "*", via=self.via)
        self.assert_requests("Put Blob")

    def test_many_blocks_are_one_look_one_list_the_blocks_and_one_commit(self):
        run = self.azlock("upload", self.file("large", 20 * MIB), self.blob("b"), "--json", via=self.via)
        self.assert_requests("Get Blob Properties", "Get Block List", *["Put Block"] * 3, "Put Block List")
        self.assertEqual(6, run.json()["requests"])

    def test_a_fresh_upload_asks_for_no_list(self):
        self.azlock("upload", self.file("large", 20 * MIB), self.blob("b"), "--fresh", via=self.via)
        self.assert_requests("Get Blob Properties", *["Put Block"] * 3, "Put Block List")

    def test_a_missing_container_costs_two_requests_more(self):
        new = self.container + "-new"
        self.azlock("upload", self.file("small", 10), new + "/b", "--create-container", via=self.via)
        self.assert_requests("Put Blob", "Create Container", "Put Blob")
        self.via.clear()
        self.azlock("upload", self.file("small", 10), new + "/c", "--create-container", via=self.via)
        self.assert_requests("Put Blob")

    def test_a_small_download_is_one_request(self):
        self.rest.put(self.container, "b", bytes(4 * MIB))
        self.azlock("download", self.blob("b"), "copy", via=self.via)
        self.assert_requests("Get Blob")

    def test_a_large_download_is_one_request_for_each_range(self):
        self.rest.put(self.container, "b", bytes(10 * MIB))
        self.azlock("download", self.blob("b"), "copy", via=self.via)
        self.assert_requests(*["Get Blob"] * 3)

    def test_show_list_delete_and_the_container_commands_are_one_request_each(self):
        self.rest.put(self.container, "b", b"x")
        for arguments, operation in ((("show", self.blob("b")), "Get Blob Properties"),
                                     (("show", self.container), "Get Container Properties"),
                                     (("list", self.container), "List Blobs"),
                                     (("list",), "List Containers"),
                                     (("delete", self.blob("b"), "--force"), "Delete Blob"),
                                     (("container", "create", self.container + "2"), "Create Container"),
                                     (("container", "show", self.container), "Get Container Properties"),
                                     (("container", "delete", self.container, "--yes", "--force"), "Delete Container")):
            with self.subTest(arguments=arguments):
                self.via.clear()
                self.azlock(*arguments, via=self.via)
                self.assert_requests(operation)

    def test_a_delete_looks_once_whether_a_lock_needs_what_it_deletes(self):
        self.rest.put(self.container, "b", b"x")
        self.azlock("delete", self.blob("b"), via=self.via)
        self.assert_requests("Get Blob Properties", "Delete Blob")
        self.via.clear()
        self.azlock("container", "delete", self.container, "--yes", via=self.via)
        self.assert_requests("List Blobs", "Delete Container")

    def test_what_is_refused_before_the_network_sends_nothing(self):
        self.azlock("upload", "no-such-file", self.blob("b"), via=self.via, code=66)
        self.azlock("upload", self.file("f", 1), self.blob("b"), "--if-match", "a", "--if-none-match", "b",
                    via=self.via, code=64)
        self.azlock("container", "delete", self.container, via=self.via, code=64)
        self.assert_requests()

    def test_connections_are_kept_and_used_again(self):
        self.azlock("upload", self.file("large", 24 * MIB), self.blob("b"), "--block-size", "1MiB", "--concurrency", "4",
                    via=self.via)
        self.assertEqual(27, len(self.via.requests))
        self.assertLessEqual(self.via.connections, 4)

    def test_the_client_request_id_stays_over_the_attempts_of_one_call(self):
        self.via.on("Get Blob Properties", fail_before)
        self.rest.put(self.container, "b", b"x")
        self.azlock("show", self.blob("b"), via=self.via)
        first, second = (request.headers.get("x-ms-client-request-id") for request in self.via.requests)
        self.assertEqual(first, second)
        self.assertTrue(GUID.fullmatch(first))
        self.azlock("show", self.blob("b"), via=self.via)
        self.assertNotEqual(first, self.via.requests[2].headers.get("x-ms-client-request-id"))

    def test_each_request_names_version_and_agent(self):
        self.azlock("list", self.container, via=self.via)
        self.azlock("list", self.container, "--api-version", "2021-12-02", via=self.via)
        self.assertEqual(["2023-11-03", "2021-12-02"], [r.headers.get("x-ms-version") for r in self.via.requests])
        self.assertRegex(self.via.requests[0].headers.get("User-Agent"), r"^azlock/\d")


class Signatures(Case):
    def test_the_independent_signer_itself_is_right(self):
        common = [("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"), ("x-ms-version", "2023-11-03")]
        underscore_first = [("Content-Length", "0"), ("x-ms-meta-i_", "b"), ("x-ms-meta-i0", "a")]
        for method, target, headers, expected in (
                ("GET", "/c1?restype=container&comp=list&prefix=logs%2fa%20b&include=metadata%2Cuncommittedblobs&timeout=20",
                 [], "Q7u6jjkGOrKw8qWbdVODyDLum4L5aZEdCjOUKMQVkvI="),
                ("PUT", "/c1/b.bin?comp=metadata", underscore_first, "n8yVKdsmQD1kuZ3ZtCAoJfDihhndZxsKScsUQhcyCYY=")):
            self.assertEqual(f"SharedKey {ACCOUNT}:{expected}",
                             signer.authorization(method, f"/{ACCOUNT}{target}", headers + common, ACCOUNT, KEY))

    def test_an_independent_signer_agrees_with_every_signature(self):
        via = self.proxy()
        small, large = self.file("small", 100), self.file("large", 3 * MIB)
        odd = self.blob("a b/%41+c#d?e&f=g/Пётр 🔒.bin")
        etag = self.rest.put(self.container, "b", b"x")
        self.rest.put(self.container, "leased", b"x")
        lease = self.rest.lease(self.container, "leased", "acquire", duration=-1)
        commands = [
            ("upload", small, odd, "--content-type", "text/plain; charset=utf-8", "--metadata", "owner=a b",
             "--metadata", "i_=1", "--metadata", "i0=2", "--metadata", "FOO_BAR=3", "--metadata", "FOO2_BAR=4"),
            ("upload", large, self.blob("l"), "--block-size", "1MiB", "--if-none-match", "*"),
            ("upload", small, self.blob("b"), "--if-match", etag),
            ("upload", small, self.blob("leased"), "--lease-id", lease),
            ("upload", small, self.container + "-new/x", "--create-container"),
            ("download", odd, "copy"), ("download", self.blob("l"), "copy", "--if-match", "*"),
            ("show", odd), ("show", self.container), ("list",), ("list", self.blob("a b/"), "--delimiter", "/"),
            ("list", self.container, "--prefix", "a b/%41+", "--page-size", "1", "--uncommitted"),
            ("delete", odd, "--snapshots", "include"),
            ("delete", self.blob("l"), "--if-unmodified-since", "2099-01-01T00:00:00Z"),
            ("container", "create", self.container + "2", "--metadata", "a_1=x", "--metadata", "a1=y"),
            ("container", "show", self.container + "2"), ("container", "delete", self.container + "2", "--yes")]
        for arguments in commands:
            self.azlock(*arguments, via=via)
        self.assertGreaterEqual(len(via.requests), len(commands))
        for request in via.requests:
            with self.subTest(request=str(request)):
                expected = signer.authorization(request.method, request.target, request.headers, ACCOUNT, KEY)
                self.assertEqual(expected, request.headers.get("Authorization"))
                self.assertIsNone(request.headers.get("Date"))
        seen = {request.operation for request in via.requests}
        self.assertEqual({"Put Blob", "Put Block", "Put Block List", "Get Block List", "Get Blob", "Get Blob Properties",
                          "Delete Blob", "List Blobs", "List Containers", "Create Container", "Get Container Properties",
                          "Delete Container"}, seen)


if __name__ == "__main__":
    unittest.main()
