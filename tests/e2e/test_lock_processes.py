"""azlock lock and the processes of its command: where they cannot be found, limits, whose they are, what is left."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support.faults import fail_before
from support.lease_case import action
from support.lock_case import LockCase
from support.locks import alive, boot_time, children, guard_of, kill_quietly, stat, wait_until

# Lets the system call of a number fail with an errno, then runs the rest of the arguments.
WITHOUT_CALL = """
import ctypes, os, struct, sys
number, error = int(sys.argv[1]), int(sys.argv[2])
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7FFF0000)]
code = b"".join(struct.pack("HBBI", *step) for step in steps)
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
    sys.exit("no seccomp")
os.execv(sys.argv[3], sys.argv[3:])
"""
PIDFD_OPEN = 434


def permitted(*wrapper, **options):
    return subprocess.run([*wrapper, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode == 0


class Unseen(LockCase):
    """Nothing is started if azlock could not end it."""

    def refused(self, wrapper, saying):
        if not permitted(*wrapper):
            self.skipTest(f"not permitted here: {' '.join(wrapper)}")
        for command in (("lock", self.name), ("elect", self.name), ("queue", "work", f"{self.container}/q")):
            run = self.azlock(*command, "--", "touch", "started", wrapper=wrapper, code=125)
            self.assertEqual((b"", 1), (run.out, run.messages.count("\n")), run)
            self.assertIn(saying, run.messages)
        self.assertFalse((self.work / "started").exists())
        self.azlock("list", self.container, wrapper=wrapper)

    def test_a_proc_of_another_pid_namespace_is_refused(self):
        self.refused(("unshare", "-pf"), "--mount-proc")

    def test_a_missing_proc_is_refused(self):
        self.refused(("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"),
                     "mount -t proc proc /proc")

    def test_a_pid_namespace_with_its_own_proc_is_good(self):
        if not permitted("unshare", "-pf", "--mount-proc"):
            self.skipTest("not permitted here: unshare -pf --mount-proc")
        self.lock(self.name, "--", "true", wrapper=("unshare", "-pf", "--mount-proc"))

    def test_without_pidfd_open_the_message_says_so(self):
        for error, saying in ((38, "needs Linux 5.3"), (1, "allow this call")):
            wrapper = (sys.executable, "-S", "-c", WITHOUT_CALL, str(PIDFD_OPEN), str(error))
            run = self.lock(self.name, "--", "touch", "started", wrapper=wrapper, code=125)
            self.assertIn("pidfd_open", run.messages)
            self.assertIn(saying, run.messages)
        self.assertFalse((self.work / "started").exists())


class AsNobody(LockCase):
    def as_nobody(self):
        wrapper = ("setpriv", "--reuid=65534", "--clear-groups")
        if not permitted(*wrapper):
            self.skipTest("not permitted here: setpriv --reuid")
        for folder in (self.folder, self.work):
            folder.chmod(0o777)
        return wrapper


class AnotherUsers(AsNobody):
    """A process of the command that has become another user's, and that azlock cannot end without a cgroup."""

    def as_root(self, *command):
        """A command line with which nobody runs a command as root. It works also below a folder that is closed to nobody."""
        program = self.work / "as-root"
        shutil.copy(shutil.which("setpriv"), program)
        program.chmod(0o4755)
        line = ("./as-root", "--reuid=0", "--clear-groups")
        # Only an exec by the shell is without the capabilities that setpriv itself keeps.
        if not permitted("setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", '"$@"', "sh", *line, cwd=self.work):
            self.skipTest("not permitted here: a program with the setuid bit")
        return " ".join((*line, *command))

    def test_azlock_says_so_and_does_not_release_the_lock(self):
        wrapper = self.as_nobody()
        # It keeps our pipes open, so the run is over for the test when it ends.
        stays = self.as_root("sh", "-c", "'echo up > up; exec sleep 6'")
        for flags, script, code in ((("--run-timeout", "1s"), stays, 124),
                                    (("--orphans", "kill"), f"{stays} & until [ -e up ]; do sleep 0.02; done; exit 4", 4)):
            with self.subTest(flags=flags):
                name = f"{self.name}-{code}"
                run = self.lock(*flags, "--kill-after", "1s", name, "-c", script, wrapper=wrapper, code=code)
                (self.work / "up").unlink()
                self.assertIn("it belongs to another user", run.messages)
                self.assertIn("azlock does not release the lock", run.messages)
                self.assertEqual("leased", self.lease_state(name))
                self.assertNotIn("azl_ended", self.metadata(name))


