"""azlock lock on a terminal, under a shell with job control: everything works as without azlock."""

import os
import pty
import select
import signal
import time
import unittest

from support.case import Case
from support.lock_case import LockCase
from support.locks import Trace, alive, children, guard_of, stat, wait_gone, wait_until


class Terminal(Case):
    """`self.shell` is an interactive bash on its own terminal."""

    def setUp(self):
        super().setUp()
        self.master, slave = pty.openpty()
        self.addCleanup(os.close, self.master)
        self.said = b""
        self.name = "lock-" + os.urandom(4).hex()
        self.shell = self.start("--norc", "--noprofile", "-i", program="/bin/bash", stdin=slave, stdout=slave,
                                stderr=slave, start_new_session=True, preexec_fn=take_terminal,
                                env={"PS1": "ready> ", "TERM": "dumb", "A": self.azlock_path, "L": self.name, "HISTFILE": "/dev/null"})
        os.close(slave)
        self.wait_for(b"ready> ")

    def type(self, text):
        os.write(self.master, text)

    def wait_for(self, text, seconds=60):
        """Waits until the text was printed. Returns all output up to it, and forgets it."""
        end = time.monotonic() + seconds
        while text not in self.said:
            if time.monotonic() > end:
                self.fail(f"{text!r} was never said: {self.said!r}")
            if select.select([self.master], [], [], 0.2)[0]:
                self.said += os.read(self.master, 65536)
        at = self.said.index(text) + len(text)
        before, self.said = self.said[:at], self.said[at:]
        return before

    def wait_for_foreground(self):
        """Waits until what is typed next does not go to the shell."""
        wait_until("a job in the foreground", lambda: os.tcgetpgrp(self.master) != os.getpgid(self.shell.pid))

    def run_line(self, line):
        self.type(line.encode() + b"\n")
        self.wait_for(line[-12:].encode())

    def test_interrupt_ends_the_command_and_the_shell_goes_on(self):
        self.run_line('"$A" lock $L -c "echo up-$((1+1)); exec sleep 600"')
        self.wait_for(b"up-2")
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-130")

    def test_interrupt_ends_a_script_around_it_too(self):
        self.run_line("""bash -c '"$A" lock "$L" -c "echo up-$((1+1)); exec sleep 600"; echo went-on-$((1+1))'""")
        self.wait_for(b"up-2")
        self.type(b"\x03")
        self.assertNotIn(b"went-on-2", self.wait_for(b"ready> "))

    def test_interrupt_ends_the_leaders_command_and_no_term_follows(self):
        self.run_line('"$A" elect $L -c "echo term >> terms; echo up-$((1+1)); exec sleep 600"')
        self.wait_for(b"up-2")
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-130")
        self.assertEqual("term\n", (self.work / "terms").read_text())
        self.azlock("lock", "-n", self.name, "--", "true")  # released

    def test_interrupt_ends_elect_also_where_its_command_makes_a_good_end_of_it(self):
        self.run_line("""\"$A" elect $L -c 'trap "echo caught-$((1+1)); exit 5" INT; echo term >> terms; echo up-$((1+1)); """
                      """while :; do sleep 0.1; done' """)
        self.wait_for(b"up-2")
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-130")
        self.assertEqual("term\n", (self.work / "terms").read_text())

    def test_interrupt_in_the_pause_between_two_terms_ends_elect(self):
        self.run_line('"$A" elect $L -c "echo term >> terms; exit 5"')
        self.wait_for(b"a candidate again in")
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-130")

    def test_interrupt_ends_a_script_around_elect_too(self):
        self.run_line("""bash -c '"$A" elect "$L" -c "echo up-$((1+1)); exec sleep 600"; echo went-on-$((1+1))'""")
        self.wait_for(b"up-2")
        self.type(b"\x03")
        self.assertNotIn(b"went-on-2", self.wait_for(b"ready> "))

    def test_a_leader_that_reads_from_the_terminal_gets_it(self):
        self.run_line("""\"$A" elect --once $L -c 'echo up-$((1+1)); read -r word; echo got-$word' """)
        self.wait_for(b"up-2")
        self.type(b"answer\n")
        self.wait_for(b"got-answer")
        self.wait_for(b"ready> ")

    def test_stopping_and_continuing_a_leader_works(self):
        trace = Trace(self.folder / "led")
        beat = " ".join(f"'{word}'" for word in trace.command())
        script = self.folder / "script"
        script.write_text(f"exec {beat}\n")
        self.run_line(f'"$A" elect $L -- sh "{script}"')
        pid = trace.wait()
        self.type(b"\x1a")
        self.wait_for(b"stopped: the lease is not renewed")
        self.wait_for(b"ready> ")
        count = len(trace.beats())
        self.run_line("fg")
        wait_until("the command going on", lambda: len(trace.beats()) > count + 10)
        self.wait_for_foreground()
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        wait_gone(pid)

    def test_a_command_may_take_the_interrupt_for_itself(self):
        self.run_line('''"$A" lock $L -c 'trap "echo caught-$((1+1)); exit 5" INT; echo up-$((1+1)); while :; do sleep 0.1; done' ''')
        self.wait_for(b"up-2")
        self.type(b"\x03")
        self.wait_for(b"caught-2")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-5")

    def test_stopping_and_continuing_a_job_works_and_the_lease_is_said_not_to_be_renewed(self):
        trace = Trace(self.folder / "held")
        beat = " ".join(f"'{word}'" for word in trace.command())
        script = self.folder / "script"
        script.write_text(f"exec {beat}\n")
        self.run_line(f'"$A" lock $L -- sh "{script}"')
        pid = trace.wait()
        self.type(b"\x1a")
        self.wait_for(b"stopped: the lease is not renewed; the command is ended in")
        self.wait_for(b"ready> ")
        count = len(trace.beats())
        time.sleep(0.3)
        self.assertEqual(count, len(trace.beats()))
        self.run_line("fg")
        wait_until("the command going on", lambda: len(trace.beats()) > count + 10)
        self.wait_for_foreground()
        self.type(b"\x1a")
        self.wait_for(b"ready> ")
        self.run_line("bg")
        count = len(trace.beats())
        wait_until("the command going on in the background", lambda: len(trace.beats()) > count + 10)
        self.run_line("fg")
        self.wait_for_foreground()
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        wait_gone(pid)

    def test_a_job_that_stays_stopped_loses_the_lock_and_its_command_is_ended(self):
        trace = Trace(self.folder / "held")
        beat = " ".join(f"'{word}'" for word in trace.command())
        script = self.folder / "script"
        script.write_text(f"exec {beat}\n")
        self.run_line(f'"$A" lock --ttl 15s $L -- sh "{script}"')
        pid = trace.wait()
        self.type(b"\x1a")
        self.wait_for(b"ready> ")
        wait_gone(pid)
        self.azlock("lock", "--ttl", "15s", self.name, "--", "true", timeout=60)
        self.run_line("fg")
        self.wait_for(b"was lost")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-122")

    def test_a_full_screen_program_has_the_terminal(self):
        program = ("import os,sys,termios,tty; fd=os.open('/dev/tty',os.O_RDWR); old=termios.tcgetattr(fd); "
                   "tty.setraw(fd); os.write(fd,b'raw-%d' % (1+1)); key=os.read(fd,1); "
                   "termios.tcsetattr(fd,termios.TCSADRAIN,old); print('key', key, os.tcgetpgrp(fd)==os.getpgrp())")
        (self.work / "full.py").write_text(program)
        self.run_line('"$A" lock $L -- python3 full.py')
        self.wait_for(b"raw-2")
        self.type(b"\x1a")  # in raw mode it is a key like any other
        self.wait_for(b"key b'\\x1a' True")
        self.wait_for(b"ready> ")

    def test_a_command_whose_output_goes_on_gets_the_terminal_when_it_asks(self):
        self.run_line("""\"$A" lock $L -c 'echo $$ > asks; read -r word < /dev/tty; echo got-$word' | cat""")
        asks = self.work / "asks"
        wait_until("the command", lambda: asks.exists() and asks.read_text().endswith("\n"))
        wait_until("the terminal being its own", lambda: os.tcgetpgrp(self.master) == os.getpgid(int(asks.read_text())))
        self.type(b"answer\n")
        self.wait_for(b"got-answer")
        self.wait_for(b"ready> ")

    def test_interrupt_while_waiting_ends_the_wait(self):
        holder = self.start("lock", self.name, "-c", "echo up > up; exec sleep 600")
        wait_until("the holder", (self.work / "up").exists)
        self.run_line('"$A" lock $L -- true')
        self.wait_for(b"is held by")
        self.type(b"\x03")
        self.wait_for(b"ready> ")
        self.run_line("echo code-$?")
        self.wait_for(b"code-130")
        self.assertTrue(alive(holder.pid))

    def test_quit_or_a_second_interrupt_ends_what_the_command_has_left_running(self):
        for quits in (True, False):
            self.run_line('"$A" lock --kill-after 1s $L -c "sleep 600 & exit 5"')
            self.wait_for(b"keeps the lock: sleep")
            if quits:
                self.type(b"\x1c")
            else:
                self.type(b"\x03")
                self.wait_for(b"one more ^C ends")
                self.type(b"\x03")
            self.wait_for(b"ready> ")
            self.run_line("echo code-$?")
            self.wait_for(b"code-5")

    def test_a_terminal_that_goes_away_ends_the_command(self):
        trace = Trace(self.folder / "held")
        beat = " ".join(f"'{word}'" for word in trace.command())
        script = self.folder / "script"
        script.write_text(f"exec {beat}\n")
        self.run_line(f'"$A" lock $L -- sh "{script}"')
        pid = trace.wait()
        self.shell.process.send_signal(signal.SIGHUP)
        wait_gone(pid)


class NoTerminal(LockCase):
    def test_tstp_stops_the_command_and_azlock_and_cont_continues_both(self):
        running = self.held(script="echo up > up; until [ -e go ]; do sleep 0.1; done; exit 6", start_new_session=True)
        [command] = children(guard_of(running.pid))
        running.signal(signal.SIGTSTP)
        wait_until("the stop", lambda: stat(running.pid)[0] == stat(command)[0] == "T")
        (self.work / "go").touch()
        running.signal(signal.SIGCONT)
        run = running.finish()
        self.assertEqual(6, run.code, run)
        self.assertIn("stopped: the lease is not renewed", run.messages)


def take_terminal():
    import fcntl
    import termios
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    unittest.main()
