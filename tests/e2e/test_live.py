"""--watch shows each change until ^C, on a terminal and elsewhere."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import termios
import time
import unittest

from support.case import Case
from support.locks import wait_until


class Live(Case):
    def on_terminal(self, *arguments):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        running = self.start(*arguments, stdin=slave, stdout=slave, stderr=slave, env={"TERM": "xterm"},
                             start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        return running, master

    def read_until(self, master, text):
        said, end = b"", time.monotonic() + 60
        while text not in said:
            if time.monotonic() > end:
                self.fail(f"{text!r} was never said: {said!r}")
            if select.select([master], [], [], 0.5)[0]:
                said += os.read(master, 4096)
        return said

    def test_a_terminal_is_drawn_over_until_an_interrupt(self):
        self.azlock("queue", "put", f"{self.container}/jobs", "--id", "a", input=b"1")
        running, master = self.on_terminal("queue", "list", f"{self.container}/jobs", "--watch=200ms")
        self.assertIn(b"STATE", self.read_until(master, b"\x1b[3A\r\x1b[J"))
        self.azlock("queue", "put", f"{self.container}/jobs", "--id", "b", input=b"2")
        self.read_until(master, b"2 tasks: 2 ready\r\n\x1b[4A\r\x1b[J")
        os.write(master, b"\x03")
        self.assertEqual(130, running.process.wait(30))

    def test_elsewhere_each_change_is_told_once(self):
        self.azlock("lease", "acquire", self.blob("a"), "--create")
        told = self.work / "told"
        with told.open("wb") as out:
            running = self.start("lease", "list", self.container, "--watch=200ms", "--json", stdout=out)
        lines = lambda: [json.loads(line)["leases"] for line in told.read_bytes().split(b"\n")[:-1]]
        wait_until("the first look", lambda: len(lines()) == 1)
        self.azlock("lease", "acquire", self.blob("b"), "--create")
        wait_until("the change", lambda: [lease["name"] for lease in lines()[-1]] == ["a", "b"])
        self.azlock("lease", "break", self.blob("a"), "--period", "0s")
        wait_until("the break", lambda: [lease["state"] for lease in lines()[-1]] == ["broken", "leased"])
        running.signal(signal.SIGINT)
        self.assertEqual(130, running.finish().code)
        # Between its creation and its lease a blob is not listed.
        self.assertEqual(3, len(lines()))


if __name__ == "__main__":
    unittest.main()
