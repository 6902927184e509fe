"""Whatever is lost, cut off, refused or stalled: the new content is there and azlock says so, or the old one is."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import MIB, Case, noise
from support.faults import (drop_reply, fail_before, refusal, reset_answer, reset_mid_body, service_error, stall,
                            truncate)

KIB = 1024
OLD = b"the old version!!"  # 17 bytes
NEW = noise(5 * 64 * KIB + 77)
FLAGS = ("--block-size", "64KiB", "--concurrency", "1")
REQUESTS = ["Get Blob Properties", "Get Block List", *["Put Block"] * 6, "Put Block List"]
AT_ONCE = 6


def cut_head(x):
    """Carried out; half of the answer's head comes, then the end of the stream."""
    answer = x.forward()
    encoded = answer.encode(head_only=True)
    x.send(encoded[:len(encoded) // 2])
    x.close()


def anything(request):
    return True


class Faults(Case):
    def setUp(self):
        super().setUp()
        self.source = self.file("source", NEW)

    def in_parallel(self, cases, run):
        """Runs all cases, a few at a time; each failure names its case."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            started = [(case, pool.submit(run, *case)) for case in cases]
        for case, future in started:
            with self.subTest(case=[getattr(part, "__name__", part) for part in case]):
                future.result()

    def upload(self, via, name, *flags, code=None, source=None):
        return self.azlock("upload", source or self.source, self.blob(name), "--json", *FLAGS, *flags, via=via, code=code)

    def assert_true(self, run, name, new=NEW, old=OLD):
        """Checks that the exit code fits what the blob holds."""
        there = self.rest.get(self.container, name) if self.rest.exists(self.container, name) else None
        if run.code == 0:
            self.assertTrue(there == new, f"it says that it wrote, and did not\n{run}")
        else:
            error = run.error()
            if there != old:
                self.assertTrue(there == new, f"neither the old version nor the new one\n{run}")
                self.assertIs(True, error["may_have_applied"], f"it wrote, and says that it did not\n{run}")
        return there == new


class InTurn(Faults):
    ALL = (fail_before, drop_reply, cut_head, truncate, reset_answer, reset_mid_body)

    def test_any_one_request_or_answer_that_is_lost_is_made_up_for(self):
        self.in_parallel([(number, fault) for number in range(1, len(REQUESTS) + 1) for fault in self.ALL], self.one_lost)

    def one_lost(self, number, fault):
        name = f"{fault.__name__}-{number}"
        self.rest.put(self.container, name, OLD)
        via = self.proxy()
        via.on(anything, fault, nth=number)
        run = self.upload(via, name, code=0)
        self.assertTrue(self.assert_true(run, name))
        self.assertEqual(1, via.carried_out("Put Block List"), "one version, not two")
        self.assertEqual(self.rest.head(self.container, name)["ETag"], run.json()["etag"])
        self.assertLessEqual(len(via.requests), len(REQUESTS) + 2)

    def test_the_same_where_blocks_are_there_already(self):
        cases = [(number, fault) for number in (1, 2, 3, 4) for fault in (fail_before, drop_reply, truncate)]
        self.in_parallel(cases, self.one_lost_of_a_delta)

    def one_lost_of_a_delta(self, number, fault):
        name = f"delta-{fault.__name__}-{number}"
        changed = NEW[:70000] + b"changed" + NEW[70007:]
        source = self.file(name, changed)
        self.upload(self.azurite, name, code=0)
        via = self.proxy()
        via.on(anything, fault, nth=number)
        run = self.upload(via, name, code=0, source=source)
        self.assert_true(run, name, new=changed, old=NEW)
        self.assertEqual(64 * KIB, run.json()["sent"])
        self.assertEqual(1, via.carried_out("Put Block List"))

    def test_the_same_for_standard_input(self):
        self.in_parallel([(number, fault) for number in (1, 2, 3, 8, 9) for fault in (fail_before, drop_reply)],
                         self.one_lost_of_a_pipe)

    def one_lost_of_a_pipe(self, number, fault):
        name = f"pipe-{fault.__name__}-{number}"
        via = self.proxy()
        via.on(anything, fault, nth=number)
        self.azlock("upload", "-", self.blob(name), *FLAGS, via=via, input=NEW)
        self.assert_blob(name, NEW)
        self.assertEqual(1, via.carried_out("Put Block List"))

    def test_the_same_for_verify(self):
        self.upload(self.azurite, "b", code=0)
        other = self.file("other", NEW[:-1] + b"?")
        self.in_parallel([(number, fault, file, code) for number in (1, 2) for fault in (fail_before, truncate, reset_answer)
                          for file, code in ((self.source, 0), (other, 65))], self.one_lost_of_verify)

    def one_lost_of_verify(self, number, fault, file, code):
        via = self.proxy()
        via.on(anything, fault, nth=number)
        self.azlock("verify", file, self.blob("b"), via=via, code=code)


class ForGood(Faults):
    def test_what_fails_from_some_request_on_leaves_the_old_version_or_says_that_it_may_be_the_new_one(self):
        faults = ((fail_before, 69), (drop_reply, 69), (cut_head, 69), (reset_mid_body, 69),
                  (service_error(500, "InternalError"), 69), (service_error(503, "ServerBusy"), 69),
                  (service_error(403, "AuthorizationFailure"), 77), (service_error(404, "ContainerNotFound"), 79),
                  (service_error(409, "BlobImmutableDueToPolicy"), 73))
        self.in_parallel([(number, index, fault, code) for number in (1, 2, 3, 6, 9)
                          for index, (fault, code) in enumerate(faults)], self.from_then_on)

    def from_then_on(self, number, index, fault, code):
        name = f"blob-{index}-{number}"
        self.rest.put(self.container, name, OLD, x_ms_meta_kept="yes")
        via = self.proxy()
        via.on(anything, fault, nth=number, times=None)
        run = self.upload(via, name, "--retries", "1")
        self.assertEqual(code, run.code, f"\n{run}")
        if not self.assert_true(run, name):
            self.assertEqual("yes", self.rest.head(self.container, name)["x-ms-meta-kept"])
        else:
            self.assertIn(fault, (drop_reply, cut_head))
        self.assertLessEqual(via.carried_out("Put Block List"), 1)

    def test_an_upload_that_failed_is_continued_by_the_same_command(self):
        for number in (4, 9):
            name = f"b{number}"
            self.rest.put(self.container, name, OLD)
            via = self.proxy()
            via.on(anything, fail_before, nth=number, times=None)
            self.upload(via, name, "--retries", "0", code=69)
            again = self.proxy()
            report = self.upload(again, name, code=0).json()
            self.assertEqual(9 - number, again.count("Put Block"))
            self.assertEqual(len(NEW), report["sent"] + report["reused"])
            self.assert_blob(name, NEW)


class Storms(Faults):
    def each_first_attempt(self, via, fault):
        seen = set()

        def first(request):
            number = request.headers.get("x-ms-client-request-id")
            if number in seen:
                return False
            seen.add(number)
            return True
        return via.on(first, fault, times=None)

    def test_each_request_is_busy_at_first_and_asks_to_wait(self):
        via = self.proxy()
        storm = self.each_first_attempt(via, service_error(503, "ServerBusy", ("Retry-After", "1")))
        run = self.azlock("upload", self.source, self.blob("b"), "--json", "--block-size", "64KiB", "--concurrency", "6",
                          via=via)
        self.assert_blob("b", NEW)
        self.assertEqual((len(REQUESTS), len(REQUESTS)), (storm.fired, run.json()["retries"]))
        self.assertGreaterEqual(run.seconds, 4)  # the look, the list, the blocks at once, the commit

    def test_each_request_is_cut_off_at_first(self):
        for fault in (reset_mid_body, drop_reply):
            via = self.proxy()
            self.each_first_attempt(via, fault)
            self.azlock("upload", self.source, self.blob(fault.__name__), "--block-size", "64KiB", "--concurrency", "6",
                        via=via)
            self.assert_blob(fault.__name__, NEW)
            self.assertEqual(1, via.carried_out("Put Block List"))

    def test_a_storm_that_lasts_ends_with_69_in_the_time_allowed(self):
        self.rest.put(self.container, "b", OLD)
        for operation in ("Get Blob Properties", "Put Block", "Put Block List"):
            via = self.proxy()
            via.on(operation, service_error(503, "ServerBusy", ("Retry-After", "30")), times=None)
            run = self.upload(via, "b", "--timeout", "2s", code=69)
            self.assertLess(run.seconds, 25)
            self.assert_true(run, "b")
            self.assert_blob("b", OLD)


def stop_in_the_body(x):
    """Takes a part of the body, then nothing more, and does not close."""
    x.read_body(x.request.length // 16)
    x.happened()
    x.stopping.wait()
    x.close()


def stop_in_the_answer(x):
    """The head of the answer comes, half of its body if it has one, and then nothing more."""
    answer = x.forward()
    encoded = answer.encode()
    x.send(encoded[:len(encoded) - len(answer.body) // 2 - (1 if answer.body else 2)])
    x.happened()
    x.stopping.wait()
    x.close()


class Stalls(Faults):
    def test_an_attempt_whose_answer_does_not_come_is_given_up_and_made_again(self):
        self.in_parallel([(operation, stall, "--try-timeout") for operation in sorted(set(REQUESTS))], self.one_stall)

    def test_an_answer_that_stops_half_way_is_given_up_and_asked_for_again(self):
        self.in_parallel([("Get Block List", stop_in_the_answer, "--stall-timeout"),
                          ("Put Block List", stop_in_the_answer, "--try-timeout")], self.one_stall)

    def one_stall(self, operation, fault, flag):
        name = fault.__name__ + operation.replace(" ", "")
        self.rest.put(self.container, name, OLD)
        via = self.proxy()
        via.on(operation, fault)
        run = self.upload(via, name, flag, "1s", code=0)
        self.assert_true(run, name)
        self.assertEqual(1, via.carried_out("Put Block List"))
        self.assertGreaterEqual(run.seconds, 1)
        self.assertLess(run.seconds, 40)

    def test_a_body_that_nobody_takes_is_given_up_and_sent_again(self):
        source = self.file("large", bytes(40 * MIB))  # more than all the buffers between
        via = self.proxy()
        via.on("Put Block", stop_in_the_body, nth=1)
        run = self.azlock("upload", source, self.blob("b"), "--block-size", "32MiB", "--stall-timeout", "1s", "--json", via=via)
        self.assertEqual(1, run.json()["retries"])
        self.assertLess(run.seconds, 40)
        self.assert_blob("b", bytes(40 * MIB))

    def test_a_stall_that_lasts_ends_with_69_and_the_old_version(self):
        self.rest.put(self.container, "b", OLD)
        via = self.proxy()
        via.on("Put Block", stall, times=None)
        run = self.upload(via, "b", "--try-timeout", "1s", "--retries", "1", code=69)
        self.assertGreaterEqual(run.seconds, 2)
        self.assertLess(run.seconds, 30)
        self.assert_blob("b", OLD)

    def test_the_time_allowed_holds_at_any_rate(self):
        self.in_parallel([("1",), ("1KiB",), ("64KiB",)], self.one_slow)

    def one_slow(self, rate):
        run = self.azlock("upload", self.source, self.blob("b" + rate.lower()), "--block-size", "64KiB", "--limit-rate", rate,
                          "--timeout", "2s", code=69)
        self.assertGreaterEqual(run.seconds, 2)
        self.assertLess(run.seconds, 40)

    def test_a_slow_line_is_no_stall(self):
        run = self.azlock("upload", self.source, self.blob("b"), "--json", "--block-size", "64KiB", "--limit-rate", "128KiB",
                          "--stall-timeout", "1s")
        self.assertEqual(0, run.json()["retries"])
        self.assertGreaterEqual(run.seconds, 1.5)
        self.assert_blob("b", NEW)


class Peers(Faults):
    def test_two_uploads_of_the_same_bytes_both_succeed(self):
        for attempt in range(3):
            via = self.proxy()
            running = [self.start("upload", self.source, self.blob(f"b{attempt}"), "--block-size", "64KiB", "--json", via=via)
                       for _ in range(2)]
            for run in [one.finish() for one in running]:
                self.assertEqual(0, run.code, f"\n{run}")
            self.assert_blob(f"b{attempt}", NEW)

    def test_of_two_uploads_of_different_bytes_one_whole_version_wins(self):
        other = noise(len(NEW), seed=9)
        sources = [self.source, self.file("other", other)]
        for attempt in range(4):
            condition = ("--if-none-match", "*") if attempt % 2 else ()
            running = [self.start("upload", source, self.blob(f"b{attempt}"), "--block-size", "64KiB", *condition)
                       for source in sources]
            codes = sorted(one.finish().code for one in running)
            self.assertEqual([0, 73] if condition else [0, 0], codes)
            self.assertIn(self.rest.get(self.container, f"b{attempt}"), (NEW, other))

    def test_a_peer_that_commits_between_look_and_commit_is_overwritten_whole_and_one_with_a_condition_gives_up(self):
        for condition in ((), ("--if-none-match", "*")):
            name = "b" + "".join(condition)
            via = self.proxy()

            def peer_first(x, name=name):
                x.read_body()
                self.rest.put(self.container, name, OLD)
                x.reply(x.forward())
            via.on("Put Block List", peer_first)
            run = self.upload(via, name, *condition, code=73 if condition else 0)
            self.assert_true(run, name)
            self.assertEqual(OLD if condition else NEW, self.rest.get(self.container, name))

    def test_checksums_that_the_service_does_not_know_are_left_out_for_the_whole_run(self):
        # An account that is not the emulator's by its name is offered CRC64 first.
        checks = []

        def look_at(x):
            checks.append(x.request.headers.get("x-ms-content-crc64") is not None)
            x.read_body()
            if checks[-1]:
                x.reply(refusal(400, "UnsupportedHeader"))
            else:
                self.assertIsNotNone(x.request.headers.get("Content-MD5"))
                x.reply(refusal(201, "None"))
        via = self.proxy(upstream=False)
        via.on("Put Block", look_at, times=None)
        via.on("Get Blob Properties", service_error(404, "BlobNotFound"), needed=False)
        via.on("Get Block List", service_error(404, "BlobNotFound"))
        via.on("Put Block List", lambda x: (x.read_body(), x.reply(refusal(201, "None", [("ETag", '"0x1"')]))))
        key = "c2VjcmV0" * 8
        env = {"AZURE_STORAGE_CONNECTION_STRING":
               f"AccountName=account;AccountKey={key};BlobEndpoint=http://127.0.0.1:{via.port}/account"}
        self.azlock("upload", self.source, "container/b", *FLAGS, env=env)
        self.assertEqual([True] + [False] * 6, checks)


if __name__ == "__main__":
    unittest.main()
