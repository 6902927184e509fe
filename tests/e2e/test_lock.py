"""azlock lock: what the command gets, what its caller gets, what is refused."""

import json
import os
import signal
import time
import unittest

from support.faults import drop_reply, fail_before, service_error
from support.lock_case import LockCase
from support.locks import Trace, alive, guard_of, wait_gone, wait_until


# For a holder: holds the lock until there is a file "go".
UNTIL_GO = "echo up > up; until [ -e go ]; do sleep 0.02; done"


class TheCommand(LockCase):
    def test_its_exit_code_is_the_callers(self):
        for code in (0, 1, 64, 75, 122, 255):
            self.assertEqual(code, self.lock(self.name, "-c", f"exit {code}", code=None).code)

    def test_a_signals_end_is_128_and_the_signal(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT):
            self.assertEqual(128 + number, self.lock(self.name, "-c", f"kill -{int(number)} $$", code=None).code)

    def test_it_gets_its_arguments_as_they_are(self):
        arguments = ["-n", "--", "a b", "", "$HOME", "*", "--json", "-h", "ä", "\n", "lock"]
        run = self.lock(self.name, "--", "printf", "[%s]", *arguments)
        self.assertEqual("".join(f"[{a}]" for a in arguments), run.text)

    def test_it_may_write_core_files_as_our_caller_and_azlock_may_not(self):
        of_azlock = "/proc/$(cut -d ' ' -f 4 /proc/$PPID/stat)/limits"
        run = self.lock(self.name, "-c", f"ulimit -S -c; grep -h core /proc/$PPID/limits {of_azlock}",
                        wrapper=("sh", "-c", 'ulimit -S -c 1000 && exec "$0" "$@"'))
        command, guard, azlock = run.text.splitlines()
        self.assertEqual("1000", command)
        for limits in (guard, azlock):
            self.assertRegex(limits, r"^Max core file size +0 ")

    def test_it_has_our_standard_streams(self):
        run = self.lock(self.name, "-c", "cat; echo err >&2", input=b"through\0it")
        self.assertEqual(b"through\0it", run.out)
        self.assertEqual("err\n", run.messages)

    def test_a_closed_stream_stays_closed(self):
        run = self.azlock("lock", self.name, "-c", "[ -e /proc/self/fd/0 ]; echo $?",
                          wrapper=("sh", "-c", 'exec "$0" "$@" <&-'))
        self.assertEqual("1\n", run.text)

    def test_it_knows_its_lock(self):
        run = self.lock(self.name, "-c", "env | grep ^AZLOCK_")
        told = dict(line.split("=", 1) for line in run.text.splitlines() if line.startswith("AZLOCK_"))
        self.assertEqual(self.name, told["AZLOCK_NAME"])
        self.assertRegex(told["AZLOCK_URL"], f"^http://127.0.0.1:[0-9]+/devstoreaccount1/locks/{self.name}$")
        self.assertRegex(told["AZLOCK_LEASE_ID"], "^[0-9a-f-]{36}$")
        self.assertEqual(self.metadata()["azl_fence"], told["AZLOCK_FENCE"])
        self.assertEqual("0", told["AZLOCK_SLOT"])
        self.assertNotIn("AZLOCK_STATUS_FILE", told)

    def test_no_secret_of_a_command_line_reaches_the_record(self):
        self.lock(self.name, "--", "/bin/true", "--password", "hunter2hunter2")
        record = self.metadata()
        self.assertEqual("/bin/true", record["azl_command"])
        self.assertNotIn("hunter2", json.dumps(record))

    def test_what_cannot_be_run_is_126_or_127_and_leaves_the_lock_free(self):
        self.assertIn("nosuch", self.lock(self.name, "--", "./nosuch", code=127).messages)
        plain = self.file("plain", b"text")
        self.lock(self.name, "--", plain, code=126)
        self.lock(self.name, "--", "/", code=126)
        self.assertEqual("available", self.lease_state())

    def test_what_it_leaves_running_keeps_the_lock_and_is_named(self):
        run = self.lock(self.name, "-c", "sleep 1.5 & exit 4", code=4)
        self.assertGreater(run.seconds, 1.2)  # the last look comes just before the end
        self.assertRegex(run.messages, r"still runs and keeps the lock: sleep \(\d+\)")

    def test_orphans_can_be_killed_or_left(self):
        trace = Trace(self.folder / "orphan")
        beat = " ".join(f"'{word}'" for word in trace.command())
        script = f"setsid {beat} >/dev/null 2>&1 & until [ -s '{trace.path}' ]; do sleep 0.02; done; exit 4"
        self.lock("--orphans", "kill", "--kill-after", "1", self.name, "-c", script, code=4)
        self.assertFalse(alive(trace.beats()[0][0]))
        trace.path.unlink()
        self.lock("--orphans", "leave", self.name, "-c", script, code=4)
        self.assertEqual("available", self.lease_state())
        count = len(trace.beats())
        wait_until("the orphan going on", lambda: len(trace.beats()) > count)
        os.kill(trace.beats()[0][0], signal.SIGKILL)

    def test_a_run_timeout_is_124(self):
        run = self.lock("--run-timeout", "1s", "--kill-after", "1s", self.name, "-c",
                        "trap '' TERM; while :; do sleep 0.1; done", code=124)
        self.assertLess(run.seconds, 30)
        self.assertEqual("available", self.lease_state())

    def test_signals_are_handed_on_and_a_second_term_kills(self):
        for name, number in (("HUP", signal.SIGHUP), ("USR1", signal.SIGUSR1), ("USR2", signal.SIGUSR2),
                             ("WINCH", signal.SIGWINCH), ("QUIT", signal.SIGQUIT), ("INT", signal.SIGINT)):
            with self.subTest(signal=name):
                (self.work / "up").unlink(missing_ok=True)
                script = f"trap 'exit 33' {name}; echo up > up; while :; do sleep 0.05; done"
                running = self.held(script=script)
                running.signal(number)
                self.assertEqual(33, running.finish().code)
        (self.work / "up").unlink()
        running = self.held(script="trap 'echo term >> terms' TERM; echo up > up; while :; do sleep 0.05; done")
        running.signal(signal.SIGTERM)
        wait_until("the first TERM", (self.work / "terms").exists)
        running.signal(signal.SIGTERM)
        self.assertEqual(137, running.finish().code)
        self.assertEqual("available", self.lease_state())