class Limits(AsNobody):
    """A limit of the system that is reached while the command runs."""

    def limited(self, limit, then):
        """A script that sets a limit of its azlock (the parent of the guard), then goes on."""
        return f'read -r _ _ _ azlock _ < /proc/$PPID/stat; prlimit --pid $azlock {limit} || exit 99; echo up > up; {then}'

    def test_without_another_thread_the_lease_is_renewed_all_the_same(self):
        try:
            socket.gethostbyname("localhost")
        except OSError:
            self.skipTest("the name localhost has no address here (no /etc/hosts?)")
        proxy = self.proxy()
        proxy.on(action("renew"), fail_before, nth=2)
        by_name = self.environment(via=proxy)["AZURE_STORAGE_CONNECTION_STRING"].replace("127.0.0.1", "localhost")
        running = self.held("--ttl", "15s", script=self.limited("--nproc=1:1", "sleep 17; echo done"),
                            wrapper=self.as_nobody(), env={"AZURE_STORAGE_CONNECTION_STRING": by_name})
        run = running.finish()
        self.assertEqual((0, "done\n"), (run.code, run.text), run)
        self.assertGreaterEqual(sum(map(action("renew"), proxy.requests)), 3)

    def test_without_another_descriptor_the_command_is_ended_in_time_as_in_an_outage(self):
        proxy = self.proxy()
        proxy.on(action("renew"), fail_before)  # then it needs a new connection
        running = self.held("--ttl", "15s", script=self.limited("--nofile=1:1", "exec sleep 600"), via=proxy)
        run = running.finish()
        self.assertEqual(122, run.code, run)
        self.assertIn("no renew of the lease succeeded in time", run.messages)

    def test_with_few_descriptors_it_runs_or_ends_with_74_and_a_sentence(self):
        codes = set()
        for limit in range(4, 40):
            run = self.lock(self.name, "--", "true", wrapper=("sh", "-c", f'ulimit -n {limit}; exec "$0" "$@"'), code=None)
            codes.add(run.code)
            if run.code != 0:
                self.assertEqual((74, 1), (run.code, run.messages.count("\n")), f"ulimit -n {limit}: {run}")
                self.assertIn(f"ulimit -n is {limit}", run.messages)
        self.assertEqual({0, 74}, codes)


# Gives the process id of a command that has ended to another orphan of it, which ends with 7.
RECYCLE = """
while [ -e /proc/$1 ]; do sleep 0.01; done
for i in $(seq 200); do
    echo $(($1 - 1)) > /proc/sys/kernel/ns_last_pid
    sh -c 'sleep 1; exit 7' &
    [ $! = $1 ] && { touch hit; exit 0; }
done
"""


class Whose(LockCase):
    """Which processes azlock takes for the command's."""

    def test_a_process_that_gets_the_commands_id_is_not_the_command(self):
        wrapper = ("unshare", "-pf", "--mount-proc")
        if not permitted(*wrapper):
            self.skipTest("not permitted here: unshare -pf --mount-proc")
        self.file("recycle.sh", RECYCLE.encode())
        script = "setsid sh recycle.sh $$ > /dev/null 2>&1 & exit 5"
        run = self.lock(self.name, "--status-file", "status", "-c", script, wrapper=wrapper, code=5)
        self.assertTrue((self.work / "hit").exists(), run)
        self.assertEqual(5, json.loads((self.work / "status").read_text())["command"]["exit_code"])

    def test_a_job_of_the_shell_that_became_azlock_is_not_ended(self):
        shell = 'sh -c "sleep 600 & sleep 600; true" > /dev/null 2>&1 & echo $! > job; exec "$0" "$@"'
        running = self.held(wrapper=("sh", "-c", shell))
        job = int((self.work / "job").read_text())
        wait_until("the job's children", lambda: len(children(job)) == 2)
        inside = children(job)
        for pid in (job, *inside):
            self.addCleanup(kill_quietly, pid)
        os.kill(guard_of(running.pid), signal.SIGKILL)
        self.assertEqual(122, running.finish().code)
        self.assertEqual([True] * 3, [alive(pid) for pid in (job, *inside)])


IGNORES = "trap '' INT TERM; touch ready; while :; do sleep 0.05; done"
HEARS = "trap 'touch heard; exit 0' TERM; touch ready; while :; do sleep 0.05; done"


