"""On a terminal azlock asks before it deletes a container."""

import os
import pty
import select
import signal
import time
import unittest

from support.case import Case


class Asking(Case):
    def ask(self, *arguments):
        """Starts it on its own terminal and waits for the question."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.running = self.start(*arguments, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.terminal = master
        self.said = b""
        self.wait_for(b"confirm: ")

    def wait_for(self, text):
        end = time.monotonic() + 30
        while text not in self.said:
            if time.monotonic() > end or not select.select([self.terminal], [], [], 1)[0] and \
                    self.running.process.poll() is not None:
                self.fail(f"{text!r} was never said: {self.said!r}")
            if select.select([self.terminal], [], [], 0)[0]:
                self.said += os.read(self.terminal, 4096)

    def answer(self, text, code):
        os.write(self.terminal, text)
        self.assertEqual(code, self.running.process.wait(30), self.said)

    def there(self):
        return self.rest.request("GET", self.container, query={"restype": "container"}, expect=(200, 404))[0] == 200

    def test_the_containers_name_as_answer_deletes_it(self):
        self.ask("container", "delete", self.container)
        self.assertIn(self.container.encode(), self.said)
        self.answer(self.container.encode() + b"\n", 0)
        self.assertFalse(self.there())

    def test_any_other_answer_deletes_nothing(self):
        for answer in (b"y\n", b"yes\n", b"\n", self.container[:-1].encode() + b"\n", b"\x04"):
            with self.subTest(answer=answer):
                self.ask("container", "delete", self.container)
                self.answer(answer, 64)
                self.assertTrue(self.there())

    def test_an_interrupt_instead_of_an_answer_ends_it(self):
        self.ask("container", "delete", self.container)
        self.running.signal(signal.SIGINT)
        self.assertEqual(130, self.running.process.wait(2))
        self.assertTrue(self.there())

    def test_without_a_terminal_it_takes_yes_as_a_flag_only(self):
        run = self.azlock("container", "delete", self.container, input=self.container.encode() + b"\n", code=64)
        self.assertIn("--yes", run.messages)
        self.assertTrue(self.there())
        self.azlock("container", "delete", self.container, "-y")
        self.assertFalse(self.there())

    def test_with_yes_nothing_is_asked_on_a_terminal(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        running = self.start("container", "delete", self.container, "--yes", stdin=slave, start_new_session=True)
        os.close(slave)
        self.assertEqual(0, running.finish().code)


if __name__ == "__main__":
    unittest.main()