class TheLock(LockCase):
    def test_container_and_blob_are_made_on_first_use(self):
        self.lock("--container", self.container + "-new", "a/b c/ü", "--", "true")
        self.rest.request("HEAD", self.container + "-new", "a/b c/ü")

    def test_a_free_lock_is_five_requests_on_one_connection(self):
        self.lock(self.name, "--", "true")
        proxy = self.proxy()
        self.lock(self.name, "--", "true", via=proxy)
        self.assertEqual(5, len(proxy.requests), proxy.operations())
        self.assertEqual(1, proxy.connections)

    def test_it_needs_no_right_to_create_a_container_that_exists(self):
        self.lock(self.name, "--", "true")
        proxy = self.proxy()
        proxy.on("Create Container", service_error(403, "AuthorizationPermissionMismatch"), needed=False)
        self.lock(self.name, "--", "true", via=proxy)
        self.assertEqual(0, proxy.count("Create Container"))

    def test_a_credential_that_may_not_write_is_77_before_anything_starts(self):
        self.lock(self.name, "--", "true")
        proxy = self.proxy()
        proxy.on(lambda r: r.headers.get("x-ms-lease-action") == "acquire",
                 service_error(403, "AuthorizationPermissionMismatch"))
        self.lock(self.name, "--", "touch", "started", via=proxy, code=77)
        self.assertFalse((self.work / "started").exists())

    def test_the_fence_grows_from_holder_to_holder_also_over_a_deletion(self):
        fences = []
        for turn in range(6):
            fences.append(int(self.lock(self.name, "-c", "echo $AZLOCK_FENCE").text))
            if turn % 2:
                self.rest.request("DELETE", "locks", self.name)
        self.assertEqual(sorted(set(fences)), fences)

    def test_a_fence_that_cannot_be_one_is_65(self):
        self.lock(self.name, "--", "true")
        for value in ("garbage", "99999999999999999999999", "9999999999999"):
            self.rest.request("PUT", "locks", self.name, query={"comp": "metadata"},
                              headers={"x-ms-meta-azl_fence": value})
            self.assertIn("azl_fence", self.lock(self.name, "--", "true", code=65).messages)

    def test_other_garbage_in_the_metadata_does_no_harm_and_foreign_metadata_stays(self):
        self.lock(self.name, "--", "true")
        self.rest.request("PUT", "locks", self.name, query={"comp": "metadata"},
                          headers={"x-ms-meta-azl_ttl": "%%%", "x-ms-meta-azl_since": "x", "x-ms-meta-mine": "stays",
                                   "x-ms-meta-azl_pid": "-1"})
        self.lock(self.name, "--", "true")
        self.assertEqual("stays", self.metadata()["mine"])
        self.assertEqual("60s", self.metadata()["azl_ttl"])

    def test_a_blob_is_locked_by_the_blob_beside_it(self):
        self.rest.put(self.container, "data", b"content")
        self.lock(f"az://{self.container}/data", "--", self.azlock_path, "upload", self.file("f", b"new"),
                  self.blob("data"))
        self.assert_blob("data", b"new")
        self.assertIn("azl_fence", {key.lower()[10:] for key in
                                    self.rest.request("HEAD", self.container, "data.azlock")[1]})

    def test_a_lost_answer_to_any_request_is_made_up_for(self):
        self.lock(self.name, "--", "true")
        for nth in range(1, 6):
            for fault in (drop_reply, fail_before):
                with self.subTest(request=nth, fault=fault.__name__):
                    proxy = self.proxy()
                    proxy.on(lambda request: True, fault, nth=nth)
                    self.assertEqual("ran\n", self.lock(self.name, "--", "echo", "ran", via=proxy).text)
                    self.assertEqual("available", self.lease_state())

    def test_a_lock_that_was_broken_is_quarantined_unless_the_holder_is_known_to_be_dead(self):
        self.lease_of_a_dead_holder()
        self.lease("break", break_period=0)
        running = self.start("lock", "--ttl", "15s", self.name, "--", "true")
        running.until_says("waits 1 min until it has ended for sure")
        time.sleep(1)
        self.assertIsNone(running.process.poll())
        pid = running.process.pid
        self.assertIn(f"pid {pid} ", self.azlock("lease", "show", "--lock", self.name).text)
        self.assertRegex(self.lock("-n", self.name, "--", "true", code=75).messages,
                         f"is held by [^,]* pid {pid} for .*, in quarantine until .*: the command of the former holder, .*, may still run")
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(143, run.code)
        self.assertEqual("leased", self.lease_state())  # nobody may get the lock yet
        self.lease("break", break_period=0)
        self.lock("--no-quarantine", self.name, "--", "true", timeout=50)  # a quarantine takes a minute

    def test_a_break_is_not_forgotten_when_another_tool_has_had_the_lease_since(self):
        running = self.held("--ttl", "15s")
        running.signal(signal.SIGSTOP)  # it does not notice the break; its guard ends the command later
        self.lease("break", break_period=0)
        other = self.lease("acquire", duration=15)[1]["x-ms-lease-id"]
        self.lease("release", id=other)
        self.assertEqual("available", self.lease_state())
        run = self.lock("-n", self.name, "--", "touch", "second", code=75)
        self.assertIn("has not said that its command has ended", run.messages)
        self.assertFalse((self.work / "second").exists())
        running.signal(signal.SIGCONT)
        self.assertEqual(122, running.finish().code)

    def lease_of_a_dead_holder(self):
        self.lock(self.name, "--", "true")
        self.lease("acquire", duration=60)


