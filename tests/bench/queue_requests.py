"""Requests per finished task, counted by a proxy: scripts/bench.sh queue TASKS WORKERS."""

import collections
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "e2e"))
from support.queues import QueueCase  # noqa: E402


class Requests(QueueCase):
    def test_count(self):
        self.put(b"\n".join(b"%d" % i for i in range(TASKS)), "--lines", timeout=3600)
        proxy = self.proxy()
        start = time.monotonic()
        workers = [self.start("queue", "work", self.blob("jobs"), "--drain", "--", "true", via=proxy)
                   for _ in range(WORKERS)]
        for worker in workers:
            self.assertEqual(0, worker.finish(3600).code)
        seconds = time.monotonic() - start
        self.counts()
        kinds = collections.Counter(r.headers.get("x-ms-lease-action") or r.query.get("comp") or r.operation
                                    for r in proxy.requests)
        refused = sum(r.status in (404, 409, 412) for r in proxy.requests)
        print(f"{TASKS} tasks, {WORKERS} workers: {len(proxy.requests) / TASKS:.2f} requests a task, "
              f"{refused} refused, {seconds:.0f} s, {dict(kinds)}")


if __name__ == "__main__":
    TASKS, WORKERS = (int(word) for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
