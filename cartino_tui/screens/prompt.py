"""One line for text at the bottom of a screen: a name, a code, a cut, something to say.

A value that keys turn into the next one, drawn as the last row of the frame. (Textual's own line for text is a widget
with a focus, styles and a cursor of its own, and cost every session of a house as much memory as the table.)
"""

from collections.abc import Callable

import msgspec

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import SUBSTITUTE, clean, plain
from cartino_tui.games.plug import Look
from cartino_tui.keys import KeyRow, KeyTable
from cartino_tui.screens.parts import hint_at, hint_line, hints_width
from cartino_tui.typeahead import Press

# Every other key is text, Backspace too.
_KEYS = KeyTable(KeyRow("done", ("enter",), "Enter", "done"), KeyRow("cancel", ("escape",), "Esc", "cancel"))
HINTS = _KEYS.hints("done", "cancel")
_HINTS_WIDTH = hints_width(HINTS)


class Ask(msgspec.Struct, frozen=True):
    """What is asked: the words before the line, the most characters, what stands there, what is done with it."""

    label: str
    most: int
    then: Callable[[str], None]
    value: str = ""
    keep: bool = False
    """Whether the line outlives its screen: talk goes on when the game begins."""


class Line(msgspec.Struct, frozen=True):
    """A line being typed: its text, and how many characters stand before the cursor."""

    ask: Ask
    text: str
    cursor: int

    def press(self, press: Press) -> "Line | str":
        """The line after a key; or, at its end, the text as typed ("" for giving up).

        Enter ends it, Esc cancels it, and so does Backspace in an empty line.
        """
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        match press.key:
            case "enter":
                return self.text.strip()
            case "escape":
                return ""
            case "backspace":
                return self._with(before[:-1], after) if self.text else ""
            case "delete":
                return self._with(before, after[1:])
            case "left":
                return self._at(self.cursor - 1)
            case "right":
                return self._at(self.cursor + 1)
            case "home":
                return self._at(0)
            case "end":
                return self._at(len(self.text))
        return self.insert(press.character) if press.character is not None else self

    def insert(self, text: str) -> "Line":
        """The line with `text` typed or pasted in, as far as there is room; what can't be shown is left out."""
        room = self.ask.most - len(self.text)
        spaced = (" " if char.isspace() else char for char in text.replace("\r\n", "\n"))
        wanted = "".join(char for char in spaced if char.isprintable())[: max(room, 0)]
        return self._with(self.text[: self.cursor] + wanted, self.text[self.cursor :])

    def _with(self, before: str, after: str) -> "Line":
        return Line(self.ask, before + after, len(before))

    def _at(self, cursor: int) -> "Line":
        return Line(self.ask, self.text, min(max(cursor, 0), len(self.text)))


def begin(ask: Ask) -> Line:
    """The line for `ask`, with the cursor behind what stands there."""
    return Line(ask, ask.value, len(ask.value))


def with_line(frame: Frame, line: Line, look: Look) -> Frame:
    """`frame` with `line` in its last row, scrolled so that the cursor is in sight, and its keys at the right."""
    canvas = Canvas(frame.width, 1, "input")
    x = canvas.put(1, 0, line.ask.label, "prompt") + 1
    room = max(_hints_x(frame.width) - x - 2, 1)
    first = max(0, line.cursor - room)
    canvas.put(x, 0, _shown(line.text[first : first + room], look), "input")
    under = line.text[line.cursor : line.cursor + 1]
    canvas.put(x + line.cursor - first, 0, _shown(under, look) or " ", "caret")
    hint_line(canvas, look, 0, HINTS, _hints_x(frame.width))
    return Frame(frame.width, frame.height, (*frame.rows[:-1], *canvas.frame().rows))


def key_at(frame: Frame, x: int) -> str | None:
    """The key whose hint stands in the cell `x` of a line's row, or None."""
    if x < _hints_x(frame.width):
        return None
    shown = hint_at(frame, x, frame.height - 1, HINTS)
    return _KEYS.key(shown) if shown else None


def _hints_x(width: int) -> int:
    return max(0, width - _HINTS_WIDTH - 1)


def _shown(text: str, look: Look) -> str:
    """One cell for each character, so that the cursor stands where it is."""
    return "".join(_one_cell(char, look) for char in text)


def _one_cell(char: str, look: Look) -> str:
    shown = (plain if look.ascii else clean)(char)
    return shown if len(shown) == 1 else SUBSTITUTE
