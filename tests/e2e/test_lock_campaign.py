"""Runs of one lock among contenders that are killed, over a network that loses answers, while others break the lease and
take it with other tools: no two commands at once, and the runs do not stop.

A command holds a flock(1) for as long as anything of it lives, and so sees every other command that has not ended."""

import os
import random
import signal
import subprocess
import threading
import time
import unittest

from support.case import Case
from support.faults import drop_reply
from support.locks import guard_of, kill_quietly

SOAK = bool(os.environ.get("AZLOCK_SOAK"))
LOCKS = 12 if SOAK else 2  # at once
RUNS = 200 if SOAK else 6  # of all locks
TROUBLES = 3 if SOAK else 1  # of each kind
CONTENDERS = 3
LOST = 0.4  # of the answers
PAUSE = (2, 20) if SOAK else (1, 6)  # between two troubles of a lock; a break costs a quarantine of 15 s
SECONDS = 3600 if SOAK else 300

COMMAND = ("exec 9>>alone-$AZLOCK_NAME; flock -n 9 || { echo overlap >>overlaps; exit 9; }; "
           "echo $AZLOCK_FENCE >>runs-$AZLOCK_NAME; sleep 0.$1; exec sleep $2")


class Campaign(Case):
    def setUp(self):
        super().setUp()
        self.dice = random.Random(int(os.environ.get("AZLOCK_SEED", "16")))
        self.happened = {"break": 0, "stranger": 0, "kill": 0, "kill guard": 0, "stop": 0}
        self.running = {}
        self.over = threading.Event()

    def runs(self, name):
        path = self.work / f"runs-{name}"
        return path.read_text().split() if path.exists() else []

    def contender(self, name, via):
        while not self.over.is_set():
            command = COMMAND.replace("$1", str(self.dice.randint(0, 9))).replace("$2", str(self.dice.choice([0, 0, 4])))
            process = self.start("lock", "-q", "--ttl", "15s", "--kill-after", "1s", "--container", self.container,
                                 name, "-c", command, via=via, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True).process
            self.running[threading.get_ident()] = process
            while process.poll() is None and not self.over.wait(0.05):
                pass
            if process.poll() is None:
                process.terminate()
                process.wait()

    def trouble(self, name, mine):
        """What happens to the lock and its holders, every few seconds."""
        while not self.over.wait(self.dice.uniform(*PAUSE)):
            what = self.dice.choice(list(self.happened))
            victim = self.running.get(self.dice.choice(mine)) if mine else None
            try:
                if what == "break":
                    self.rest.lease(self.container, name, "break", break_period="0")
                elif what == "stranger":
                    self.rest.lease(self.container, name, "break", break_period="0")
                    theirs = self.rest.lease(self.container, name, "acquire", duration="60")
                    time.sleep(self.dice.uniform(0, 1))
                    self.rest.lease(self.container, name, "release", id=theirs)
                elif victim is None or victim.poll() is not None:
                    continue
                elif what == "kill":
                    victim.kill()
                elif what == "kill guard":
                    kill_quietly(guard_of(victim.pid, seconds=1))
                else:
                    victim.send_signal(signal.SIGSTOP)
                    time.sleep(self.dice.uniform(0, 3))
                    victim.send_signal(signal.SIGCONT)
                self.happened[what] += 1
            except (AssertionError, OSError):
                continue  # there was nothing to break, to take or to kill

    def test_no_two_commands_run_at_once(self):
        names = [f"campaign-{number}" for number in range(LOCKS)]
        lost = []
        threads, troubles = [], []
        for name in names:
            proxy = self.proxy()
            rule = proxy.on(lambda request: self.dice.random() < LOST, drop_reply, times=None)
            lost.append(rule)
            mine = [threading.Thread(target=self.contender, args=(name, proxy)) for _ in range(CONTENDERS)]
            for thread in mine:
                thread.start()
            threads += mine
            troubles.append(threading.Thread(target=self.trouble, args=(name, [t.ident for t in mine])))
        for thread in troubles:
            thread.start()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not (self.work / "overlaps").exists():
            if sum(len(self.runs(name)) for name in names) >= RUNS and min(self.happened.values()) >= TROUBLES:
                break
            time.sleep(0.2)
        self.over.set()
        for thread in threads + troubles:
            thread.join()
        counts = {name: len(self.runs(name)) for name in names}
        print("runs:", counts, self.happened, "lost answers:", sum(rule.fired for rule in lost))
        self.assertFalse((self.work / "overlaps").exists(), "two commands ran at once")
        self.assertGreaterEqual(sum(counts.values()), RUNS, "the runs stopped")
        self.assertNotIn(0, counts.values(), "the runs of one lock stopped")
        for name in names:
            fences = [int(fence) for fence in self.runs(name)]
            self.assertEqual(sorted(set(fences)), fences, name)
        self.assertGreaterEqual(min(self.happened.values()), TROUBLES, self.happened)


if __name__ == "__main__":
    unittest.main()
