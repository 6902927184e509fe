"""Many processes change one blob at once: no update is lost or done twice, and together they saw one history."""

import os
import random
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import Case
from support.history import History, Operation, violation

SOAK = os.environ.get("AZLOCK_SOAK") == "1"
WRITERS, UPDATES = (64, 20) if SOAK else (12, 6)
PATIENCE = "30m"


class Lossy:
    """Carries requests out and loses a tenth of the answers."""

    def __init__(self):
        self.lost = 0
        self._random = random.Random(7)
        self._lock = threading.Lock()

    def __call__(self, x):
        answer = x.forward()
        with self._lock:
            lose = self._random.random() < 0.1
            self.lost += lose
        if lose:
            x.close()
        else:
            x.reply(answer)


class Contention(Case):
    def all_at_once(self, work, count=WRITERS):
        with ThreadPoolExecutor(count) as pool:
            for done in [pool.submit(work, number) for number in range(count)]:
                done.result()

    def count_up(self, *flags, via=None):
        history = History()

        def writer(_):
            for _ in range(UPDATES):
                history.record("update", lambda: int(self.azlock(
                    "cas-update", self.blob("n"), "--create", "--add", "1", "-w", PATIENCE, *flags, via=via,
                    timeout=1800).text))

        reading = threading.Event()

        def reader():
            while not reading.is_set():
                if self.rest.exists(self.container, "n"):
                    history.record("read", lambda: int(self.rest.get(self.container, "n")))
        watcher = threading.Thread(target=reader)
        watcher.start()
        try:
            self.all_at_once(writer)
        finally:
            reading.set()
            watcher.join()
        self.assert_blob("n", str(WRITERS * UPDATES).encode())
        updates = [op.version for op in history.operations if op.kind == "update"]
        self.assertEqual(list(range(1, WRITERS * UPDATES + 1)), sorted(updates))
        self.assertGreater(len(history.operations), len(updates))
        self.assertIsNone(violation(history.operations))

    def test_increments_of_many_processes_add_up(self):
        self.count_up()
        self.assertEqual("available", self.rest.head(self.container, "n")["x-ms-lease-state"])

    def test_they_add_up_where_a_tenth_of_all_answers_is_lost(self):
        # Whoever creates the blob at the same time as others, and loses the answer, cannot always know who did it.
        self.rest.put(self.container, "n", b"0")
        lossy = Lossy()
        via = self.proxy()
        via.on(lambda request: True, lossy, times=None)
        self.count_up(via=via)
        self.assertGreater(lossy.lost, WRITERS * UPDATES // 10)

    def test_a_log_has_every_line_once_in_the_order_of_time(self):
        history = History()
        self.rest.put(self.container, "log", b"")

        def writer(number):
            for turn in range(3):
                line = f"{number}-{turn}"
                history.record("update", lambda line=line: self.azlock(
                    "cas-update", self.blob("log"), "-w", PATIENCE, "--", "sh", "-c", f"cat; echo {line}",
                    timeout=1800) and line)
        self.all_at_once(writer, 8)
        lines = self.rest.get(self.container, "log").decode().split()
        self.assertEqual(24, len(set(lines)))
        self.assertEqual(24, len(lines))
        for op in history.operations:
            op.version = lines.index(op.version)
        self.assertIsNone(violation(history.operations))


class TheCheckItself(unittest.TestCase):
    def check(self, *operations):
        return violation([Operation(*op) for op in operations])

    def test_it_accepts_what_one_object_could_have_done(self):
        self.assertIsNone(self.check())
        self.assertIsNone(self.check(("update", 0, 1, 1), ("update", 2, 3, 2), ("read", 2.5, 4, 2)))
        # Operations at the same time may have any order; two reads of one version have none.
        self.assertIsNone(self.check(("update", 0, 9, 2), ("update", 0, 9, 1), ("read", 1, 2, 0)))
        self.assertIsNone(self.check(("update", 0, 1, 1), ("read", 2, 3, 1), ("read", 5, 6, 1)))

    def test_it_finds_what_no_object_could_have_done(self):
        self.assertIn("two updates", self.check(("update", 0, 1, 1), ("update", 0, 1, 1)))
        self.assertIn("began", self.check(("update", 0, 1, 2), ("update", 2, 3, 1)))
        self.assertIn("began", self.check(("update", 0, 1, 1), ("read", 2, 3, 0)))  # an old version was read
        self.assertIn("began", self.check(("read", 0, 1, 1), ("update", 2, 3, 1)))  # read before it was written
        self.assertIn("began", self.check(("read", 0, 1, 2), ("read", 2, 3, 1)))  # a version came back


if __name__ == "__main__":
    unittest.main()
