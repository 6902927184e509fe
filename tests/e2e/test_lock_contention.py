"""Many contenders for one lock: no two commands at once, and everybody gets the lock."""

import os
import subprocess
import threading
import unittest

from support.case import Case

CONTENDERS = int(os.environ.get("AZLOCK_CONTENDERS", "20"))
ROUNDS = int(os.environ.get("AZLOCK_ROUNDS", "50"))  # scripts/soak.sh wants 200

# Reads, waits, writes: loses increments as soon as two run at once.
INCREMENT = ('read n < counter; echo "begin $$" >> log; i=0; while [ $i -lt 200 ]; do i=$((i+1)); done; '
             'echo $((n+1)) > counter; echo "end $$" >> log')


class Contention(Case):
    def contend(self, rounds, *flags):
        """Runs the rounds of all contenders; returns how often the lock was got."""
        (self.work / "counter").write_text("0\n")
        failures = []

        def contender():
            for _ in range(rounds):
                run = subprocess.run([self.azlock_path, "lock", "-q", *flags, "counted", "-c", INCREMENT], cwd=self.work,
                                     env=self.environment(), capture_output=True, timeout=600)
                if run.returncode:
                    failures.append((run.returncode, run.stderr))

        threads = [threading.Thread(target=contender) for _ in range(CONTENDERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], failures)

    def assert_no_overlap(self):
        lines = [line.split() for line in (self.work / "log").read_text().splitlines()]
        self.assertEqual(0, len(lines) % 2)
        for begin, end in zip(lines[::2], lines[1::2]):
            self.assertEqual(("begin", "end"), (begin[0], end[0]))
            self.assertEqual(begin[1], end[1])

    def test_no_increment_is_lost_and_no_two_commands_run_at_once(self):
        self.contend(ROUNDS)
        self.assertEqual(CONTENDERS * ROUNDS, int((self.work / "counter").read_text()))
        self.assert_no_overlap()

    def test_tries_that_do_not_wait_get_the_lock_one_at_a_time(self):
        for _ in range(3):
            (self.work / "got").unlink(missing_ok=True)
            running = [self.start("lock", "-n", "tried", "-c", "echo got >> got; sleep 1") for _ in range(10)]
            codes = sorted(one.finish().code for one in running)
            self.assertEqual(len((self.work / "got").read_text().split()), codes.count(0))
            self.assertLessEqual(1, codes.count(0))
            self.assertEqual(10, codes.count(0) + codes.count(75))

    def test_slots_never_let_in_more_than_there_are(self):
        script = ('mkdir "in-$AZLOCK_SLOT" || exit 3; ls -d in-* | wc -l >> counts; sleep 0.1; rmdir "in-$AZLOCK_SLOT"')
        running = [self.start("lock", "--slots", "3", "few", "-c", script) for _ in range(12)]
        for one in running:
            run = one.finish()
            self.assertEqual(0, run.code, run)
        counts = [int(line) for line in (self.work / "counts").read_text().split()]
        self.assertEqual(12, len(counts))
        self.assertLessEqual(max(counts), 3)


if __name__ == "__main__":
    unittest.main()
