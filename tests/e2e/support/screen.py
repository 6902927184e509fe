"""A small terminal: what a person sees after a program has written to it, at any width, also after a change of the width.

It knows what azlock uses (CR, LF, CSI K, J and A, colours, wrapping on and off); anything else is an error.
"""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

FRAME = re.compile(rb"(?=\r\x1b\[J)")
SEQUENCE = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])")


class Row:
    def __init__(self, cells=(), goes_on=False):
        self.cells = list(cells)  # (character, colour)
        self.goes_on = goes_on    # in the next row: the terminal wrapped a long line

    def text(self):
        return "".join(character for character, _ in self.cells).rstrip()


class Screen:
    def __init__(self, columns=80, rows=24, rewraps=True):
        self.columns, self.height, self.rewraps = columns, rows, rewraps
        self.rows, self.row, self.column = [Row()], 0, 0
        self.colour, self.wraps, self._rest = "0", True, ""

    def feed(self, data):
        text = self._rest + data.decode()
        self._rest = ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._character(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                if len(text) - at > 12:
                    raise AssertionError(f"not a sequence of a terminal: {text[at:at + 12]!r}")
                self._rest = text[at:]
                return
            self._sequence(*found.groups())
            at = found.end()

    def resize(self, columns):
        if self.rewraps:
            self._rewrap(columns)
        else:
            for row in self.rows:
                del row.cells[columns:]
            self.column = min(self.column, columns - 1)
        self.columns = columns

    def lines(self):
        """All that was written, the oldest first, without empty rows at the end."""
        out = [row.text() for row in self.rows]
        while out and not out[-1]:
            out.pop()
        return out

    def colours(self):
        return {colour for row in self.rows for character, colour in row.cells if character != " "}

    def _character(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        elif not character.isprintable():
            raise AssertionError(f"a control character: {character!r}")
        else:
            if self.column == self.columns:
                if self.wraps:
                    self.rows[self.row].goes_on = True
                    self._down()
                    self.column = 0
                else:
                    self.column -= 1
            cells = self.rows[self.row].cells
            cells.extend([(" ", "0")] * (self.column + 1 - len(cells)))
            cells[self.column] = (character, self.colour)
            self.column += 1

    def _down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append(Row())

    def _sequence(self, parameters, final):
        if final == "m":
            self.colour = parameters or "0"
        elif final == "K" and parameters in ("", "0"):
            del self.rows[self.row].cells[self.column:]
        elif final == "J" and parameters in ("", "0"):
            del self.rows[self.row].cells[self.column:]
            del self.rows[self.row + 1:]
            self.rows[self.row].goes_on = False
        elif final == "A":
            self.row = max(self.row - int(parameters or 1), len(self.rows) - self.height, 0)
        elif parameters == "?7" and final in "hl":
            self.wraps = final == "h"
        else:
            raise AssertionError(f"unknown sequence: CSI {parameters}{final}")

    def _rewrap(self, columns):
        rows, line, begin, new = [], [], 0, None
        for number, row in enumerate(self.rows):
            if number == self.row:
                new = (len(rows) + (len(line) + self.column) // columns, (len(line) + self.column) % columns)
            line += row.cells
            if row.goes_on:
                continue
            pieces = [line[i:i + columns] for i in range(0, len(line), columns)] or [[]]
            rows += [Row(piece, piece is not pieces[-1]) for piece in pieces]
            line = []
        self.rows = rows
        self.row, self.column = new


class Terminal:
    """A program on a terminal of its own, whose screen shows what the program writes there."""

    def __init__(self, columns=80, rows=24, rewraps=True):
        self.screen = Screen(columns, rows, rewraps)
        self.said = b""
        self._frames = []  # that were read and not shown yet
        self._rows = rows
        self.master, self.slave = pty.openpty()
        self._set_size(columns)

    def close(self):
        os.close(self.master)
        self.release()

    def release(self):
        """To be called when the program has the terminal, so that its end is seen."""
        if self.slave is not None:
            os.close(self.slave)
            self.slave = None

    def resize(self, columns):
        while self._frames or select.select([self.master], [], [], 0)[0]:
            if not self._step():
                break
        self._set_size(columns)
        self.screen.resize(columns)

    def until(self, seen, seconds=60):
        """Reads until `seen(screen)` is true."""
        end = time.monotonic() + seconds
        while not seen(self.screen):
            if time.monotonic() > end or not self._step():
                raise AssertionError(f"this never came to be seen; the screen has {self.screen.lines()}")

    def to_the_end(self, each=lambda screen: None, seconds=60):
        """Reads until the program has closed the terminal; calls each(screen) after each frame."""
        end = time.monotonic() + seconds
        while self._step():
            each(self.screen)
            if time.monotonic() > end:
                raise AssertionError(f"the program did not end; the screen has {self.screen.lines()}")

    def _set_size(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", self._rows, columns, 0, 0))

    def _step(self):
        """Shows the next frame, if there is one. False: the program has closed the terminal."""
        if not self._frames:
            if not select.select([self.master], [], [], 1)[0]:
                return True
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            self.said += data
            self._frames = [frame for frame in FRAME.split(data) if frame]
            if not self._frames:
                return False
        self.screen.feed(self._frames.pop(0))
        return True
