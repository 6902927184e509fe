"""watch: handles each version that lasts once; only the documented errors end it."""

import hashlib
import json
import os
import signal
import sys
import unittest
from pathlib import Path

from support.azurite import ACCOUNT
from support.case import MIB, Case, noise
from support.faults import close, service_error
from support.locks import wait_gone, wait_until

QUICK = ("--interval", "50ms")

# Appends a line of JSON for each run, with what the command got.
NOTE = """
import hashlib, json, os, sys
content = sys.stdin.buffer.read()
run = {"blob": os.environ["AZLOCK_BLOB"], "etag": os.environ["AZLOCK_ETAG"], "pid": os.getpid(),
       "content": hashlib.sha256(content).hexdigest(), "text": content[:40].decode("latin-1")}
with open(sys.argv[1], "a") as log:
    log.write(json.dumps(run) + "\\n")
"""


class Watch(Case):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "runs"
        self.note = [sys.executable, "-S", "-c", NOTE, str(self.log)]

    def runs(self):
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def texts(self):
        return [run["text"] for run in self.runs()]

    def put(self, content, name="b"):
        return self.rest.put(self.container, name, content)

    def watch(self, *flags, command=None, via=None, **options):
        return self.start("watch", self.blob("b"), *QUICK, *flags, "--", *(command or self.note), via=via, **options)

    def until_runs(self, count):
        wait_until(f"{count} runs", lambda: len(self.runs()) >= count)

    def end(self, running, number=signal.SIGTERM):
        running.signal(number)
        run = running.finish()
        self.assertEqual(128 + number, run.code, f"\n{run}")
        return run

    def test_each_change_runs_the_command_with_the_content_and_the_etag(self):
        self.put(b"one")
        watch = self.watch()
        watch.until_says("watching")
        two = self.put(b"two")
        self.until_runs(1)
        large = noise(9 * MIB)
        three = self.put(large)
        self.until_runs(2)
        self.end(watch)
        runs = self.runs()
        self.assertEqual([two, three], [run["etag"] for run in runs])
        self.assertEqual("two", runs[0]["text"])
        self.assertEqual(hashlib.sha256(large).hexdigest(), runs[1]["content"])
        self.assertEqual({self.blob("b")}, {run["blob"] for run in runs})

    def test_what_is_there_at_the_start_is_a_change_with_initial_only(self):
        self.put(b"one")
        watch = self.watch("--initial")
        self.until_runs(1)
        self.end(watch)
        self.assertEqual(["one"], self.texts())

    def test_looks_between_changes_fetch_nothing(self):
        self.put(noise(MIB))
        via = self.proxy()
        watch = self.watch("--initial", via=via)
        wait_until("ten looks", lambda: via.count("Get Blob") >= 10)
        self.end(watch)
        self.assertEqual(1, len(self.runs()))
        self.assertEqual(1, via.carried_out("Get Blob"))
        self.assertEqual({"Get Blob"}, set(via.operations()))

    def test_a_change_during_a_run_is_not_lost(self):
        self.put(b"one")
        gate = self.folder / "gate"
        os.mkfifo(gate)
        watch = self.watch("--initial", command=["sh", "-c", '"$@"; read _ < ' + f"'{gate}'", "sh", *self.note])
        self.until_runs(1)
        self.put(b"two")
        self.put(b"three")
        self.assertEqual(["one"], self.texts())  # one run at a time
        gate.write_text("go\n")
        self.until_runs(2)
        gate.write_text("go\n")
        self.end(watch)
        self.assertEqual(["one", "three"], self.texts())

    def test_a_blob_is_awaited_and_its_deletion_and_re_creation_are_survived(self):
        watch = self.watch("--on-delete", f'echo "$AZLOCK_BLOB $AZLOCK_ETAG $(cat)" >> "{self.folder}/gone"')
        watch.until_says("does not exist yet")
        gone = Path(f"{self.folder}/gone")
        etag = self.put(b"one")
        self.until_runs(1)
        self.rest.request("DELETE", self.container, "b")
        wait_until("the deletion", lambda: gone.exists() and gone.read_text().endswith("\n"))
        self.put(b"one")
        self.until_runs(2)
        self.end(watch)
        self.assertEqual(f"{self.blob('b')} {etag} \n", gone.read_text())
        self.assertEqual(["one", "one"], self.texts())

    def test_a_container_that_is_not_there_is_awaited_too(self):
        watch = self.start("watch", "later" + self.container + "/b", *QUICK, "--", *self.note)
        watch.until_says("does not exist yet")
        self.rest.create_container("later" + self.container)
        self.rest.put("later" + self.container, "b", b"one")
        self.until_runs(1)
        self.end(watch)

    def test_an_outage_is_told_and_survived_and_what_changed_in_it_is_seen(self):
        self.put(b"one")
        via = self.proxy()
        watch = self.watch("--retries", "0", via=via)
        watch.until_says("watching")
        via.on("Get Blob", close, times=2)
        said = watch.until_says("cannot be seen")
        self.put(b"two")
        self.until_runs(1)
        self.assertEqual(["two"], self.texts())
        run = self.end(watch)
        self.assertIn("looking again in", said + run.messages)

    def test_an_outage_without_a_change_runs_nothing(self):
        self.put(b"one")
        via = self.proxy()
        via.on("Get Blob", service_error(503, "ServerBusy"), times=2)
        watch = self.watch("--retries", "0", via=via)
        watch.until_says("can be seen again")
        self.end(watch)
        self.assertEqual([], self.runs())

    def test_a_refusal_ends_it_with_its_code(self):
        self.put(b"one")
        via = self.proxy()
        via.on("Get Blob", service_error(403, "AuthorizationPermissionMismatch"), nth=3)
        run = self.watch(via=via).finish()
        self.assertEqual(77, run.code, f"\n{run}")
        self.assertEqual([], self.runs())

    def test_a_command_that_fails_is_told_and_the_watching_goes_on(self):
        self.put(b"one")
        watch = self.watch("--initial", command=["sh", "-c", '"$@"; exit 9', "sh", *self.note])
        watch.until_says("failed with exit code 9")
        self.put(b"two")
        self.until_runs(2)
        self.end(watch)

    def test_once_ends_with_the_commands_exit_code(self):
        self.put(b"one")
        for command, code in (("exit 0", 0), ("exit 9", 9), ("kill -9 $$", 137)):
            self.azlock("watch", self.blob("b"), *QUICK, "--initial", "--once", "--", "sh", "-c", command, code=code)
        watch = self.watch("--once")
        watch.until_says("watching")
        self.put(b"two")
        self.assertEqual(0, watch.finish().code)
        self.assertEqual(["two"], self.texts())

    def test_once_without_a_change_ends_at_the_timeout(self):
        self.put(b"one")
        run = self.azlock("watch", self.blob("b"), *QUICK, "--once", "--timeout", "500ms", "--", *self.note, code=69)
        self.assertIn("--timeout", run.messages)

    def test_a_command_that_cannot_be_run_ends_it(self):
        self.put(b"one")
        plain = self.file("plain", b"text")
        for command, code in (("no-such-command", 127), (str(plain), 126)):
            self.azlock("watch", self.blob("b"), *QUICK, "--initial", "--", command, code=code)

    def test_a_signal_is_told_to_the_command_and_its_end_is_awaited(self):
        self.put(b"one")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            told = self.folder / f"told{number}"
            script = (f"import signal, sys, time\nprint('up', flush=True)\n"
                      f"def end(n, f):\n  time.sleep(2)\n  open({str(told)!r}, 'w').write(str(n))\n  sys.exit(0)\n"
                      f"signal.signal({int(number)}, end)\nprint('ready', file=sys.stderr, flush=True)\nsignal.pause()")
            watch = self.watch("--initial", command=[sys.executable, "-S", "-c", script])
            watch.until_says("ready")
            self.end(watch, number)
            self.assertEqual(str(int(number)), told.read_text())

    def test_a_command_that_does_not_hear_is_killed_with_all_of_its_group(self):
        self.put(b"one")
        script = "trap '' TERM; sleep 1000 & echo \"pids $$ $! .\" >&2; wait; wait"
        for ending in ("kill-after", "second signal"):
            flags = ("--kill-after", "300ms") if ending == "kill-after" else ("--kill-after", "10m")
            watch = self.watch("--initial", *flags, command=["sh", "-c", script])
            said = watch.until_says(" .\n")
            pids = [int(word) for word in said[said.index("pids ") + 5:].split()[:2]]
            watch.signal(signal.SIGTERM)
            if ending == "second signal":
                wait_until("the first signal", lambda: not pending(watch.pid))
                watch.signal(signal.SIGTERM)
            self.assertEqual(143, watch.finish().code)
            wait_gone(*pids)

    def test_a_signal_between_runs_ends_it_at_once(self):
        self.put(b"one")
        watch = self.start("watch", self.blob("b"), "--interval", "10m", "--", *self.note)
        watch.until_says("watching")
        self.assertLess(self.end(watch, signal.SIGINT).seconds, 30)

    def test_the_etag_file_carries_on_where_an_earlier_watch_ended(self):
        self.put(b"one")
        seen = self.folder / "seen"
        watch = self.watch("--etag-file", seen)
        watch.until_says("watching")
        wait_until("the first ETag", seen.exists)
        self.end(watch)
        two = self.put(b"two")
        self.azlock("watch", self.blob("b"), *QUICK, "--once", "--etag-file", seen, "--", *self.note)
        self.assertEqual(["two"], self.texts())
        self.assertEqual(two + "\n", seen.read_text())
        # Nothing is new, so nothing runs, not even with --initial.
        run = self.azlock("watch", self.blob("b"), *QUICK, "--initial", "--timeout", "500ms", "--etag-file", seen, "--",
                          *self.note, code=69)
        self.assertEqual(["two"], self.texts(), f"\n{run}")
        # A version whose command failed comes again.
        self.put(b"three")
        self.azlock("watch", self.blob("b"), *QUICK, "--once", "--etag-file", seen, "--", "false", code=1)
        self.assertEqual(two + "\n", seen.read_text())
        self.azlock("watch", self.blob("b"), *QUICK, "--once", "--etag-file", seen, "--", *self.note)
        self.assertEqual(["two", "three"], self.texts())
        # A deletion that nobody watched is reported. If the file says that there was no blob, any version is a change.
        self.rest.request("DELETE", self.container, "b")
        self.azlock("watch", self.blob("b"), *QUICK, "--once", "--etag-file", seen, "--on-delete", "exit 0", "--", "false")
        self.assertEqual("", seen.read_text())
        self.put(b"four")
        self.azlock("watch", self.blob("b"), *QUICK, "--once", "--etag-file", seen, "--", *self.note)
        self.assertEqual(["two", "three", "four"], self.texts())

    def test_json_is_a_line_for_each_event_and_nothing_else_on_standard_output(self):
        one = self.put(b"one")
        watch = self.watch("--initial", "--json", "--on-delete", "exit 4", command=["sh", "-c", "cat; echo; kill -7 $$"])
        watch.until_says("one\n")
        self.rest.request("DELETE", self.container, "b")
        lines = []
        while not any(line["event"] == "command_ended" and line["on_delete"] for line in lines):
            lines.append(json.loads(watch.process.stdout.readline()))
        watch.signal(signal.SIGTERM)
        run = watch.finish()
        self.assertEqual(143, run.code)
        self.assertEqual(["changed", "command_ended", "deleted", "command_ended"], [line["event"] for line in lines])
        for line in lines:
            self.assertEqual((self.blob("b"), one), (line["target"], line["etag"]))
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(3, lines[0]["bytes"])
        self.assertEqual((None, 7), (lines[1]["exit_code"], lines[1]["signal"]))
        self.assertEqual((4, None), (lines[3]["exit_code"], lines[3]["signal"]))
        self.assertEqual("cancelled", json.loads(run.err.splitlines()[-1])["code"])

    def test_a_command_that_reads_nothing_or_closes_its_input_is_no_trouble(self):
        self.put(noise(9 * MIB))
        for command in ("true", "exec <&-; sleep 0.1", "head -c 5 > /dev/null"):
            self.azlock("watch", self.blob("b"), *QUICK, "--initial", "--once", "--", "sh", "-c", command)

    def test_the_content_is_in_a_file_without_a_name_that_the_command_may_only_read(self):
        self.put(b"one")
        scratch = self.folder / "scratch"
        scratch.mkdir()
        run = self.azlock("watch", self.blob("b"), *QUICK, "--initial", "--once", "--", "sh", "-c",
                          f"ls -A '{scratch}'; grep flags /proc/self/fdinfo/0; ls /proc/self/fd | wc -l",
                          env={"TMPDIR": str(scratch)})
        flags, count = run.text.split()[1:]
        self.assertEqual(os.O_RDONLY, int(flags, 8) & os.O_ACCMODE)
        self.assertLessEqual(int(count), 4)  # three of its own, and that of ls
        missing = self.azlock("watch", self.blob("b"), *QUICK, "--initial", "--", "true", code=74,
                              env={"TMPDIR": str(self.folder / "none")})
        self.assertIn("none", missing.messages)

    def test_what_cannot_be_watched_is_64(self):
        for arguments in (("watch", self.blob("b")), ("watch", self.container, "--", "true"),
                          ("watch", self.blob("b"), "--interval", "0", "--", "true"), ("watch", "--", "true"),
                          ("watch", f"http://127.0.0.1:1/{ACCOUNT}/{self.blob('b')}?snapshot=2026-11-21T08:00:00.0000000Z",
                           "--", "true")):
            with self.subTest(arguments=arguments):
                self.azlock(*arguments, code=64)


def pending(pid):
    """Signals that the process has not taken yet."""
    fields = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    return int(fields["ShdPnd"], 16) != 0


if __name__ == "__main__":
    unittest.main()
