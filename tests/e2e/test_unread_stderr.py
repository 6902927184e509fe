"""What must end in time does so although its standard error is a full pipe that nobody reads."""

import fcntl
import os
import unittest

from support.lock_case import LockCase


class UnreadStandardError(LockCase):
    def full_pipe(self):
        """The write end; writing to it blocks until the test ends."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.write(writer, bytes(fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)))
        return writer

    def ends(self, code, *arguments):
        return self.azlock(*arguments, code=code, timeout=40, stderr=self.full_pipe())

    def test_a_lock_that_somebody_has(self):
        self.held()
        self.ends(75, "lock", "-n", self.name, "--", "true")
        self.ends(75, "lock", "-w", "4s", self.name, "--", "true")

    def test_a_lock_that_is_lost(self):
        running = self.held("--ttl", "15s", stderr=self.full_pipe())
        self.azlock("lease", "break", "--lock", self.name, "--period", "0")
        self.assertEqual(122, running.finish(60).code)

    def test_an_election(self):
        self.held()
        self.ends(None, "--timeout", "5s", "elect", self.name, "--", "true")

    def test_lease_commands(self):
        self.rest.put(self.container, "n", b"1")
        lease = self.azlock("lease", "acquire", self.blob("n")).text.strip()
        self.ends(75, "lease", "acquire", self.blob("n"))
        self.ends(0, "lease", "release", self.blob("n"), "--lease-id", lease)
        self.ends(73, "lease", "renew", self.blob("n"), "--lease-id", lease)


if __name__ == "__main__":
    unittest.main()
