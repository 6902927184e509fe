"""The man pages describe every command and option, and none that does not exist."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import ROOT, azlock, binary, command_tree, main

PROSE = ROOT / "docs" / "man"
FLAG = re.compile(r"(?<![\w-])(--?[a-zA-Z][\w-]*)")


def page_name(command):
    return command["command"].replace(" ", "-")


def flags_of_help(command):
    """The flags in those lines of --help that begin with an option."""
    text = azlock(*command["command"].split()[1:], "--help")
    lines = re.findall(r"^  (-\S.*?)(?:  |$)", text, re.MULTILINE)
    return {name for names in lines for name in re.findall(r"(?:^|, )(--?[a-zA-Z][\w-]*)", names)}


def flags_of_page(roff):
    section = re.search(r"^\.SH OPTIONS$(.*?)^\.SH ", roff, re.MULTILINE | re.DOTALL).group(1)
    return {flag for line in section.replace("\\-", "-").splitlines() if line.startswith(r"\fB-")
            for flag in re.findall(r"\\fB(-[^\\]*)\\fR", line)}


class Man(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tree = command_tree()

    def test_every_command_has_its_page_and_every_page_its_command(self):
        commands = {page_name(command): command["command"] for command in self.tree}
        pages = {path.stem for path in PROSE.glob("*.scd")}
        for name in sorted(set(commands) - pages):
            self.fail(f"'{commands[name]}' has no man page: write docs/man/{name}.scd (a '# DESCRIPTION' and what --help "
                      "does not say; scripts/man.py adds the rest)")
        self.assertEqual(set(), pages - set(commands), "pages in docs/man of no command")

    def test_the_prose_names_only_options_that_exist(self):
        known = {flag for command in self.tree for option in command["options"] for flag in option["names"]}
        for path in sorted(PROSE.glob("*.scd")):
            named = set(FLAG.findall(path.read_text(encoding="utf-8").replace("\\-", "-")))
            self.assertEqual(set(), {flag for flag in named if flag.startswith("--")} - known, path.name)

    def pages(self, *options):
        folder = tempfile.TemporaryDirectory(prefix="azlock-man-")
        self.addCleanup(folder.cleanup)
        run = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "man.py", binary(), folder.name, *options],
                             stderr=subprocess.PIPE, timeout=120, text=True, check=False)
        self.assertEqual(0, run.returncode, run.stderr)
        return Path(folder.name)

    def test_every_page_can_be_made_from_the_prose_and_the_program(self):
        made = {path.stem for path in self.pages("--source").glob("*.scd")}
        self.assertEqual({page_name(command) for command in self.tree}, made)

    def test_the_pages_have_the_options_of_help_and_no_others(self):
        if not shutil.which("scdoc"):
            self.skipTest("no scdoc; scripts/setup.sh --checks installs it")
        folder = self.pages()
        for command in self.tree:
            with self.subTest(command=command["command"]):
                page = folder / f"{page_name(command)}.1"
                self.assertEqual(flags_of_help(command), flags_of_page(page.read_text(encoding="utf-8")))
                if shutil.which("man"):
                    said = subprocess.run(["man", "--warnings=w", "-l", page], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, timeout=60, text=True, check=True).stderr
                    self.assertEqual("", said)


if __name__ == "__main__":
    main()
