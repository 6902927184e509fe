#!/usr/bin/env python3
"""Draws the wings of the house (docs/wings.svg) from the include graph: wings.py [--check]

Each box is a folder. An arrow says that a file of the upper folder includes a file of the lower one. Every folder may
also include all floors below its own; those arrows are left out. With --check nothing is written; the exit code is 1 if
the picture is out of date.
"""
import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "wings.svg"
WIDTH, BOX, GAP, SIDE = 1180, 46, 44, 20
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def wing_of(path):
    """The folder of a source, as includes name it: "ops/lease", "cli/commands/lock", "base"."""
    folder = str(pathlib.PurePosixPath(path).parent)
    return folder if folder.startswith(("ops/", "cli")) else folder.split("/")[0]


def read_graph():
    graph = {}
    for top in ("src", "cli"):
        for source in sorted((ROOT / top).rglob("*.[ch]pp")):
            name = source.relative_to(ROOT / "src" if top == "src" else ROOT).as_posix()
            used = {wing_of(header) for header in INCLUDE.findall(source.read_text(encoding="utf-8"))}
            graph.setdefault(wing_of(name), set()).update(used - {wing_of(name)})
    return graph


def levels(graph, names):
    """Rows from the top: each wing is above everything of `names` that it includes."""
    height = {}

    def of(name):
        if name not in height:
            height[name] = 0
            height[name] = 1 + max((of(other) for other in graph[name] & names), default=0)
        return height[name]

    rows = {}
    for name in sorted(names):
        rows.setdefault(of(name), []).append(name)
    return [rows[level] for level in sorted(rows, reverse=True)]


class Drawing:
    def __init__(self):
        self.parts, self.boxes, self.y = [], {}, 20

    def band(self, title, rows, graph, notes=None):
        top = self.y
        self.y += 30
        for row in rows:
            width = min(150, (WIDTH - 2 * SIDE - 20 - 12 * (len(row) - 1)) / len(row))
            x = (WIDTH - len(row) * width - 12 * (len(row) - 1)) / 2
            for name in row:
                self.boxes[name] = (x, self.y, width)
                x += width + 12
            self.y += BOX + GAP
        self.y -= GAP - 14
        self.parts.insert(0, f'<rect class="band" x="{SIDE / 2:g}" y="{top}" width="{WIDTH - SIDE:g}" height="{self.y - top}" rx="8"/>')
        self.parts.append(f'<text class="title" x="{SIDE:g}" y="{top + 20}">{escape(title)}</text>')
        names = {name for row in rows for name in row}
        for name in sorted(names):
            for other in sorted(graph.get(name, set()) & names):
                self.arrow(name, other)
        for name in sorted(names):
            self.box(name, (notes or {}).get(name, ""))
        self.y += 16

    def arrow(self, upper, lower):
        x1, y1, w1 = self.boxes[upper]
        x2, y2, w2 = self.boxes[lower]
        self.parts.append(f'<path class="arrow" d="M{x1 + w1 / 2:g} {y1 + BOX} C{x1 + w1 / 2:g} {y1 + BOX + 24:g} '
                          f'{x2 + w2 / 2:g} {y2 - 24:g} {x2 + w2 / 2:g} {y2 - 3:g}" marker-end="url(#tip)"/>')

    def box(self, name, note):
        x, y, width = self.boxes[name]
        label = re.sub(r"^(cli/commands/|cli/|ops/)", "", name) if "/" in name else name
        self.parts.append(f'<rect class="box" x="{x:g}" y="{y}" width="{width:g}" height="{BOX}" rx="5"/>')
        self.parts.append(f'<text class="name" x="{x + width / 2:g}" y="{y + (20 if note else 28)}">{escape(label)}</text>')
        if note:
            self.parts.append(f'<text class="note" x="{x + width / 2:g}" y="{y + 36}">{escape(note)}</text>')

    def svg(self):
        style = """
    .band { fill: #f3f4f6; } .box { fill: #ffffff; stroke: #6b7280; } .arrow { fill: none; stroke: #9ca3af; }
    .tip { fill: #9ca3af; } text { font-family: sans-serif; fill: #111827; } .title { font-size: 14px; font-weight: bold; }
    .name { font-size: 14px; text-anchor: middle; } .note { font-size: 10px; text-anchor: middle; fill: #4b5563; }
    @media (prefers-color-scheme: dark) {
      .band { fill: #1f2937; } .box { fill: #111827; stroke: #9ca3af; } text { fill: #f3f4f6; } .note { fill: #d1d5db; }
    }
"""
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.y}" role="img" '
                f'aria-label="The folders of azlock and which includes which">\n<style>{style}</style>\n'
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


def draw(graph):
    drawing = Drawing()
    commands = sorted(name for name in graph if name.startswith("cli/commands/"))
    used = {name: " ".join(sorted(other.split("/")[-1] for other in graph[name] if other.startswith("ops/"))) for name in commands}
    drawing.band("cli/commands: a folder for each group of commands, and the wings of src/ops that it calls", [commands], {}, used)
    shared = {name for name in graph if name.startswith("cli/") and name not in commands}
    drawing.band("cli: what the commands share", levels(graph, shared), graph)
    ops = {name for name in graph if name.startswith("ops/")}
    drawing.band("src/ops: a wing for each thing that azlock does", levels(graph, ops), graph)
    floors = {"azure", "http", "os", "base"}
    drawing.band("src: the Blob protocol, the network, processes, and what everything needs", levels(graph, floors), graph)
    return drawing.svg()


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = draw(read_graph())
    if not sys.argv[1:]:
        PICTURE.write_text(text, encoding="utf-8")
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != text:
        sys.exit("docs/wings.svg is out of date: run scripts/wings.py")


if __name__ == "__main__":
    main()
