"""docs/json.md and docs/exit-codes.md describe every key and code that a script may meet."""

import json
import re
import unittest
from pathlib import Path

from support.case import MIB, Case

DOCS = Path(__file__).resolve().parents[2] / "docs"
# The keys inside these are the user's own, or names.
FREE = {"metadata", "other", "libraries"}


def sections():
    """Heading -> text of docs/json.md."""
    parts = re.split(r"(?m)^## (.*)$", (DOCS / "json.md").read_text())
    return dict(zip(parts[1::2], parts[2::2]))


def named_keys(text):
    """Words that are keys in JSON, and all words between backquotes."""
    return set(re.findall(r'"(\w+)":', text)) | {word for code in re.findall(r"`([^`]+)`", text)
                                                  for word in re.findall(r"\w+", code)}


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    inner = [keys_of(item) for key, item in value.items() if key not in FREE]
    return set(value).union(*inner)


class Documented(Case):
    def setUp(self):
        super().setUp()
        self.sections = sections()
        self.errors = named_keys(self.sections["Errors"])

    def described(self, heading, *arguments, code=0, stream="out", **options):
        """Checks that the section names every key that the command prints (keys of errors: their own section)."""
        run = self.azlock("--json", *arguments, code=code, **options)
        printed = set().union(*(keys_of(json.loads(line)) for line in getattr(run, stream).splitlines()))
        self.assertTrue(printed, f"nothing was printed: {run}")
        # "as above": blobs, leases and errors are described once.
        above = set().union(*(named_keys(self.sections[name]) for name in self.sections
                              if name in ("show of a blob", "show of a container, container show")))
        known = named_keys(self.sections[heading]) | self.errors | above
        self.assertEqual(set(), printed - known, f"'{heading}' in docs/json.md does not name them: {run}")
        return run

    def test_every_key_that_is_printed_is_described(self):
        small, large = self.file("small", b"small"), self.file("large", 3 * MIB)
        folder = self.work / "folder"
        folder.mkdir()
        (folder / "a").write_bytes(b"a")
        b = self.blob("b")
        self.described("upload and resume of one blob", "upload", large, b, "--block-size", "1MiB")
        self.described("upload of many files", "upload", "-r", folder, self.blob("many/"))
        self.described("upload of many files", "upload", "-r", folder, self.blob("many/"), "--dry-run")
        self.rest.stage(self.container, "staged", b"somebody's", b"block")
        self.described("resume --status", "resume", large, self.blob("staged"), "--status")
        self.described("verify", "verify", large, b)
        self.described("download", "download", b, "copy")
        self.described("show of a blob", "show", b)
        self.described("show of a container, container show", "show", self.container)
        self.described("list", "list", self.container)
        self.described("list", "list", self.container, "--delimiter", "/")
        self.described("list", "list")
        self.described("cas-update", "cas-update", self.blob("counter"), "--add", "1", "--create")
        self.described("append", "append", self.blob("log"), small)
        queue = self.blob("jobs")
        self.described("queue", "queue", "put", queue, small)
        for action in ("list", "stats"):
            self.described("queue", "queue", action, queue)
        self.described("`completion --json`", "completion", "bash")
        self.described("`version --json`", "version")
        self.described("watch", "watch", b, "--initial", "--once", "--", "true")
        self.described("watch", "watch", self.blob("none"), "--interval", "50ms", "--timeout", "200ms", "--", "true",
                       code=69)
        sas = json.loads(self.described("sas", "sas", self.container, "--permissions", "rwdl").out)
        self.described("doctor", "doctor", self.container)
        self.described("doctor", "doctor", sas["url"])
        self.described("lease acquire, renew, change, release, keep", "lease", "acquire", b, "--duration", "60s")
        self.described("lease show, lease list", "lease", "show", b)
        self.described("lease show, lease list", "lease", "list", self.container)
        self.described("lease break", "lease", "break", b, "--period", "0s")
        self.described("Errors", "show", self.blob("none"), code=79, stream="err")
        self.described("Errors", "delete", b, "--if-match", '"0x1"', code=73, stream="err")
        self.described("delete, container create, container delete", "delete", b)

    def test_every_command_has_its_section(self):
        tree = json.loads(self.azlock("--json", "completion").text)
        listed = [command["command"].split()[1] for command in tree["commands"] if command["command"] != "azlock help"]
        self.assertGreater(len(listed), 10)
        headings = " ".join(self.sections) + " "
        missing = [name for name in listed if not re.search(rf"\b{name}\b", headings)]
        self.assertEqual([], missing, "without a heading in docs/json.md")

    def test_every_exit_code_of_the_help_is_in_the_table(self):
        table = (DOCS / "exit-codes.md").read_text()
        codes = re.findall(r"(?m)^  (\d+|128\+N) ", self.azlock("--help").text.split("Exit codes:")[1])
        self.assertGreater(len(codes), 10)
        self.assertEqual([], [code for code in codes if f"\n| {code} |" not in table])

    def test_every_word_for_an_error_has_its_exit_code(self):
        words = re.search(r"the word of .*?: `([a-z_ ]+)`", self.sections["Errors"])[1].split()
        table = set(re.findall(r"(?m)^\| \S+ \| `(\w+)` \|", (DOCS / "exit-codes.md").read_text()))
        self.assertEqual(set(words), table)
        source = (DOCS.parent / "src/base/error.cpp").read_text()
        self.assertEqual(set(words), set(re.findall(r'return "(\w+)";', source)))


if __name__ == "__main__":
    unittest.main()
