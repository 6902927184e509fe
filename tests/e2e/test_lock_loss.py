"""Whatever happens to the holder, its command has ended before anybody else's begins. All cases at once: each needs a
lease to run out."""

import os
import signal
import threading
import time
import unittest

from support.case import Case
from support.faults import delay, drop_reply, stall
from support.locks import Trace, alive, boot_time, guard_of, kill_quietly, wait_gone, wait_until

TTL = 15
# Of each kind, all at once. The full number (scripts/soak.sh) is more than a loaded machine renews in time.
EVENTS = 8 if os.environ.get("AZLOCK_SOAK") else 2
STARVED = TTL / 5  # a renew that takes so long can come too late


def is_renew(request):
    return request.headers.get("x-ms-lease-action") == "renew"


class Pulse(threading.Thread):
    """Asks the server again and again, as a holder does, and keeps the longest time that it took."""

    def __init__(self, case):
        super().__init__(daemon=True)
        self.longest = 0.0
        self._ask = lambda: case.rest.exists(case.container, "pulse")
        self._ended = threading.Event()

    def run(self):
        before = time.monotonic()
        while not self._ended.wait(0.1):
            self._ask()
            now = time.monotonic()
            self.longest = max(self.longest, now - before)
            before = now

    def end(self):
        self._ended.set()
        self.join()


class Scenario:
    """A holder, something that happens to it, and a contender."""

    def __init__(self, case, name, *flags, command=None, proxied=True):
        self.case, self.name = case, name
        self.held = Trace(case.folder / f"{name}.held")
        self.next = Trace(case.folder / f"{name}.next")
        self.proxy = case.proxy() if proxied else None
        self.holder = case.start("lock", "--ttl", f"{TTL}s", *flags, name, "--", *(command or self.held.command()),
                                 via=self.proxy, start_new_session=True)
        self.pid = self.held.wait()
        self.guard = guard_of(self.holder.pid)
        case.addCleanup(kill_quietly, self.pid)
        case.addCleanup(kill_quietly, self.guard)

    def contend(self, *flags):
        self.contender = self.case.start("lock", "--ttl", f"{TTL}s", *flags, self.name, "--", *self.next.command(0.3))

    def check(self, code, within=90):
        """Checks that the contender's command ran, and only after the last beat of the holder's command."""
        contender = self.contender.finish(within)
        self.case.assertEqual(0, contender.code, f"{self.name}: {contender}")
        run = self.holder.finish(within)
        self.case.assertEqual(code, run.code, f"{self.name}: {run}")
        wait_gone(self.pid, self.guard)
        overlap = self.held.last() - self.next.first()
        self.case.assertLess(overlap, 0, f"{self.name}: both commands ran for {overlap:.3f} s")
        return run


