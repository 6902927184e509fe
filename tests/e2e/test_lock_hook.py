"""azlock lock --on-lost: what runs after a loss, and what azlock does if that fails or hangs."""

import signal
import unittest

from support.case import Case
from support.locks import Trace, alive, kill_quietly, wait_gone, wait_until


class OnLost(Case):
    def lose(self, name, hook, *flags):
        """A lock whose lease is broken while its command runs; returns azlock and the command's process id."""
        trace = Trace(self.folder / f"{name}.held")
        running = self.start("lock", "--ttl", "15s", "--on-lost", hook, *flags, name, "--", *trace.command())
        pid = trace.wait()
        self.addCleanup(kill_quietly, pid)
        self.rest.request("PUT", f"locks/{name}", query={"comp": "lease"},
                          headers={"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}, expect=(202,))
        return running, pid

    def written(self, name):
        path = self.work / name
        return path.read_text() if path.exists() else ""

    def test_it_runs_once_the_command_has_ended_and_knows_which_lock_it_was(self):
        hook = ('kill -0 $(cut -d" " -f1 ../told.held | head -n1) 2> /dev/null; '
                'echo "$? $AZLOCK_NAME $AZLOCK_SLOT ${AZLOCK_LEASE_ID-none} ${AZLOCK_HELD-none}" >> hook; '
                'grep -o \'"lost"\' "$AZLOCK_STATUS_FILE" >> hook')
        running, pid = self.lose("told", hook, "--status-file", self.work / "status")
        run = running.finish()
        self.assertEqual(122, run.code, run)
        self.assertEqual('1 told 0 none none\n"lost"\n', self.written("hook"), run)
        wait_gone(pid)

    def test_it_does_not_run_without_a_loss(self):
        self.azlock("lock", "--on-lost", "touch hook", "kept", "-c", "exit 122", code=122)
        self.assertFalse((self.work / "hook").exists())

    def test_it_is_not_inside_the_lost_lock_but_can_get_it_anew(self):
        again = f'"{self.azlock_path}" lock --no-quarantine "$AZLOCK_NAME" -c \'echo "$AZLOCK_FENCE"\''
        running, _ = self.lose("again", f'echo "$AZLOCK_FENCE" > fences; {again} >> fences; echo $? > code')
        run = running.finish()
        self.assertEqual(122, run.code, run)
        self.assertEqual("0\n", self.written("code"), run)
        lost, later = map(int, self.written("fences").split())
        self.assertGreater(later, lost)

    def test_that_it_fails_is_told_and_changes_no_exit_code(self):
        for hook, code in (("exit 3", 3), ("kill -9 $$", 137), ("./nosuch", 127)):
            with self.subTest(hook=hook):
                run = self.lose(f"fails-{code}", hook)[0].finish()
                self.assertEqual(122, run.code, run)
                self.assertIn(f"--on-lost ended with code {code}", run.messages)

    def test_a_signal_ends_the_wait_for_one_that_hangs(self):
        running, pid = self.lose("hangs", "echo $$ > hook; exec sleep 600 > /dev/null 2>&1")
        wait_until("the hook", lambda: self.written("hook").endswith("\n"))
        hook = int(self.written("hook"))
        self.addCleanup(kill_quietly, hook)
        wait_gone(pid)
        self.assertIsNone(running.process.poll())
        running.signal(signal.SIGTERM)
        self.assertEqual(143, running.finish().code)
        self.assertTrue(alive(hook))


if __name__ == "__main__":
    unittest.main()
