#!/usr/bin/env python3
"""Makes the man pages from the program's own help and from the text in docs/man/.

Usage: scripts/man.py AZLOCK OUTPUT_DIR [--source]

AZLOCK is the built program. Name, synopsis, options, examples and exit codes come from its `completion --json`. Each
command must have a file docs/man/NAME.scd with a DESCRIPTION and any further sections, in the language of scdoc(5).
With --source the script writes the pages as scdoc(5) text and does not need scdoc.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PROSE = Path(__file__).resolve().parents[1] / "docs" / "man"
LAST = ("ENVIRONMENT", "FILES", "NOTES", "CAVEATS", "SEE ALSO")


def page_name(path):
    return path.replace(" ", "-")


def escape(text):
    return re.sub(r"([\\*_`#~<>|+]|^-)", r"\\\1", text)


def literal(lines):
    return "```\n" + "\n".join(line[2:] for line in lines) + "\n```\n"


def paragraphs(text):
    """Each paragraph as a list of lines; a change between indented and not indented lines begins a new paragraph."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        for line in block.splitlines():
            same = found and found[-1] and line.startswith("  ") == found[-1][-1].startswith("  ")
            if same:
                found[-1].append(line)
            else:
                found.append([line])
        found.append([])
    return [lines for lines in found if lines]


def footer_parts(footer):
    """(notes, examples, exit status) from the text below the options in --help."""
    parts = {"notes": [], "examples": [], "exit": []}
    into = "notes"
    for lines in paragraphs(footer):
        if re.fullmatch(r"Examples?:", lines[0]):
            into, lines = "examples", lines[1:]
        elif not lines[0].startswith("  "):
            into = "exit" if re.search(r"[Ee]xit code|codes? below", lines[0]) else "notes"
        if lines:
            indented = lines[0].startswith("  ")
            parts[into].append(literal(lines) if indented else escape(" ".join(lines)) + "\n")
    return ["\n".join(parts[key]) for key in ("notes", "examples", "exit")]


def exit_codes(command):
    return "\n".join(f"*{escape(row['code'])}*\n\t{escape(row['meaning'])}\n" for row in command["exit_codes"])


def option_text(option):
    names = ", ".join(f"*{escape(name)}*" for name in option["names"])
    is_flag = option["names"][0].startswith("-")
    value = f" _{escape(option['value'])}_" if option["value"] and is_flag else ""
    more = f" Takes {', '.join(option['choices'])}." if option["choices"] and "|" not in value else ""
    more += f" From {option['limits']}." if option["limits"] else ""
    more += f" Environment variable: {option['environment']}." if option["environment"] else ""
    more += " Required." if option["required"] else ""
    help_text = option["help"] + ("." if more and not option["help"].endswith(".") else "")
    return f"{names}{value}\n\t{escape(help_text + more)}\n"


def options_text(command):
    out, group = [], "Options"
    for option in command["options"]:
        if option["group"] != group:
            group = option["group"]
            out.append(f"## {group}\n")
        out.append(option_text(option))
    return "\n".join(out)


def synopsis(command):
    words = [f"*{command['command']}*", "[OPTION...]"]
    if command["commands"]:
        words.append("COMMAND")
    for operand in command["operands"]:
        name = escape(operand["names"][0])
        words.append(name if operand["required"] or "..." in name else f"[{name}]")
    if command["runs_command"]:
        words.append("[-- COMMAND...]")
    return " ".join(words)


def read_prose(name):
    path = PROSE / f"{name}.scd"
    if not path.exists():
        sys.exit(f"man.py: '{name.replace('-', ' ', 1)}' has no man page: write docs/man/{name}.scd (a '# DESCRIPTION' and "
                 "what --help does not say)")
    text = "\n" + path.read_text(encoding="utf-8")
    found = re.findall(r"^# ([A-Z ]+)\n(.*?)(?=^# |\Z)", text, re.MULTILINE | re.DOTALL)
    return {title: body.strip("\n") + "\n" for title, body in found}


def see_also(command, parent, prose):
    related = [page_name(sub["command"]) for sub in command["commands"]]
    if parent:
        related = [page_name(parent["command"])] + related
    links = [f"*{name}*(1)" for name in related]
    return ", ".join(links + ([prose.strip()] if prose else [])) + "\n"


def page(command, parent, app, version):
    name = page_name(command["command"])
    prose = read_prose(name)
    notes, examples, codes = footer_parts(command["footer"])
    description = command["description"].removeprefix("azlock: ")
    sections = [
        ("NAME", f"{name} - {escape(description[0].lower() + description[1:])}\n"),
        ("SYNOPSIS", synopsis(command) + "\n"),
        ("DESCRIPTION", prose.pop("DESCRIPTION") + ("\n" + notes if notes else "")),
    ]
    if command["commands"]:
        sections.append(("COMMANDS", "\n".join(
            f"*{page_name(sub['command'])}*(1)\n\t{escape(sub['description'])}\n" for sub in command["commands"])))
    operands = "\n".join(option_text(operand) for operand in command["operands"])
    more = "" if command is app else "\nOptions of every command (account, network, output): *azlock*(1).\n"
    sections.append(("OPTIONS", (operands + "\n" if operands else "") + options_text(command) + more))
    last = [(title, prose.pop(title)) for title in LAST if title in prose and title != "SEE ALSO"]
    also = see_also(command, parent, prose.pop("SEE ALSO", ""))
    own_codes = prose.pop("EXIT STATUS", "")
    sections += prose.items()
    if examples:
        sections.append(("EXAMPLES", examples))
    own = "\n".join(text for text in (own_codes, codes) if text)
    sections.append(("EXIT STATUS", own + ("\n" if own else "") + exit_codes(command)))
    sections += last + [("SEE ALSO", also)]
    return f'{name}(1) "azlock {version}" "azlock"\n\n' + "\n".join(f"# {title}\n\n{body}" for title, body in sections)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--source"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    program, output = os.path.abspath(arguments[0]), Path(arguments[1])
    output.mkdir(parents=True, exist_ok=True)
    version = subprocess.check_output([program, "--version"], text=True).split()[1]
    app = json.loads(subprocess.check_output([program, "completion", "--json"]))

    def write(command, parent):
        text = page(command, parent, app, version)
        path = output / f"{page_name(command['command'])}.1"
        if "--source" in sys.argv:
            path.with_suffix(".scd").write_text(text, encoding="utf-8")
        else:
            run = subprocess.run(["scdoc"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            if run.returncode != 0:
                sys.exit(f"man.py: {path.stem}: {run.stderr.decode().strip()}")
            path.write_bytes(run.stdout)
        for sub in command["commands"]:
            write(sub, command)

    write(app, None)


if __name__ == "__main__":
    main()
