"""elect: one leader at a time, another one when it goes, no tight loops, and reports of who leads."""

import itertools
import json
import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import Case
from support.faults import fail_before
from support.locks import Trace, alive, children, guard_of, kill_quietly, wait_gone, wait_until


class ElectCase(Case):
    def setUp(self):
        super().setUp()
        self.name = self.container + "-e"

    def elect(self, *arguments, **options):
        return self.azlock("elect", *arguments, **options)

    def candidates(self, count, name, trace, *flags):
        return [self.start("elect", "--ttl", "15s", "--id", f"candidate-{i}", *flags, name, "--", *trace.command())
                for i in range(count)]

    def leader_of(self, candidates, command):
        for one in candidates:
            if one.process.poll() is None and command in children(guard_of(one.pid)):
                return one
        raise AssertionError(f"nobody runs {command}")

    def next_command(self, trace, former, seconds=90):
        wait_until("the next leader", lambda: trace.beats() and trace.beats()[-1][0] not in former, seconds)
        return trace.beats()[-1][0]

    def assert_one_at_a_time(self, trace, commands):
        """Checks that no command beats between two beats of another one."""
        runs = [pid for pid, _ in itertools.groupby(pid for pid, _ in trace.beats())]
        self.assertEqual(commands, runs)


class Succession(ElectCase):
    def test_another_one_leads_when_the_leader_is_killed_or_stopped_or_loses_the_lease(self):
        # Each scene waits for leases to end; in parallel they take as long as one.
        with ThreadPoolExecutor(3) as pool:
            for scene in [pool.submit(self.killed), pool.submit(self.broken), pool.submit(self.stopped)]:
                scene.result()

    def killed(self):
        name, trace = self.name + "-killed", Trace(self.work / "killed")
        told = self.work / "told"
        with told.open("wb") as out:
            watcher = self.start("elect", "--observe", "--json", name, stdout=out)
        lines = lambda: [json.loads(line)["leader"] for line in told.read_bytes().split(b"\n")[:-1]]
        wait_until("nobody leads", lambda: lines() == [None])

        candidates = self.candidates(3, name, trace)
        first = trace.wait()
        leader = self.leader_of(candidates, first)
        wait_until("the watcher sees it", lambda: len(lines()) == 2)
        self.assertEqual(f"candidate-{candidates.index(leader)}", lines()[-1]["owner"])
        self.assertEqual(leader.pid, lines()[-1]["pid"])
        killed_at = time.monotonic()
        kill_quietly(leader.pid)
        second = self.next_command(trace, {first})
        self.assertLess(time.monotonic() - killed_at, 60)  # no quarantine: the lease has ended
        self.assertFalse(alive(first))
        following = self.leader_of(candidates, second)
        wait_until("the watcher sees the change", lambda: lines()[-1] and lines()[-1]["pid"] == following.pid)
        self.assertGreater(lines()[-1]["fence"], lines()[1]["fence"])

        following.signal(signal.SIGTERM)  # a regular end: nobody has to wait for the lease
        self.assertEqual(143, following.finish().code)
        third = self.next_command(trace, {first, second})
        last = self.leader_of(candidates, third)
        last.signal(signal.SIGTERM)
        self.assertEqual(143, last.finish().code)
        wait_until("nobody leads", lambda: lines()[-1] is None)
        watcher.signal(signal.SIGTERM)
        self.assertEqual(143, watcher.finish().code)
        self.assert_one_at_a_time(trace, [first, second, third])

    def broken(self):
        name, trace = self.name + "-broken", Trace(self.work / "broken")
        candidates = self.candidates(2, name, trace)
        first = trace.wait()
        leader = self.leader_of(candidates, first)
        self.azlock("lease", "break", "--period", "0", "--yes", f"locks/{name}")
        said = leader.until_says("a candidate again in")
        self.assertIn("was lost", said)
        second = self.next_command(trace, {first})
        self.assertIsNone(leader.process.poll())  # it is a candidate again
        for one in candidates:
            one.signal(signal.SIGTERM)
        self.assertEqual([143, 143], [one.finish().code for one in candidates])
        wait_gone(first, second)
        self.assert_one_at_a_time(trace, [first, second])

    def stopped(self):
        """The guard ends the command of a leader that has stopped renewing before another one leads."""
        name, trace = self.name + "-stopped", Trace(self.work / "stopped")
        candidates = self.candidates(2, name, trace)
        first = trace.wait()
        leader = self.leader_of(candidates, first)
        other = candidates[1 - candidates.index(leader)]
        leader.signal(signal.SIGSTOP)
        second = self.next_command(trace, {first})
        self.assertFalse(alive(first))
        self.assertEqual(other, self.leader_of(candidates, second))
        leader.signal(signal.SIGCONT)
        said = leader.until_says("a candidate again in")
        self.assertIn("was lost", said)
        other.signal(signal.SIGTERM)
        self.assertEqual(143, other.finish().code)
        third = self.next_command(trace, {first, second})
        self.assertEqual(leader, self.leader_of(candidates, third))
        leader.signal(signal.SIGTERM)
        self.assertEqual(143, leader.finish().code)
        wait_gone(first, second, third)
        self.assert_one_at_a_time(trace, [first, second, third])


