"""Workers that are killed or paused, and answers that are lost: every task is done, and only once if no worker died in
it. AZLOCK_SOAK=1: 2,000 tasks and 8 workers."""

import json
import os
import random
import signal
import threading
import time
import unittest
from collections import defaultdict

from support.faults import before, drop_reply
from support.locks import children, guard_of, kill_quietly, wait_until
from support.queues import QueueCase

SOAK = os.environ.get("AZLOCK_SOAK") == "1"
TASKS, WORKERS, KILLS = (2000, 8, 60) if SOAK else (120, 4, 4)
KILL_EVERY = 3
DROPPED = 0.03
TTL = "15s"
PATIENCE = 3600 if SOAK else 240


class Fleet:
    """Workers; keeps their events and the traces of their commands."""

    def __init__(self, case, name, via, script):
        self.case, self.name, self.via, self.script = case, name, via, script
        self.log = case.folder / f"{name}.log"
        self.number = 0
        self.killed = set()

    def start(self, via=None, *flags):
        self.number += 1
        word = f"w{self.number}"
        with open(self.case.folder / f"{self.name}.{word}", "wb") as events:
            worker = self.case.start("queue", "work", self.case.blob(self.name), "--ttl", TTL, "--poll", "1s", "--json",
                                     *flags, "--", "sh", "-c", self.script, via=via or self.via, stderr=events,
                                     env={"WORKER": word, "LOG": str(self.log)})
        worker.word = word
        return worker

    def events(self, word):
        lines = (self.case.folder / f"{self.name}.{word}").read_bytes().splitlines()
        return [event for line in lines if line.startswith(b'{"task"') and (event := json.loads(line))]

    def runs(self, what="begin"):
        """task -> the workers that ran it, in order."""
        out = defaultdict(list)
        if self.log.exists():
            for line in self.log.read_text().splitlines():
                task, word, kind = line.split()
                if kind == what:
                    out[task].append(word)
        return out


class Chaos(QueueCase):
    def test_every_task_is_done_and_once_where_no_worker_died(self):
        self.put(b"\n".join(b"%d" % i for i in range(TASKS)), "--lines", timeout=300)
        proxy = self.proxy()
        dice = random.Random(1)

        def now_and_then(request):
            return dice.random() < DROPPED
        proxy.on(now_and_then, drop_reply, times=None)
        fleet = Fleet(self, "jobs", proxy, 'echo "$AZLOCK_TASK_ID $WORKER begin" >> "$LOG"; sleep 0.2; '
                                           'echo "$AZLOCK_TASK_ID $WORKER end" >> "$LOG"')
        workers = [fleet.start() for _ in range(WORKERS)]
        for _ in range(KILLS):
            time.sleep(KILL_EVERY)  # the time between two kills; it waits for nothing
            victim = workers.pop(dice.randrange(len(workers)))
            fleet.killed.add(victim.word)
            victim.signal(signal.SIGKILL)
            victim.finish()
            workers.append(fleet.start())
        wait_until("an empty queue", lambda: not any(self.stats().values()), PATIENCE)
        for worker in workers:
            worker.signal(signal.SIGTERM)
        for worker in workers:
            worker.finish()
        self.check(fleet)

    def check(self, fleet):
        begun, ended = fleet.runs("begin"), fleet.runs("end")
        self.assertEqual(TASKS, len(ended), "tasks whose effect is recorded")
        done, given_up = defaultdict(list), set()
        for number in range(1, fleet.number + 1):
            for event in fleet.events(f"w{number}"):
                if event["outcome"] == "done":
                    done[event["task"]].append(f"w{number}")
                else:
                    given_up.add((event["task"], f"w{number}"))
        for task, words in begun.items():
            for word in words[:-1]:
                self.assertTrue(word in fleet.killed or (task, word) in given_up,
                                f"{task} was run by {words}, although {word} had not died")
            self.assertLessEqual(len(done[task]), 1, f"{task} was finished by {done[task]}")
            if not done[task]:
                self.assertIn(words[-1], fleet.killed, f"{task} was finished by nobody: {words}")
        twice = sum(len(words) > 1 for words in ended.values())
        self.assertLessEqual(twice, len(fleet.killed), "tasks that took effect twice")

    def test_a_stalled_worker_cannot_finish_somebody_elses_run(self):
        scenarios = [threading.Thread(target=self.remembering, args=(what,)) for what in (self.asleep, self.late_delete)]
        self.problems = []
        for thread in scenarios:
            thread.start()
        for thread in scenarios:
            thread.join()
        self.assertEqual([], self.problems)

    def remembering(self, what):
        try:
            what()
        except BaseException as problem:
            self.problems.append(f"{what.__name__}: {problem}")

    def running(self, fleet, count):
        wait_until(f"{count} runs of {fleet.name}", lambda: sum(map(len, fleet.runs().values())) == count, 120)

    def asleep(self):
        """azlock, its guard and the command are paused until somebody else runs the task."""
        self.put(b"x", name="asleep")
        go = self.folder / "go"
        fleet = Fleet(self, "asleep", None, 'echo "$AZLOCK_TASK_ID $WORKER begin" >> "$LOG"; '
                                            f"while [ ! -e '{go}' ] && [ $WORKER = w2 ]; do sleep 0.1; done; "
                                            '[ $WORKER = w2 ] || sleep 5')
        first = fleet.start(None, "-n", "1")
        self.running(fleet, 1)
        guard = guard_of(first.pid)
        still = [first.pid, guard, *children(guard)]
        for pid in still:
            self.addCleanup(kill_quietly, pid)
            os.kill(pid, signal.SIGSTOP)
        second = fleet.start(None, "-n", "1")
        self.running(fleet, 2)
        for pid in reversed(still):
            os.kill(pid, signal.SIGCONT)
        first.finish(120)
        self.assertEqual(["lost"], [event["outcome"] for event in fleet.events("w1")])
        self.assertEqual(1, self.stats("asleep")["running"])
        go.touch()
        self.assertEqual(0, second.finish(120).code)
        self.assertEqual(["done"], [event["outcome"] for event in fleet.events("w2")])

    def late_delete(self):
        """The delete was sent in time, but reaches the service when somebody else runs the task."""
        self.put(b"x", name="late")
        go, taken = self.folder / "late.go", threading.Event()
        proxy = self.proxy()
        proxy.on("Delete Blob", before(lambda: taken.wait(120)))
        fleet = Fleet(self, "late", None, 'echo "$AZLOCK_TASK_ID $WORKER begin" >> "$LOG"; '
                                          f"while [ ! -e '{go}' ] && [ $WORKER = w2 ]; do sleep 0.1; done")
        first = fleet.start(proxy, "-n", "1")
        self.running(fleet, 1)
        second = fleet.start(None, "-n", "1")
        self.running(fleet, 2)
        taken.set()
        first.finish(120)
        self.assertNotIn("done", [event["outcome"] for event in fleet.events("w1")])
        self.assertEqual(1, self.stats("late")["running"])
        go.touch()
        self.assertEqual(0, second.finish(120).code)
        self.assertEqual(["done"], [event["outcome"] for event in fleet.events("w2")])


if __name__ == "__main__":
    unittest.main()
