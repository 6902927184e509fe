"""Takes the commands for a shell out of the pages of docs/recipes/."""

import json
import re
import shlex
import textwrap
from pathlib import Path

PAGES = Path(__file__).resolve().parents[3] / "docs" / "recipes"


def blocks(page, language):
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def _yaml_scripts(text, keys):
    """The values of `run: ...` or `run: |`, in order; `keys` is a regular expression."""
    found, lines = [], text.splitlines()
    for number, line in enumerate(lines):
        match = re.match(rf"^(\s*(?:- )?)(?:{keys}):\s*(.*)$", line)
        if not match:
            continue
        if match.group(2) != "|":
            found.append(match.group(2))
            continue
        body = []
        for following in lines[number + 1:]:
            if following.strip() and len(following) - len(following.lstrip()) <= len(match.group(1)):
                break
            body.append(following)
        found.append(textwrap.dedent("\n".join(body)))
    return [script for script in found if script]


def _gitlab_scripts(text):
    """The lines of each `script:`, as one script for each job."""
    return ["\n".join(re.findall(r"^\s*- (.*)$", body, re.MULTILINE))
            for body in re.findall(r"^  script:\n((?:    - .*\n)+)", text, re.MULTILINE)]


def github():
    return _yaml_scripts(blocks("github-actions.md", "yaml")[0], "run")


def gitlab():
    return _gitlab_scripts(blocks("gitlab-ci.md", "yaml")[0])


def azure_pipelines():
    return _yaml_scripts(blocks("azure-pipelines.md", "yaml")[0], "bash")


def jenkins():
    """sh '...' and sh '''...'''; in such strings Groovy changes only backslashes."""
    text = blocks("jenkins.md", "groovy")[0]
    return [long or short for long, short in re.findall(r"\bsh (?:'''(.*?)'''|'([^'\n]*)')", text, re.DOTALL)]


def cron():
    return [line.split(maxsplit=5)[5] for text in blocks("cron-systemd.md", "crontab") for line in text.splitlines()]


def systemd():
    return re.findall(r"^ExecStart=(.*)$", "\n".join(blocks("cron-systemd.md", "ini")), re.MULTILINE)


def kubernetes():
    """Every command: [...], in code and in text."""
    text = (PAGES / "kubernetes.md").read_text(encoding="utf-8")
    return [shlex.join(json.loads(command)) for command in re.findall(r"command: (\[.*?\])", text)]


def shell(page):
    return blocks(page, "sh")
