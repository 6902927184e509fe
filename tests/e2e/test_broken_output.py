"""Where the result goes is checked before anything is changed, and JSON on stderr is one object a line."""

import json
import signal
import unittest

from support.case import Case
from support.locks import wait_until


class BrokenOutput(Case):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "n", b"1")

    def content(self):
        return self.azlock("download", self.blob("n"), "-").out

    def test_a_full_or_closed_standard_output_changes_nothing(self):
        small = self.file("small", b"small")
        commands = [["cas-update", self.blob("n"), "--add", "1"], ["upload", small, self.blob("n")],
                    ["append", self.blob("log"), small], ["queue", "put", self.blob("jobs"), small],
                    ["lease", "acquire", self.blob("n")]]
        for command in commands:
            for options in ([], ["--json"]):
                via = self.proxy()
                with self.subTest(command=command, options=options), open("/dev/full", "wb") as full:
                    run = self.azlock(*command, *options, stdout=full, via=via, code=74)
                    self.assertIn("standard output", run.messages)
                    self.assertEqual([], [r.method for r in via.requests if r.method not in ("GET", "HEAD")])
        closed = self.start("-c", f'"{self.azlock_path}" cas-update {self.blob("n")} --add 1 >&-', program="bash").finish()
        self.assertEqual((74, b"1"), (closed.code, self.content()), closed)

    def test_a_status_file_that_cannot_be_written_changes_nothing(self):
        run = self.azlock("cas-update", self.blob("n"), "--add", "1", "--status-file", "no/such/folder/status", code=74)
        self.assertEqual(b"1", self.content(), run)

    def test_a_status_file_beyond_ulimit_f_is_an_error_and_leaves_no_temporary_file(self):
        for command in (["cas-update", self.blob("n"), "--add", "1"], ["lock", self.blob("l"), "--", "touch", "ran"]):
            at = 1 if command[0] == "lock" else len(command)
            run = self.azlock(*command[:at], "--status-file", "status", *command[at:], code=74,
                              wrapper=("sh", "-c", 'ulimit -f 0; exec "$0" "$@"'))
            self.assertIn("ulimit -f is 0 B", run.messages)
        self.assertEqual(b"1", self.content())
        self.assertEqual([], sorted(path.name for path in self.work.iterdir()))

    def test_a_command_gets_the_signals_that_azlock_got(self):
        for command in (["lock", self.blob("l")], ["cas-update", self.blob("n")], ["watch", self.blob("n"), "--initial", "--once"]):
            with self.subTest(command=command):
                self.azlock(*command, "--", "sh", "-c", "grep SigIgn /proc/self/status >ignored; echo 1")
                ignored = int((self.work / "ignored").read_text().split()[1], 16)
                self.assertEqual(0, ignored & (1 << (signal.SIGXFSZ - 1) | 1 << (signal.SIGPIPE - 1)))

    def test_a_usage_error_replaces_the_status_file(self):
        status = self.file("status", b'{"outcome":"ran"}')
        self.azlock("lock", "deploy", "--status-file", status, "--nonsense", "--", "true", code=64)
        told = json.loads(status.read_bytes())
        self.assertEqual(("error", 64, "usage"), (told["outcome"], told["exit_code"], told["error"]["code"]))

    def test_an_unfinished_line_of_the_command_is_ended(self):
        run = self.azlock("cas-update", self.blob("n"), "--json", "--", "sh", "-c", "printf unfinished >&2; exit 9", code=9)
        lines = run.messages.splitlines()
        self.assertEqual(("unfinished", "data"), (lines[0], json.loads(lines[-1])["code"]))

    def test_the_lines_of_queue_work_are_json_without_empty_lines(self):
        for name, said in (("a", "echo whole >&2"), ("b", "printf part >&2"), ("c", "true")):
            self.azlock("queue", "put", self.blob("jobs"), "--id", name, input=said.encode())
        run = self.azlock("queue", "work", self.blob("jobs"), "--drain", "--json", "--", "sh")
        lines = run.messages.splitlines()
        self.assertEqual(["whole", "part"], [line for line in lines if not line.startswith("{")])
        self.assertEqual(["a", "b", "c", None], [json.loads(line).get("task") for line in lines if line.startswith("{")])

    def test_the_guard_speaks_json_too(self):
        held = self.work / "held"
        with open(self.work / "stderr", "wb") as stderr:
            running = self.start("lock", "--json", "--ttl", "15s", self.container, "--", "sh", "-c",
                                 f"printf unfinished >&2; : > {held}; exec sleep 600", stderr=stderr)
            wait_until("the command runs", held.exists)
            running.signal(signal.SIGKILL)
            running.process.wait()
            wait_until("the guard's message", lambda: b"}\n" in (self.work / "stderr").read_bytes())
        lines = [line for line in (self.work / "stderr").read_text().splitlines() if line]
        self.assertEqual("unfinished", lines[0])
        told = json.loads(lines[1])
        self.assertEqual(("guard_ends_command", "azlock_gone"), (told["event"], told["why"]))


if __name__ == "__main__":
    unittest.main()