class LeftRunning(LockCase):
    """What the command leaves running keeps the lock, but not against the user's will."""

    def left(self, text, *flags):
        """The command has ended with 4 and has left this script running, in another session."""
        self.file("left.sh", text.encode())
        running = self.start("lock", *flags, self.name, "-c",
                             "setsid sh left.sh > /dev/null 2>&1 & until [ -e ready ]; do sleep 0.02; done; exit 4")
        running.until_says("keeps the lock: sh")
        return running

    def test_the_first_term_reaches_it(self):
        running = self.left(HEARS)
        running.signal(signal.SIGTERM)
        self.assertEqual(4, running.finish().code)
        self.assertTrue((self.work / "heard").exists())

    def test_the_second_term_kills_it(self):
        running = self.left(IGNORES)
        running.signal(signal.SIGTERM)
        time.sleep(0.3)
        self.assertIsNone(running.process.poll())
        running.signal(signal.SIGTERM)
        self.assertEqual(4, running.finish().code)

    def test_quit_ends_it_and_interrupt_only_the_second_time(self):
        for number in (signal.SIGQUIT, signal.SIGINT):
            (self.work / "ready").unlink(missing_ok=True)
            running = self.left(IGNORES, "--kill-after", "1s")
            running.signal(number)
            if number == signal.SIGINT:
                running.until_says("one more ^C ends")
                running.signal(number)
            self.assertEqual(4, running.finish().code)

    def test_the_time_of_the_run_is_its_time_too(self):
        run = self.left(IGNORES, "--run-timeout", "3s", "--kill-after", "1s").finish()
        self.assertEqual(124, run.code, run)
        self.assertIn("ending what the command has left running", run.messages)

    def test_a_time_of_0_is_no_limit(self):
        self.lock("--run-timeout", "0", "--timeout", "0", self.name, "-c", "sleep 0.3; exit 6", code=6)

    def test_a_stopped_command_acts_on_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            (self.work / "up").unlink(missing_ok=True)
            running = self.held(script="echo $$ > up; kill -STOP $$")
            pid = int((self.work / "up").read_text())
            wait_until("the stop", lambda: stat(pid)[0] == "T")
            running.signal(number)
            self.assertEqual(128 + number, running.finish().code)


# Chains of processes that fork and exit at once, and do not hear TERM. They keep the last time at which one of them ran.
CHAINS = """
import mmap, os, signal, struct, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
last = mmap.mmap(os.open("last", os.O_RDWR), 8)
end = time.clock_gettime(time.CLOCK_BOOTTIME) + 20
for _ in range(8):
    if os.fork() == 0:
        while (now := time.clock_gettime(time.CLOCK_BOOTTIME)) < end:
            last[:] = struct.pack("d", now)
            if os.fork() > 0:
                os._exit(0)
        os._exit(0)
open("up", "w").close()
time.sleep(600)
"""
MARGIN = 2.75  # from KILL to the end of a lease of 15 s


class Group(LockCase):
    """The command's own cgroup."""

    def groups(self, running):
        # Unlike rglob(), walk() goes on if the group of another test is removed meanwhile.
        return [Path(folder, name) for folder, names, _ in os.walk("/sys/fs/cgroup") for name in names
                if name.startswith(f"azlock-{running.pid}-")]

    def test_it_ends_processes_that_replace_themselves_all_the_time_and_is_removed(self):
        self.file("last", bytes(8))
        running = self.start("lock", self.name, "--", sys.executable, "-S", "-c", CHAINS)
        wait_until("the chains", (self.work / "up").exists)
        if not self.groups(running):
            running.signal(signal.SIGTERM)
            self.skipTest("no cgroup can be made here")
        running.signal(signal.SIGTERM)
        time.sleep(0.3)
        running.signal(signal.SIGTERM)  # the second one kills
        killed = boot_time()
        self.assertEqual(137, running.finish().code)
        last = struct.unpack("d", (self.work / "last").read_bytes())[0]
        self.assertGreater(last, 0)
        self.assertLess(last - killed, MARGIN)
        self.assertEqual([], self.groups(running))

    def test_kill_goes_to_all_that_is_in_it_also_to_what_no_walk_finds(self):
        running = self.held(script="trap '' TERM; echo up > up; while :; do sleep 0.05; done")
        if not self.groups(running):
            self.skipTest("no cgroup can be made here")
        stranger = subprocess.Popen(["sleep", "600"])
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        (self.groups(running)[0] / "cgroup.procs").write_text(str(stranger.pid))
        for _ in range(2):
            running.signal(signal.SIGTERM)
            time.sleep(0.3)
        self.assertEqual(137, running.finish().code)
        self.assertEqual(-signal.SIGKILL, stranger.wait(30))

    def test_it_is_removed_with_that_of_a_lock_inside(self):
        running = self.start("lock", self.name, "--", self.azlock_path, "lock", self.name + "-b", "--", "sh", "-c",
                             "trap '' TERM; echo up > up; while :; do sleep 0.05; done")
        wait_until("the inner command", (self.work / "up").exists)
        if not self.groups(running):
            self.skipTest("no cgroup can be made here")
        before = self.groups(running)[0]
        for _ in range(2):
            running.signal(signal.SIGTERM)
            time.sleep(0.3)
        running.finish()
        self.assertFalse(before.exists())

    def test_it_is_removed_also_after_its_guard_was_killed(self):
        running = self.held(script="sleep 600 & echo up > up; exec sleep 600")
        os.kill(guard_of(running.pid), signal.SIGKILL)
        self.assertEqual(122, running.finish().code)
        self.assertEqual([], self.groups(running))


if __name__ == "__main__":
    unittest.main()
