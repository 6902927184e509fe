"""Answers that never arrive: what was done counts once, and an old version never comes back."""

import unittest

from support.case import MIB, Case
from support.faults import after, before, close, drop_reply, fail_before, refuse_early, reset_mid_body, service_error

OLD = b"the old version"
PEER = b"a version of somebody else"


class LostAnswers(Case):
    def setUp(self):
        super().setUp()
        self.small = self.file("small", b"the small file")
        self.large = self.file("large", 5 * MIB)
        self.via = self.proxy()

    def put(self, content, name="b"):
        return self.rest.put(self.container, name, content)

    def upload(self, source, *flags, name="b", code=0, via=None):
        if source is self.large:
            flags += ("--block-size", "1MiB")
        return self.azlock("upload", source, self.blob(name), "--json", *flags, via=via or self.via, code=code)

    def commit_of(self, source):
        return "Put Block List" if source is self.large else "Put Blob"

    def test_a_write_whose_answer_is_lost_is_a_success_and_done_once(self):
        for source in (self.small, self.large):
            for flags in ((), ("--if-none-match", "*")):
                with self.subTest(source=source.name, flags=flags):
                    name = source.name + "".join(flags)
                    via = self.proxy()
                    via.on(self.commit_of(source), drop_reply)
                    report = self.upload(source, *flags, name=name, via=via).json()
                    self.assert_blob(name, source.read_bytes())
                    self.assertEqual(1, via.carried_out(self.commit_of(source)), "one version, not two")
                    self.assertEqual(self.rest.head(self.container, name)["ETag"], report["etag"])

    def test_an_overwrite_under_if_match_whose_answer_is_lost_is_a_success(self):
        for source in (self.small, self.large):
            etag = self.put(OLD, source.name)
            via = self.proxy()
            via.on(self.commit_of(source), drop_reply)
            self.upload(source, "--if-match", etag, name=source.name, via=via)
            self.assert_blob(source.name, source.read_bytes())

    def test_a_write_that_never_arrived_is_sent_again(self):
        for source, flags in ((self.small, ()), (self.small, ("--no-overwrite",)), (self.large, ()),
                              (self.large, ("--if-none-match", "*"))):
            with self.subTest(source=source.name, flags=flags):
                name = source.name + "".join(flags)
                via = self.proxy()
                via.on(self.commit_of(source), fail_before, times=2)
                self.upload(source, *flags, name=name, via=via)
                self.assert_blob(name, source.read_bytes())

    def test_a_small_blob_is_not_created_again_after_somebody_has_deleted_it(self):
        self.via.on("Put Blob", after(lambda: self.azlock("delete", self.blob("b")), then=close))
        run = self.upload(self.small, "--if-none-match", "*", code=69)
        self.assertIs(True, run.error()["may_have_applied"])
        self.assertFalse(self.rest.exists(self.container, "b"))

    def an_old_version_never_comes_back(self, source):
        self.via.on(self.commit_of(source), after(lambda: self.peer_writes("b"), then=close))
        run = self.upload(source, code=None)
        self.assert_blob("b", PEER)
        self.assertEqual(1, self.via.carried_out(self.commit_of(source)))
        # Either azlock sees that our write was carried out before the peer's, or it says that it cannot know.
        self.assertIn(run.code, (0, 69), f"\n{run}")
        if run.code == 69:
            self.assertIs(True, run.error()["may_have_applied"])

    def test_an_old_version_in_blocks_never_comes_back_over_a_peers(self):
        self.an_old_version_never_comes_back(self.large)

    def peer_writes(self, name):
        self.rest.put(self.container, name, PEER)

    def test_a_peer_that_carries_our_mark_forward_lets_us_see_that_we_had_written(self):
        # A second azlock writes over ours, and adds to our list of writes.
        other = self.file("other", b"of another azlock")

        def second_azlock():
            # Sent with a condition, so that it reads the list of writes before it.
            etag = self.rest.head(self.container, "b")["ETag"]
            self.azlock("upload", other, self.blob("b"), "--if-match", etag)
        for source in (self.small, self.large):
            via = self.proxy()
            via.on(self.commit_of(source), after(second_azlock, then=close))
            self.upload(source, via=via)
            self.assert_blob("b", other.read_bytes())

    def test_a_peers_write_under_a_condition_that_lost_its_answer_is_no_false_success(self):
        # Ours never arrived; somebody else's did.
        for source in (self.small, self.large):
            name = source.name
            via = self.proxy()
            via.on(self.commit_of(source), lambda x, name=name: (x.read_body(), self.peer_writes(name), x.close()))
            self.upload(source, "--if-none-match", "*", name=name, via=via, code=69)
            self.assert_blob(name, PEER)

    def test_a_dropped_answer_to_a_delete_is_a_success(self):
        self.put(OLD)
        self.via.on("Delete Blob", drop_reply)
        self.azlock("delete", self.blob("b"), via=self.via)
        self.assertFalse(self.rest.exists(self.container, "b"))

    def test_a_delete_whose_answer_is_lost_never_deletes_a_newer_blob(self):
        self.put(OLD)
        self.via.on("Delete Blob", after(lambda: self.put(PEER), then=close))
        self.azlock("delete", self.blob("b"), via=self.via, code=69)
        self.assert_blob("b", PEER)

    def test_a_delete_of_what_is_not_there_stays_79_even_so(self):
        self.azlock("delete", self.blob("b"), via=self.via, code=79)

    def test_dropped_answers_of_the_container_commands_are_successes(self):
        new = self.container + "-new"
        self.via.on("Create Container", drop_reply)
        self.via.on("Delete Container", drop_reply)
        self.azlock("container", "create", new, via=self.via)
        self.azlock("container", "delete", new, "--yes", via=self.via)
        self.azlock("container", "show", new, code=79)

    def test_a_dropped_answer_to_the_container_of_an_upload_is_no_problem(self):
        new = self.container + "-new"
        self.via.on("Create Container", drop_reply)
        self.azlock("upload", self.small, new + "/b", "--create-container", via=self.via)
        self.assertEqual(self.small.read_bytes(), self.rest.get(new, "b"))

    def test_lost_answers_and_broken_connections_of_blocks_are_repaired(self):
        for fault in (drop_reply, fail_before, reset_mid_body):
            with self.subTest(fault=fault.__name__):
                via = self.proxy()
                via.on("Put Block", fault, nth=1)
                via.on("Put Block", fault, nth=3, times=2)
                self.upload(self.large, name=fault.__name__, via=via)
                self.assert_blob(fault.__name__, self.large.read_bytes())
                self.assertEqual(1, via.count("Put Block List"))

    def test_a_small_upload_survives_a_reset_in_its_body(self):
        self.via.on("Put Blob", reset_mid_body, times=2)
        self.upload(self.file("half", 6 * MIB))
        self.assert_blob("b", (self.work / "half").read_bytes())

    def test_throttling_is_waited_out(self):
        busy = service_error(503, "ServerBusy", ("Retry-After", "1"))
        for source in (self.small, self.large):
            via = self.proxy()
            via.on(self.commit_of(source), busy)
            run = self.upload(source, name=source.name, via=via)
            self.assertGreaterEqual(run.seconds, 1)
            self.assert_blob(source.name, source.read_bytes())

    def test_a_500_after_the_work_was_done_is_a_success(self):
        def late_failure(x):
            x.forward()
            service_error(500, "OperationTimedOut")(x)
        for source in (self.small, self.large):
            via = self.proxy()
            via.on(self.commit_of(source), late_failure)
            self.upload(source, "--if-none-match", "*", name=source.name, via=via)
            self.assert_blob(source.name, source.read_bytes())

    def test_an_early_refusal_while_a_large_body_is_sent_keeps_its_reason(self):
        big = self.file("big", 24 * MIB)
        for status, code, expected in ((403, "AuthorizationPermissionMismatch", 77), (404, "ContainerNotFound", 79)):
            with self.subTest(status=status):
                self.put(OLD)
                via = self.proxy()
                # Only asked if the answer to the block was lost with the connection.
                via.on("Get Blob Properties", refuse_early(status, code), nth=2, times=None, needed=False)
                early = via.on("Put Block", refuse_early(status, code), times=None)
                error = self.azlock("upload", big, self.blob("b"), "--json", via=via, code=expected).error()
                self.assertEqual(code, error["service_code"])
                self.assertGreaterEqual(early.fired, 1)
                self.assert_blob("b", OLD)


