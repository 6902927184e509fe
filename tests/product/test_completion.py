"""Tests the completion scripts in the shells for which they are made."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import shells
from program import azlock, command_tree, main

# A line, and what is offered at its end: exactly this, or with "..." at least this.
STORIES = [
    ("azlock lea", {"lease"}),
    ("azlock lease ac", {"acquire"}),
    ("azlock lock --orph", {"--orphans"}),
    ("azlock lock --orphans ", {"wait", "kill", "leave"}),
    ("azlock --config nowhere lease ac", {"acquire"}),
    ("azlock lock --container lease --tt", {"--ttl"}),  # the value of an option is no command
    ("azlock lock job --status-file fil", {"file-one"}),
    ("azlock lock --ttl ", set()),
    ("azlock lock job -- whoam", {"whoami"}),
    ("azlock lock job -- ls fil", {"file-one"}),
    ("azlock lock job --json -- azlock lease ac", {"acquire", "..."}),
    ("azlock upload --exec c/b -- whoam", {"whoami"}),
    ("azlock upload -- fil", {"file-one"}),
    ("azup --exe", {"--exec"}),
    ("azup fil", {"file-one"}),
    ("azlock show fil", set()),
    ("azlock completion ", {"bash", "zsh", "fish"}),
]


def every_option(tree):
    """For each command: a line, and the long options of the command and of azlock itself."""
    def names(command):
        return {name for option in command["options"] for name in option["names"] if name.startswith("--")}

    return [(command["command"] + " --", names(command) | names(tree[0])) for command in tree]


class Completion(unittest.TestCase):
    maxDiff = None

    def check(self, shell, ask, last_of_path=False):
        if not shutil.which(shell):
            self.skipTest(f"no {shell}; scripts/setup.sh --checks installs it")
        stories = STORIES + every_option(command_tree())
        with tempfile.TemporaryDirectory(prefix="azlock-completion-") as name:
            folder = Path(name)
            (folder / "file-one").touch()
            script = folder / ".script"
            script.write_text(azlock("completion", shell), encoding="utf-8")
            subprocess.run([shell, "-n", script], check=True, timeout=60)
            offered = ask(script, [line for line, _ in stories], folder)
        self.assertEqual(len(stories), len(offered))
        for (line, expected), found in zip(stories, offered):
            with self.subTest(shell=shell, line=line):
                if "..." in expected:
                    self.assertLessEqual(expected - {"..."}, found)
                else:
                    self.assertEqual(expected, found)

    @unittest.skipUnless(shells.BASH_COMPLETION.exists(), "no bash-completion; scripts/setup.sh --checks installs it")
    def test_bash_offers_every_command_option_and_value(self):
        self.check("bash", shells.bash)

    def test_zsh_offers_every_command_option_and_value(self):
        self.check("zsh", shells.zsh)

    def test_fish_offers_every_command_option_and_value(self):
        self.check("fish", shells.fish)


if __name__ == "__main__":
    main()