class Terms(ElectCase):
    def test_once_ends_after_the_first_term_with_the_commands_code(self):
        for code in (0, 3, 75):
            run = self.elect("--once", self.name, "-c", f"echo $AZLOCK_FENCE; exit {code}", code=code)
            self.assertGreater(int(run.text), 0)
        self.elect("--once", "--run-timeout", "0.3s", self.name, "--", "sleep", "60", code=124)

    def test_a_command_that_fails_at_once_is_started_again_but_not_in_a_tight_loop(self):
        running = self.start("elect", self.name, "-c", "date +%s.%N >> runs; echo $AZLOCK_FENCE >> fences; exit 1")
        runs = lambda: [float(when) for when in (self.work / "runs").read_text().split("\n")[:-1]]
        wait_until("four runs", lambda: (self.work / "runs").exists() and len(runs()) >= 4)
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(143, run.code, run)
        self.assertGreaterEqual(min(later - earlier for earlier, later in itertools.pairwise(runs())), 1)
        fences = [int(fence) for fence in (self.work / "fences").read_text().split()]
        self.assertEqual(sorted(set(fences)), fences)
        self.assertIn("the command ended with code 1", run.messages)

    def test_a_service_that_does_not_answer_is_asked_on(self):
        proxy = self.proxy()
        for nth in range(1, 5):
            proxy.on(lambda request: True, fail_before, nth=nth)
        self.azlock("elect", "--once", "--retries", "0", "--timeout", "1s", self.name, "--", "true", via=proxy, code=69)
        running = self.start("elect", "--retries", "0", self.name, "-c", "echo up > up; exec sleep 60", via=proxy)
        wait_until("the command", (self.work / "up").exists)
        running.signal(signal.SIGTERM)
        self.assertEqual(143, running.finish().code)

    def test_between_two_terms_the_others_get_in(self):
        first = self.start("elect", self.name, "-c", "echo one >> who; exit 1")
        second = self.start("elect", self.name, "-c", "echo two >> who; exit 1")
        wait_until("both have led", lambda: (self.work / "who").exists() and
                   set((self.work / "who").read_text().split()) == {"one", "two"})
        for one in (first, second):
            one.signal(signal.SIGINT)
            self.assertEqual(130, one.finish().code)

    def test_a_signal_ends_the_command_and_no_term_follows(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            trap = "trap 'echo ended >> ended; exit 9' TERM INT HUP QUIT; echo up >> up; while :; do sleep 0.05; done"
            running = self.start("elect", self.name, "-c", trap)
            wait_until("the command", (self.work / "up").exists)
            running.signal(number)
            self.assertEqual(128 + number, running.finish().code)
            self.assertEqual("ended\n", (self.work / "ended").read_text())
            for path in ("up", "ended"):
                (self.work / path).unlink()
            self.azlock("lock", "-n", self.name, "--", "true")  # released

    def test_a_command_that_cannot_be_run_ends_it(self):
        self.elect(self.name, "--", "./nosuch", code=127)
        self.file("plain", b"")
        self.elect(self.name, "--", "./plain", code=126)
        self.elect("--once", self.name, "-c", "exit 127", code=127)

    def test_a_guard_that_is_killed_ends_it(self):
        trace = Trace(self.work / "trace")
        running = self.candidates(1, self.name, trace)[0]
        command = trace.wait()
        kill_quietly(guard_of(running.pid))
        self.assertEqual(122, running.finish().code)
        self.assertFalse(alive(command))


class Observe(ElectCase):
    def test_it_tells_in_words_who_leads(self):
        with (self.work / "told").open("wb") as out:
            watcher = self.start("elect", "--observe", self.name, stdout=out)
        told = lambda: (self.work / "told").read_text().splitlines()
        wait_until("nobody", lambda: told() == ["nobody"])
        running = self.start("elect", "--id", "me", self.name, "--", "sleep", "60")
        wait_until("the leader", lambda: len(told()) == 2)
        self.assertRegex(told()[1], rf"^me@\S+ pid {running.pid} since \d{{4}}-\S+Z fence \d+$")
        running.signal(signal.SIGTERM)
        running.finish()
        wait_until("nobody again", lambda: told()[2:] == ["nobody"])
        watcher.signal(signal.SIGINT)
        self.assertEqual(130, watcher.finish().code)

    def test_a_former_leaders_record_on_a_lease_that_is_not_yet_led_is_nobody(self):
        self.elect("--once", self.name, "--", "true")
        with (self.work / "told").open("wb") as out:
            proxy = self.proxy()
            watcher = self.start("elect", "--observe", self.name, stdout=out, via=proxy)
        wait_until("nobody", lambda: (self.work / "told").read_text() == "nobody\n")
        self.rest.request("PUT", "locks", self.name, query={"comp": "lease"},
                          headers={"x-ms-lease-action": "acquire", "x-ms-lease-duration": "60"})
        self.assertEqual("leased", dict((k.lower(), v) for k, v in self.rest.request(
            "HEAD", "locks", self.name)[1].items())["x-ms-lease-state"])
        looks = len(proxy.requests)
        wait_until("three more looks", lambda: len(proxy.requests) >= looks + 3)
        self.assertEqual("nobody\n", (self.work / "told").read_text())
        watcher.signal(signal.SIGTERM)
        watcher.finish()


class BadInput(ElectCase):
    def test_what_makes_no_sense_is_64_in_one_line(self):
        for arguments in ([self.name], [self.name, "--"], ["--", "true"], ["--slots", "2", self.name, "--", "true"],
                          ["--orphans", "leave", self.name, "--", "true"], ["--id", "", self.name, "--", "true"],
                          ["--observe", self.name, "--", "true"], ["--observe", "-c", "true", self.name],
                          ["--observe", "--once", self.name], ["--observe", "--id", "x", self.name],
                          ["--ttl", "10s", self.name, "--", "true"]):
            run = self.elect(*arguments, code=64)
            self.assertEqual((b"", 1), (run.out, run.messages.count("\n")), run)


if __name__ == "__main__":
    unittest.main()
