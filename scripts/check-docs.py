#!/usr/bin/env python3
"""Checks that every path of this repository that the documentation names exists.

A path is a word between backquotes, or the target of a link, that begins with one of the top folders, or with a folder
below src/ ("ops/lock/session.cpp"). A `*` matches as in a shell; a trailing slash means a folder.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ("src/", "cli/", "tests/", "scripts/", "docs/", "packaging/", "base/", "os/", "http/", "azure/", "ops/")
ENDINGS = ("/", ".cpp", ".hpp", ".py", ".sh", ".md", ".txt", ".svg", ".json", ".pml", ".js", ".scd", ".in", ".cmake")
PLACEHOLDER = re.compile(r"NAME|FOLDER|[<(]")
WORD = re.compile(r"`([^`\s]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def exists(path):
    return any(next((ROOT / top).glob(path), None) for top in ("", "src"))


def missing_in(page):
    text = page.read_text(encoding="utf-8")
    for word in WORD.findall(text):
        word = word.split("::")[0].rstrip(".,;:")
        if word.startswith(TOP) and word.endswith(ENDINGS) and not PLACEHOLDER.search(word) and not exists(word.rstrip("/")):
            yield word
    for target in LINK.findall(text):
        if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
            yield target


def main():
    bad = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for word in missing_in(page):
            print(f"{page.relative_to(ROOT)}: there is no {word}")
            bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