class Waiting(LockCase):
    def test_nonblock_is_75_and_says_who_holds_it(self):
        running = self.held("--owner", "ticket=OPS-7")
        run = self.lock("-n", self.name, "--", "touch", "started", code=75)
        self.assertRegex(run.messages, rf"is held by \S+ pid {running.pid} for .*command /bin/sh, ticket OPS-7")
        self.assertFalse((self.work / "started").exists())
        self.lock("-n", "-E", "3", self.name, "--", "true", code=3)
        self.assertEqual("busy", self.azlock("lock", "--json", "-n", self.name, "--", "true", code=75).error()["code"])

    def test_a_wait_has_an_end(self):
        self.held()
        run = self.lock("-w", "1.5s", self.name, "--", "true", code=75)
        self.assertGreater(run.seconds, 1.2)  # the last look comes just before the end

    def test_a_waiter_says_after_two_seconds_who_holds_the_lock_and_gets_it(self):
        holder = self.held(script=UNTIL_GO)
        waiter = self.start("lock", self.name, "--", "echo", "mine")
        said = waiter.until_says("waiting: the lock")
        (self.work / "go").touch()
        run = waiter.finish()
        self.assertEqual((0, "mine\n"), (run.code, run.text), run)
        self.assertNotIn("waiting: the lock", said.partition("waiting: the lock")[2] + run.messages)
        self.assertEqual(0, holder.finish().code)

    def test_a_quiet_waiter_says_nothing(self):
        holder = self.held(script=UNTIL_GO)
        proxy = self.proxy()
        waiter = self.start("lock", "-q", self.name, "--", "true", via=proxy)
        wait_until("a look", lambda: proxy.requests)
        time.sleep(3)  # another one would have spoken after two
        (self.work / "go").touch()
        run = waiter.finish()
        self.assertEqual((0, b""), (run.code, run.err), run)
        holder.finish()

    def test_a_signal_ends_the_wait_at_once(self):
        self.held()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            running = self.start("lock", self.name, "--", "true")
            guard = guard_of(running.pid)
            running.until_says("waiting: the lock")
            running.signal(number)
            run = running.finish()
            self.assertEqual(128 + number, run.code, run)
            self.assertLess(run.seconds, 30)
            wait_gone(guard)

    def test_slots_let_so_many_in_and_no_more(self):
        slots = [self.start("lock", "--slots", "3", self.name, "-c", f"echo $AZLOCK_SLOT > slot{i}; exec sleep 600")
                 for i in range(3)]
        wait_until("three holders", lambda: all((self.work / f"slot{i}").exists() and
                                                (self.work / f"slot{i}").read_text() for i in range(3)))
        self.assertEqual({"0\n", "1\n", "2\n"}, {(self.work / f"slot{i}").read_text() for i in range(3)})
        self.lock("-n", "--slots", "3", self.name, "--", "true", code=75)
        slots[1].signal(signal.SIGTERM)
        self.assertEqual(143, slots[1].finish().code)
        run = self.lock("-n", "--slots", "3", self.name, "-c", 'echo "$AZLOCK_SLOT-${AZLOCK_FENCE-none}"')
        self.assertEqual((self.work / "slot1").read_text().strip() + "-none\n", run.text)
        self.assertIn("has 3 slots, not 2", self.lock("-n", "--slots", "2", self.name, "--", "true", code=64).messages)
        self.assertIn("has 3 slots, not 1", self.lock("-n", self.name, "--", "true", code=64).messages)


