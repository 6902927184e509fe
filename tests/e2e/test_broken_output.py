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

    def test_a_usage_error_replaces_the_status_file(self):
        status = self.file("status", b'{"outcome":"ran"}')
        self.azlock("lock", "deploy", "--status-file", status, "--nonsense", "--", "true", code=64)
        told = json.loads(status.read_bytes())
        self.assertEqual(("error", 64, "usage"), (told["outcome"], told["exit_code"], told["error"]["code"]))

    def test_an_unfinished_line_of_the_command_is_ended(self):
        run = self.azlock("cas-update", self.blob("n"), "--json", "--", "sh", "-c", "printf unfinished >&2; exit 9", code=9)
        lines = run.messages.splitlines()
        self.assertEqual(("unfinished", "data"), (lines[0], json.loads(lines[-1])["code"]))

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
