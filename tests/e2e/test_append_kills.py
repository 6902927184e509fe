"""append is killed: the blob holds a prefix of the input, and --resume makes it whole.

AZLOCK_SOAK=1: 20 kills instead of 6.
"""

import os
import random
import time
import unittest

from support.case import Case, noise
from support.faults import after, drop_reply, fail_before

KILLS = 20 if os.environ.get("AZLOCK_SOAK") else 6


class AppendKills(Case):
    def break_lease(self, name):
        """A killed azlock's turn ends within 15 s; this is for tests that cannot wait."""
        self.rest.lease(self.container, name, "break", break_period=0)

    def test_a_file_is_whole_after_kills_at_random_moments(self):
        dice = random.Random(7)
        # Repetitive input and noise: equal lines do not show how often they were appended.
        for name, content in (("equal", b"an equal line\n" * 40_000), ("noise", noise(560_000))):
            file = self.file(name, content)
            arguments = ("append", self.blob(name), file, "--resume", "--batch-size", "8KiB", "--json")
            kills = 0
            while kills < KILLS // 2:
                via = self.proxy()
                stop_at = dice.randrange(1, 8)
                rule = via.on("Append Block", dice.choice([after(lambda: None), drop_reply, fail_before]), nth=stop_at,
                              needed=False)
                running = self.start(*arguments, via=via)
                try:
                    rule.wait(30)
                    time.sleep(dice.random() * 0.02)
                finally:
                    running.process.kill()
                running.finish()
                kills += 1
                held = self.rest.get(self.container, name)
                self.assertEqual(0, len(held) % 8192 if len(held) < len(content) else 0, "not the end of a batch")
                self.assertTrue(content.startswith(held))
                if self.rest.head(self.container, name)["x-ms-lease-state"] == "leased":
                    self.break_lease(name)
            self.azlock(*arguments)
            self.assert_blob(name, content)
            self.assertEqual(0, self.azlock(*arguments).json()["bytes"])

    def test_the_turn_of_a_killed_writer_ends_within_fifteen_seconds(self):
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        via = self.proxy()
        rule = via.on("Append Block", drop_reply)
        running = self.start("append", self.blob("b"), stdin=read, via=via)
        os.close(read)
        os.write(write, b"one\n")
        rule.wait()
        running.process.kill()
        running.finish()
        start = time.monotonic()
        self.azlock("append", self.blob("b"), input=b"two\n")
        self.assertLess(time.monotonic() - start, 50)  # 15 s for the lease, and time for a busy machine
        self.assert_blob("b", b"one\ntwo\n")


if __name__ == "__main__":
    unittest.main()
