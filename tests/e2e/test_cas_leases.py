"""cas-update and leases: it waits for other people's leases, and writers that keep losing take turns with a lease."""

import signal
import threading
import unittest

from support.cas_case import CasCase
from support.faults import before, drop_reply
from support.lease_case import action


class Leases(CasCase):
    def test_a_lease_is_waited_for_and_75_comes_only_at_the_end(self):
        self.put(b"0")
        lease = self.rest.lease(self.container, "b", "acquire", duration="60")
        run = self.cas("--add", "1", "-w", "4s", code=75)
        self.assertGreaterEqual(run.seconds, 4)
        self.assertIn("waiting for", run.messages)
        running = self.start("cas-update", self.blob("b"), "--add", "1")
        running.until_says("waiting for")
        self.rest.lease(self.container, "b", "release", id=lease)
        self.assertEqual(0, running.finish().code)
        self.assert_blob("b", b"1")

    def test_a_lease_that_is_taken_between_two_tries_is_waited_for(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", before(lambda: self.rest.lease(self.container, "b", "acquire", duration="15")))
        report = self.cas("--add", "1", "--json", via=via).json()
        self.assertEqual((1, 2), (report["value"], report["tries"]))
        self.assertEqual("available", self.rest.head(self.container, "b")["x-ms-lease-state"])

    def test_a_turn_lasts_as_long_as_the_command(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", before(self.peer_adds), times=3)
        # In its turn the command takes longer than a lease lasts; a peer that wants to write meanwhile waits.
        script = 'n=$(cat); if [ "$AZLOCK_ATTEMPT" = 4 ]; then echo in turn >&2; sleep 17; fi; echo $((n + 100))'
        run = self.start("cas-update", self.blob("b"), "--json", "--", "sh", "-c", script, via=via)
        run.until_says("in turn")
        peer = threading.Thread(target=self.peer_adds)
        peer.start()
        ended = run.finish()
        peer.join()
        self.assertEqual(0, ended.code, f"\n{ended}")
        self.assertEqual((4, 1), (ended.json()["tries"], ended.json()["turns"]))
        self.assertEqual(b"104", self.content().strip())
        renewals = sum(action("renew")(request) for request in via.requests)
        self.assertGreaterEqual(renewals, 2)
        self.assertEqual("available", self.rest.head(self.container, "b")["x-ms-lease-state"])

    def test_a_turn_ends_with_azlock(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", before(self.peer_adds), times=3)
        script = 'cat; if [ "$AZLOCK_ATTEMPT" = 4 ]; then echo in turn >&2; sleep 1000; else echo; fi'
        run = self.start("cas-update", self.blob("b"), "--", "sh", "-c", script, via=via)
        run.until_says("in turn")
        self.assertEqual("leased", self.rest.head(self.container, "b")["x-ms-lease-state"])
        run.signal(signal.SIGTERM)
        self.assertEqual(143, run.finish().code)
        self.assertEqual("available", self.rest.head(self.container, "b")["x-ms-lease-state"])
        self.assert_blob("b", b"3")

    def test_lost_answers_to_lease_requests_and_reads_are_no_failures(self):
        self.put(b"0")
        via = self.proxy()
        via.on("Put Blob", before(self.peer_adds), times=3)
        via.on("Get Blob", drop_reply)
        via.on(action("acquire"), drop_reply)
        via.on(action("release"), drop_reply)
        self.assertEqual("4\n", self.cas("--add", "1", via=via).text)
        self.assertEqual("available", self.rest.head(self.container, "b")["x-ms-lease-state"])


if __name__ == "__main__":
    unittest.main()