class Losses(Case):
    def kill_azlock(self, s):
        s.holder.signal(signal.SIGKILL)
        s.contend()
        s.check(-signal.SIGKILL)

    def kill_guard(self, s):
        os.kill(s.guard, signal.SIGKILL)
        s.contend()
        s.check(122)

    def kill_azlock_then_guard(self, s):
        s.holder.signal(signal.SIGKILL)
        kill_quietly(s.guard)  # it may have ended by itself
        s.contend()
        s.check(-signal.SIGKILL)

    def kill_guard_then_azlock(self, s):
        os.kill(s.guard, signal.SIGKILL)
        s.holder.signal(signal.SIGKILL)
        s.contend()
        s.check(-signal.SIGKILL)

    def stop_azlock(self, s):
        os.kill(s.holder.pid, signal.SIGSTOP)
        s.contend()
        wait_gone(s.pid, seconds=TTL + 60)
        s.next.wait()
        os.kill(s.holder.pid, signal.SIGCONT)
        s.check(122)

    def stop_guard(self, s):
        """azlock keeps the lease, and continues the guard: nothing is lost."""
        os.kill(s.guard, signal.SIGSTOP)
        s.contend()
        time.sleep(2 * TTL)
        if not alive(s.pid):
            self.fail(f"{s.name}: the command was ended: {s.holder.finish(90)}")
        self.assertEqual([], s.next.beats())
        os.kill(s.guard, signal.SIGSTOP)
        os.kill(s.pid, signal.SIGTERM)
        run = s.check(128 + signal.SIGTERM)
        self.assertIn("azlock continues it", run.messages)

    def stop_guard_and_kill_azlock(self, s):
        os.kill(s.guard, signal.SIGSTOP)
        s.holder.signal(signal.SIGKILL)
        s.contend()
        s.check(-signal.SIGKILL)

    def stop_guard_without_network(self, s):
        os.kill(s.guard, signal.SIGSTOP)
        s.proxy.on(is_renew, stall, times=None)
        s.contend()
        s.check(122)

    def stop_all(self, s):
        for pid in (s.holder.pid, s.guard, s.pid):
            os.kill(pid, signal.SIGSTOP)
        s.contend()
        s.contender.finish(90)
        time.sleep(TTL)
        before = s.held.last()
        woken = boot_time()
        for pid in (s.holder.pid, s.guard, s.pid):
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(122, s.holder.finish().code)
        wait_gone(s.pid, s.guard)
        self.assertLess(before, s.next.first())
        after = [when for _, when in s.held.beats() if when > woken]
        self.assertTrue(not after or after[-1] - woken < 2, f"it ran on for {after[-1:]} after {woken}")

    def stop_all_for_a_moment(self, s):
        """Nobody took the lock meanwhile: the renew proves it, and the command goes on."""
        for pid in (s.holder.pid, s.guard, s.pid):
            os.kill(pid, signal.SIGSTOP)
        time.sleep(TTL + 2)
        for pid in (s.pid, s.guard, s.holder.pid):
            os.kill(pid, signal.SIGCONT)
        woken = boot_time()
        wait_until("the command's going on", lambda: s.held.last() > woken + 1)
        s.contend()
        os.kill(s.pid, signal.SIGTERM)
        run = s.check(128 + signal.SIGTERM)
        self.assertIn("the lease was never lost", run.messages)

    def blackhole(self, s):
        s.proxy.on(lambda request: True, stall, times=None)
        s.contend()
        run = s.check(122)
        self.assertIn("no renew of the lease succeeded in time", run.messages)

    def dropped_answers(self, s):
        s.proxy.on(is_renew, drop_reply, times=None)
        s.contend()
        s.check(122)

    def late_answers(self, s):
        s.proxy.on(is_renew, delay(10), times=None)
        s.contend()
        s.check(122)

    def broken_at_once(self, s):
        self.rest.request("PUT", f"locks/{s.name}", query={"comp": "lease"},
                          headers={"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}, expect=(202,))
        s.contend()
        run = s.check(122)
        self.assertIn("was lost", run.messages)

    def broken_politely(self, s):
        """The command gets its TERM, and the next holder does not have to wait for a quarantine."""
        self.azlock("lease", "break", f"locks/{s.name}")
        s.contend()
        s.check(122)

    def deleted(self, s):
        self.rest.request("PUT", f"locks/{s.name}", query={"comp": "lease"},
                          headers={"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}, expect=(202,))
        self.rest.request("DELETE", f"locks/{s.name}", expect=(202,))
        run = s.holder.finish()
        self.assertEqual(122, run.code, run)
        wait_gone(s.pid, s.guard)

    def test_the_holders_command_has_ended_before_the_next_one_begins(self):
        kinds = [self.kill_azlock, self.kill_guard, self.kill_azlock_then_guard, self.kill_guard_then_azlock,
                 self.stop_azlock, self.stop_guard, self.stop_guard_and_kill_azlock,
                 self.stop_guard_without_network, self.stop_all,
                 self.stop_all_for_a_moment, self.blackhole, self.dropped_answers, self.late_answers,
                 self.broken_at_once, self.broken_politely, self.deleted]
        keeping = [self.stop_guard, self.stop_all_for_a_moment]  # these holders must renew in time
        only = os.environ.get("AZLOCK_LOSS_KINDS")
        failures, starved = [], []
        pulse = Pulse(self)
        pulse.start()

        def play(kind, name):
            try:
                # This holder has to keep its lease for long, so it must not depend on the proxy's threads.
                kind(Scenario(self, name, proxied=kind != self.stop_guard))
            except BaseException as error:  # of a thread: reported below
                slow = kind in keeping and pulse.longest > STARVED
                (starved if slow else failures).append(f"{name}: {error!r}")

        threads = [threading.Thread(target=play, args=(kind, f"{kind.__name__.replace('_', '-')}-{number}"))
                   for kind in kinds if not only or kind.__name__ in only.split(",") for number in range(EVENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pulse.end()
        self.assertEqual([], failures, "\n\n".join(failures))
        if starved:
            self.skipTest(f"the machine was too slow to judge these (a request took {pulse.longest:.1f} s): {starved}")


class Descendants(Case):
    """Nothing of the command is left after a loss, however it hides."""

    def lose(self, name, script):
        """Runs the script under a lock, with each of its processes beating; breaks the lease; returns who beats."""
        trace = Trace(self.folder / f"{name}.held")
        beat = " ".join(f"'{word}'" for word in trace.command())
        running = self.start("lock", "--ttl", "15s", "--kill-after", "2s", name, "-c", script.replace("BEAT", beat))
        wait_until("all processes", lambda: len({pid for pid, _ in trace.beats()}) >= script.count("BEAT"))
        self.rest.request("PUT", f"locks/{name}", query={"comp": "lease"},
                          headers={"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}, expect=(202,))
        run = running.finish()
        self.assertEqual(122, run.code, run)
        pids = {pid for pid, _ in trace.beats()}
        self.assertEqual([], [pid for pid in pids if alive(pid)], f"{name}: {run}")

    def test_nothing_is_left_after_a_loss(self):
        azlock = self.azlock_path
        scripts = {
            "background": "BEAT & wait",
            "session": "setsid BEAT & BEAT",
            "daemon": "(setsid BEAT &) & BEAT",
            "nested": f"'{azlock}' lock inner-of-nested -- BEAT",
            "ignoring": "trap '' TERM HUP INT; BEAT & BEAT",
        }
        failures = []

        def play(name, script):
            try:
                self.lose(name, script)
            except BaseException as error:
                failures.append(f"{name}: {error!r}")

        threads = [threading.Thread(target=play, args=item) for item in scripts.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], failures, "\n\n".join(failures))

    def test_a_signal_to_azlock_leaves_no_orphan(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL):
            with self.subTest(signal=number):
                name = f"signal-{number}"
                trace = Trace(self.folder / f"{name}.held")
                running = self.start("lock", "--ttl", "15s", "--kill-after", "1s", name, "--", *trace.command(),
                                     start_new_session=True)
                pid = trace.wait()
                guard = guard_of(running.pid)
                running.signal(number)
                self.assertEqual(-number if number == signal.SIGKILL else 128 + number, running.finish().code)
                wait_gone(pid, guard)


if __name__ == "__main__":
    unittest.main()
