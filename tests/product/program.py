"""What the tests of the finished product share."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77  # as ctest reads it


def binary():
    path = os.environ.get("AZLOCK_BIN")
    if not path:
        raise RuntimeError("set AZLOCK_BIN to the azlock binary")
    return Path(path).resolve()


def azlock(*arguments):
    return subprocess.run([binary(), *arguments], check=True, stdout=subprocess.PIPE, timeout=60, text=True).stdout


def command_tree():
    """All commands, the program itself first, each as `completion --json` describes it."""
    found = []

    def walk(command):
        found.append(command)
        for sub in command["commands"]:
            walk(sub)

    walk(json.loads(azlock("completion", "--json")))
    return found


def main():
    """Like unittest.main(), but ends with 77 if something was skipped and nothing failed."""
    program = unittest.main(exit=False, verbosity=1)
    for _, reason in program.result.skipped:
        print(f"skipped: {reason}")
    sys.exit(1 if not program.result.wasSuccessful() else SKIPPED if program.result.skipped else 0)
