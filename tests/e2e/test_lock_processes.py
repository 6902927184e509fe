"""azlock lock and the processes of its command: where they cannot be found, whose they are."""

import subprocess
import sys
import unittest

from support.lock_case import LockCase

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


def permitted(*wrapper):
    return subprocess.run([*wrapper, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


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


if __name__ == "__main__":
    unittest.main()
