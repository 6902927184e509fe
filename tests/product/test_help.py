"""Every page of --help is as docs/help.txt has it: whoever changes a page sees it there.

test_help.py --update writes the file."""

import os
import subprocess
import sys
import unittest

from program import ROOT, binary, command_tree, main

PAGES = ROOT / "docs" / "help.txt"


def page(command):
    environment = {**os.environ, "NO_COLOR": "1"}
    words = [*command.split()[1:], "--help"]
    text = subprocess.run([binary(), *words], check=True, stdout=subprocess.PIPE, timeout=60, text=True, env=environment)
    return f"$ {command} --help\n{text.stdout}"


def all_pages():
    return "\n\n".join(page(command["command"]) for command in command_tree())


class Help(unittest.TestCase):
    maxDiff = None

    def test_every_page_is_as_it_was_read(self):
        self.assertEqual(PAGES.read_text(encoding="utf-8"), all_pages(), "if that is wanted: test_help.py --update")

    def test_no_line_is_longer_than_80(self):
        self.assertEqual([], [line for line in all_pages().splitlines() if len(line) > 80])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGES.write_text(all_pages(), encoding="utf-8")
    else:
        main()