class OldContentStays(Case):
    def test_a_failing_overwrite_in_blocks_leaves_a_small_blob_as_it_was(self):
        large = self.file("large", 5 * MIB)
        for operation in ("Get Blob Properties", "Put Block", "Put Block List"):
            for fault, code in ((service_error(403, "AuthorizationFailure"), 77), (service_error(503, "ServerBusy"), 69),
                                (service_error(404, "ContainerNotFound"), 79), (fail_before, 69), (reset_mid_body, 69),
                                (service_error(412, "LeaseIdMissing"), 75)):
                if fault is reset_mid_body and operation == "Get Blob Properties":
                    continue
                with self.subTest(operation=operation, fault=getattr(fault, "__name__", ""), code=code):
                    self.rest.put(self.container, "b", OLD, x_ms_meta_kept="yes")
                    via = self.proxy()
                    via.on(operation, fault, times=None)
                    self.azlock("upload", large, self.blob("b"), "--block-size", "1MiB", "--retries", "1", via=via,
                                code=code)
                    self.assert_blob("b", OLD)
                    self.assertEqual("yes", self.rest.head(self.container, "b")["x-ms-meta-kept"])

    def test_staged_blocks_that_a_peer_discards_are_sent_again(self):
        large = self.file("large", 3 * MIB)
        via = self.proxy()
        # A commit of another list discards all that is staged.
        via.on("Put Block List", before(lambda: self.rest.request(
            "PUT", self.container, "b", query={"comp": "blocklist"}, body=b"<?xml version='1.0'?><BlockList></BlockList>")))
        self.azlock("upload", large, self.blob("b"), "--block-size", "1MiB", via=via)
        self.assert_blob("b", large.read_bytes())


if __name__ == "__main__":
    unittest.main()
