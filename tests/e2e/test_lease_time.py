"""What happens to leases in real seconds: they are kept, run out, or are lost. All cases wait at the same time."""

import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import Case
from support.faults import stall

OURS = "aaaaaaaa-1111-2222-3333-444444444444"


class InTime(Case):
    def setUp(self):
        super().setUp()
        for name in ("kept", "outage", "paused", "taken", "expired", "written", "waited"):
            self.rest.put(self.container, name, b"x")

    def acquire(self, name):
        self.azlock("lease", "acquire", self.blob(name), "--duration", "15", "--proposed-id", OURS)

    def keep(self, name, via=None, **options):
        return self.start("lease", "keep", self.blob(name), "--lease-id", OURS, via=via, **options)

    def state(self, name):
        return self.rest.head(self.container, name)["x-ms-lease-state"]

    def kept_past_its_time(self):
        self.acquire("kept")
        keeper = self.keep("kept")
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.5)
            self.assertEqual("leased", self.state("kept"))
        keeper.signal(signal.SIGTERM)
        self.assertEqual(0, keeper.finish().code)
        self.assertEqual("available", self.state("kept"))

    def lost_in_an_outage(self):
        via = self.proxy()
        self.acquire("outage")
        via.on(lambda request: request.headers.get("x-ms-lease-action") == "renew", stall, nth=2, times=None)
        start = time.monotonic()
        run = self.keep("outage", via=via).finish()
        seconds = time.monotonic() - start
        self.assertEqual(122, run.code, run)
        self.assertIn("the lease is lost: no renew succeeded before its time was over", run.messages)
        self.assertGreater(seconds, 13)  # it did not give up early
        self.assertLess(seconds, 60)

    def paused_and_nobody_came(self):
        self.acquire("paused")
        keeper = self.keep("paused")
        keeper.until_says("keeping the lease")
        keeper.signal(signal.SIGSTOP)
        time.sleep(17)
        self.assertEqual("expired", self.state("paused"))
        keeper.signal(signal.SIGCONT)
        end = time.monotonic() + 30
        while self.state("paused") != "leased":
            self.assertLess(time.monotonic(), end, "it was not renewed")
            time.sleep(0.1)
        keeper.signal(signal.SIGTERM)
        self.assertEqual(0, keeper.finish().code)

    def paused_and_somebody_came(self):
        self.acquire("taken")
        keeper = self.keep("taken")
        keeper.until_says("keeping the lease")
        keeper.signal(signal.SIGSTOP)
        self.azlock("lease", "acquire", self.blob("taken"), "--wait", "60s")
        keeper.signal(signal.SIGCONT)
        run = keeper.finish()
        self.assertEqual(122, run.code, run)
        self.assertEqual("leased", self.state("taken"))

    def expired(self):
        for name in ("expired", "written"):
            self.acquire(name)
        time.sleep(16)
        shown = self.azlock("lease", "show", self.blob("expired")).text
        self.assertIn("state:             expired\n", shown)
        self.azlock("lease", "change", self.blob("expired"), "--lease-id", OURS, "--to", OURS[::-1], code=64)
        run = self.azlock("lease", "change", self.blob("expired"), "--lease-id", OURS, "--to", OURS.replace("a", "b"),
                          code=73)
        self.assertIn("the lease has expired and cannot be changed", run.messages)
        self.azlock("lease", "renew", self.blob("expired"), "--lease-id", OURS)
        self.rest.put(self.container, "written", b"y")
        run = self.azlock("lease", "renew", self.blob("written"), "--lease-id", OURS, code=73)
        self.assertIn("it ended and then something was written", run.messages)

    def waited_for(self):
        self.acquire("waited")
        start = time.monotonic()
        self.azlock("lease", "acquire", self.blob("waited"), "--wait", "60s")
        self.assertLess(time.monotonic() - start, 50)

    def test_leases_in_real_time(self):
        cases = (self.kept_past_its_time, self.lost_in_an_outage, self.paused_and_nobody_came,
                 self.paused_and_somebody_came, self.expired, self.waited_for)
        with ThreadPoolExecutor(len(cases)) as pool:
            running = {case.__name__: pool.submit(case) for case in cases}
        for name, case in running.items():
            with self.subTest(name):
                case.result()


if __name__ == "__main__":
    unittest.main()