class BadInput(LockCase):
    def refused(self, *arguments, code=64):
        run = self.lock(*arguments, code=code)
        self.assertEqual(b"", run.out)
        self.assertEqual(1, run.messages.count("\n"), run)
        self.assertTrue(run.messages.startswith("azlock: "), run)
        return run

    def test_what_makes_no_sense_is_64_in_one_line(self):
        self.refused(self.name)
        self.refused(self.name, "--")
        self.refused(self.name, "--", "")
        self.refused(self.name, "true")
        self.refused("--", "true")
        self.refused(self.name, "-c", "true", "--", "true")
        for ttl in ("10s", "61s", "15.5s", "0", "x"):
            self.refused("--ttl", ttl, self.name, "--", "true")
        self.refused("--kill-after", "2m", self.name, "--", "true")
        self.refused("--ttl", "15s", "--kill-after", "6s", self.name, "--", "true")
        self.refused("-n", "-w", "3", self.name, "--", "true")
        self.refused("-E", "256", self.name, "--", "true")
        self.refused("--slots", "0", self.name, "--", "true")
        self.refused("--orphans", "adopt", self.name, "--", "true")
        self.refused("--owner", "noequals", self.name, "--", "true")
        self.refused("--owner", "fence=1", self.name, "--", "true")
        self.refused("a\\b", "--", "true")
        self.refused("x/../y", "--", "true")
        self.refused("az://container-only", "--", "true")
        self.refused("", "--", "true")

    def test_a_status_file_that_cannot_be_written_is_74_before_anything_starts(self):
        self.refused("--status-file", "/nonexistent/file", self.name, "--", "touch", "started", code=74)
        self.assertFalse((self.work / "started").exists())

    def test_names_with_odd_characters_are_locks_like_others(self):
        for name in ("with space", "100%+#?&=", "ünï", "a/b//c", "dash-", "x" * 200):
            self.assertEqual(f"{name}\n", self.lock(name, "-c", 'echo "$AZLOCK_NAME"').text)

    def test_another_command_keeps_its_own_dashes(self):
        self.file("-odd", b"x")
        self.azlock("upload", "--", "-odd", self.blob("odd"))


class StatusFile(LockCase):
    def status(self, *arguments, code):
        self.lock("--status-file", "status", *arguments, code=code)
        return json.loads((self.work / "status").read_text())

    def test_it_tells_what_an_exit_code_alone_does_not(self):
        ran = self.status(self.name, "-c", "exit 75", code=75)
        self.assertEqual(("ran", 75, 75, None), (ran["outcome"], ran["exit_code"], ran["command"]["exit_code"],
                                                 ran["command"]["signal"]))
        self.assertEqual(int(self.metadata()["azl_fence"]), ran["fence"])
        killed = self.status(self.name, "-c", "kill -9 $$", code=137)
        self.assertEqual((None, 9), (killed["command"]["exit_code"], killed["command"]["signal"]))
        self.assertEqual("timeout", self.status("--run-timeout", "0.3s", self.name, "--", "sleep", "60",
                                                code=124)["outcome"])
        self.assertEqual("not_started", self.status(self.name, "--", "./nosuch", code=127)["outcome"])
        self.held()
        busy = self.status("-n", self.name, "--", "true", code=75)
        self.assertEqual(("busy", 75, None), (busy["outcome"], busy["exit_code"], busy["command"]))

    def test_it_says_held_while_the_command_runs(self):
        run = self.lock("--status-file", "status", self.name, "-c",
                        'until grep -q "\\"held\\"" "$AZLOCK_STATUS_FILE"; do sleep 0.05; done; cat "$AZLOCK_STATUS_FILE"')
        self.assertEqual("held", json.loads(run.text)["outcome"])


if __name__ == "__main__":
    unittest.main()
