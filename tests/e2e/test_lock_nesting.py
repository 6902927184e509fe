"""azlock lock inside a lock: who is believed to run under it, and who is not."""

import json
import os
import signal
import subprocess
import unittest

from support.lock_case import LockCase
from support.locks import kill_quietly, wait_gone, wait_until


def permitted(*wrapper):
    return subprocess.run([*wrapper, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Inside(LockCase):
    def test_the_same_lock_inside_itself_runs_at_once(self):
        script = f'"{self.azlock_path}" lock "{self.name}" -c \'echo "$AZLOCK_FENCE"; exit 9\''
        run = self.lock(self.name, "-c", f'echo "$AZLOCK_FENCE"; {script}', code=9)
        outer, inner = run.text.split()
        self.assertEqual(outer, inner)

    def test_the_inner_lock_is_what_the_command_sees_and_an_outer_one_is_known_all_the_same(self):
        azlock, other = self.azlock_path, self.name + "-b"
        run = self.lock(self.name, "--", azlock, "lock", other, "--", azlock, "lock", self.name, "--",
                        "sh", "-c", 'echo "$AZLOCK_NAME"')
        self.assertEqual(self.name + "\n", run.text)
        run = self.lock(self.name, "--", azlock, "lock", other, "--", "sh", "-c", 'echo "$AZLOCK_NAME"')
        self.assertEqual(other + "\n", run.text)

    def test_an_outer_lock_that_is_lost_is_122(self):
        script = ('echo up > up; until [ -e go ]; do sleep 0.05; done; '
                  f'"{self.azlock_path}" lock "{self.name}" -- touch started; echo $? > code')
        running = self.held(script=script)
        self.lease("break", break_period=0)
        (self.work / "go").touch()
        wait_until("the inner one", lambda: (self.work / "code").exists() and (self.work / "code").read_text())
        self.assertEqual("122\n", (self.work / "code").read_text())
        self.assertFalse((self.work / "started").exists())
        running.signal(signal.SIGTERM)
        running.finish()

    def test_without_reentrance_the_inner_one_is_busy(self):
        self.lock(self.name, "--", self.azlock_path, "lock", "-n", "--no-reentrant", self.name, "--", "true", code=75)

    def test_lock_check_tells_whether_it_holds_and_how_long(self):
        check = f'"{self.azlock_path}" lock-check'
        run = self.lock(self.name, "-c", f"{check} --json && {check} --min-left 10s")
        told = json.loads(run.text)
        self.assertTrue(told["held"])
        self.assertGreater(told["left_ms"], 10_000)
        self.assertLessEqual(told["left_ms"], 45_000)
        self.lock(self.name, "-c", f"{check} --min-left 50s", code=73)
        self.azlock("lock-check", code=64)

    def test_lock_check_in_a_lost_lock_is_122(self):
        script = ('echo up > up; until [ -e go ]; do sleep 0.05; done; '
                  f'"{self.azlock_path}" lock-check; echo $? > code; exec sleep 600')
        running = self.held(script=script)
        self.lease("break", break_period=0)
        (self.work / "go").touch()
        wait_until("the check", lambda: (self.work / "code").exists() and (self.work / "code").read_text())
        self.assertEqual("122\n", (self.work / "code").read_text())
        running.signal(signal.SIGTERM)
        running.finish()

    def test_it_is_believed_in_a_pid_namespace_and_as_another_user_too(self):
        for wrapper in ("unshare -pf --mount-proc", "setpriv --reuid=65534 --clear-groups"):
            if not permitted(*wrapper.split()):
                continue
            script = f'echo "$AZLOCK_FENCE"; {wrapper} "{self.azlock_path}" lock "{self.name}" -c \'echo "$AZLOCK_FENCE"\''
            outer, inner = self.lock(self.name, "-c", script).text.split()
            self.assertEqual(outer, inner, wrapper)


class Outside(LockCase):
    """The environment of a lock in processes that do not run under it."""

    def stolen(self):
        lines = (self.work / "env").read_bytes().decode().split("\0")
        return dict(line.split("=", 1) for line in lines if line.startswith("AZLOCK_"))

    def test_a_process_that_is_no_descendant_waits_and_its_check_fails(self):
        running = self.held(script="cat /proc/self/environ > env; echo up > up; exec sleep 600")
        run = self.lock("-n", self.name, "--", "touch", "second", env=self.stolen(), code=75)
        self.assertIn("it is not believed", run.messages)
        self.assertFalse((self.work / "second").exists())
        self.assertIn("no azlock keeps it for this process", self.azlock("lock-check", env=self.stolen(), code=122).messages)
        self.assertIsNone(running.process.poll())

    def test_an_expired_lease_is_not_revived_by_a_check(self):
        env = f'cat /proc/self/environ > env; echo up > up; trap "" TERM; exec sleep 600'
        running = self.held("--ttl", "15s", script=env)
        running.signal(signal.SIGKILL)
        wait_until("the end of the lease", lambda: self.lease_state() == "expired", 40)
        self.azlock("lock-check", env=self.stolen(), code=122)
        self.assertEqual("expired", self.lease_state())
        self.lock("-n", self.name, "--", "true", env=self.stolen())

    def test_a_keeper_that_was_killed_is_not_believed(self):
        script = ("trap '' TERM; echo up > up; until [ -e go ]; do sleep 0.02; done; "
                  f'"{self.azlock_path}" lock -n "{self.name}" -- touch second; echo $? > code.part; mv code.part code; '
                  'exec sleep 600')
        running = self.held(script=script)
        running.signal(signal.SIGKILL)
        wait_gone(running.pid)
        (self.work / "go").touch()
        wait_until("the inner one", (self.work / "code").exists)
        self.assertEqual("75\n", (self.work / "code").read_text())
        self.assertFalse((self.work / "second").exists())

    def test_what_was_left_running_without_the_lock_waits_for_it_like_others(self):
        left = ("until [ -e go ]; do sleep 0.02; done; "
                f'"{self.azlock_path}" lock -n "{self.name}" -- touch second; echo $? > code.part; mv code.part code')
        self.file("left.sh", left.encode())
        self.lock("--orphans", "leave", self.name, "-c", "setsid sh left.sh > /dev/null 2>&1 & echo $! > pid")
        self.addCleanup(kill_quietly, int((self.work / "pid").read_text()))
        self.held()
        (self.work / "go").touch()
        wait_until("the one that was left", (self.work / "code").exists)
        self.assertEqual("75\n", (self.work / "code").read_text())
        self.assertFalse((self.work / "second").exists())


if __name__ == "__main__":
    unittest.main()
