"""Ask for a line of text, or for yes or no, at the bottom of a screen.

A line is an immutable value: a key returns the next one. A Textual `Input` would cost each session as much memory as a
table.
"""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from cartino_protocol.text import N_
from cartino_tui.draw.canvas import Canvas, Frame, put_rows, wrap_rows
from cartino_tui.draw.text import SUBSTITUTE, safe
from cartino_tui.game_port.screen import Look
from cartino_tui.key_table import key_by_place
from cartino_tui.keys import QUESTION, KeyRow, KeyTable
from cartino_tui.visit.pending import Press
from cartino_tui.widgets.layout import Hints, hint_at, hint_line, hints_width, translate_hints

# Every other key is text or edits it.
_KEYS = KeyTable(
    KeyRow("done", ("enter",), "Enter", N_("done")), KeyRow("cancel", ("escape",), "Esc", N_("cancel"))
)
_HINTS: Final = _KEYS.hints("done", "cancel")
_LEAST_ROOM: Final = 20
"""Cells for the text; with fewer the label has a row of its own."""
_LAST_WORD = re.compile(r"\S*\s*$")


def _accept_any(text: str) -> str:
    """Accept any text."""
    return ""


class Prompt(msgspec.Struct, frozen=True):
    """A prompt: its label, the most characters, what to do with the text, the initial text.

    `keep`: the line survives a change of screens, as chat does. `check` returns why a text won't do, "" if it does.
    `to`: commands whose refusal opens the line again.
    """

    label: str
    most: int
    then: Callable[[str], None]
    value: str = ""
    keep: bool = False
    check: Callable[[str], str] = _accept_any
    to: tuple[str, ...] = ()


class PromptLine(msgspec.Struct, frozen=True):
    """A line being typed: its text, the cursor's position, and a note above it."""

    ask: Prompt
    text: str
    cursor: int
    note: str = ""

    def press(self, press: Press, look: Look) -> "PromptLine | str":
        """Return the line after a key; at its end, the text as typed ("" if cancelled). A shell's keys work, too."""
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        match press.key:
            case "enter":
                wanted = self.text.strip()
                why_not = self.ask.check(wanted) if wanted else ""
                return self.noted(why_not) if why_not else wanted
            case "escape":
                return ""
            case "backspace":
                # An empty line stays open: a held backspace must not act on the screen below.
                return self._with(before[:-1], after)
            case "delete":
                return self._with(before, after[1:])
            case "ctrl+w":
                return self._with(_LAST_WORD.sub("", before), after)
            case "ctrl+u":
                return self._with("", after)
            case "ctrl+k":
                return self._with(before, "")
            case "left":
                return self._at(self.cursor - 1)
            case "right":
                return self._at(self.cursor + 1)
            case "home" | "ctrl+a":
                return self._at(0)
            case "end" | "ctrl+e":
                return self._at(len(self.text))
        return self.insert(press.character, look) if press.character is not None else self

    def insert(self, text: str, look: Look) -> "PromptLine":
        """Return the line with as much of the printable `text` inserted as fits."""
        room = self.ask.most - len(self.text)
        spaced = (" " if char.isspace() else char for char in text.replace("\r\n", "\n"))
        wanted = "".join(char for char in spaced if char.isprintable())[: max(room, 0)]
        return self._with(self.text[: self.cursor] + wanted, self.text[self.cursor :])

    def draw(self, frame: Frame, look: Look, notice: str = "") -> Frame:
        """Return `frame` with the line in its last row, scrolled to the cursor.

        Above it stand `notice`, or else its own note, and if needed its label.
        """
        hints = _hints_for(look, frame.width)
        hints_x = _hints_x(hints, frame.width)
        label = safe(self.ask.label, ascii=look.ascii)
        beside = hints_x - len(label) - 4 >= min(self.ask.most, _LEAST_ROOM)
        note, most = notice or self.note, self.ask.most
        if not note and len(self.text) >= most:
            note = look.translator.ngettext("Up to {n} character.", "Up to {n} characters.", most)
        above = wrap_rows(note, "status", frame.width - 2, ascii=look.ascii)
        if not beside:
            above += wrap_rows(label, "prompt", frame.width - 2, ascii=look.ascii)
        above = above[-max(0, frame.height - 1) :] if frame.height > 1 else []
        canvas = Canvas(frame.width, len(above) + 1, "input")
        put_rows(canvas, 1, 0, above)
        _draw_line(canvas, self, look, hints_x, 1 + (len(label) + 1 if beside else 0))
        hint_line(canvas, look, len(above), hints, hints_x)
        if beside:
            canvas.put(1, len(above), label, "prompt")
        rows = canvas.frame().rows
        return Frame(frame.width, frame.height, (*frame.rows[: -len(rows)], *rows))

    def submit_answer(self, answer: str) -> None:
        """Act on `answer`."""
        self.ask.then(answer)

    def noted(self, note: str) -> "PromptLine":
        """Return the line with `note` above it, until the next change."""
        return PromptLine(self.ask, self.text, self.cursor, note)

    def _with(self, before: str, after: str) -> "PromptLine":
        return PromptLine(self.ask, before + after, len(before))

    def _at(self, cursor: int) -> "PromptLine":
        return PromptLine(self.ask, self.text, min(max(cursor, 0), len(self.text)))


def open_prompt(ask: Prompt) -> PromptLine:
    """Return the line for `ask`, with the cursor at its end."""
    return PromptLine(ask, ask.value, len(ask.value))


def prompt_key_at(frame: Frame, look: Look, x: int) -> str | None:
    """Return the key of the hint in the cell `x` of a prompt's row, or None."""
    hints = _hints_for(look, frame.width)
    if x < _hints_x(hints, frame.width):
        return None
    hit = hint_at(frame, x, frame.height - 1, hints)
    return None if hit is None else _KEYS.key(_HINTS[hit][0])


def _draw_line(canvas: Canvas, line: PromptLine, look: Look, end: int, x: int) -> None:
    """Draw the text from `x` to `end`."""
    y = canvas.height - 1
    room = max(end - x - 2, 1)
    cursor = len(_shown(line.text[: line.cursor], look))
    first = max(0, cursor - room)
    canvas.put(x, y, _shown(line.text, look)[first : first + room], "input")
    under = line.text[line.cursor : line.cursor + 1]
    canvas.put(x + cursor - first, y, _shown(under, look) or " ", "caret")


def _hints_for(look: Look, width: int) -> Hints:
    """Return the hints, if they take no more than half of the row."""
    hints = translate_hints(_HINTS, look)
    return hints if 2 * hints_width(hints) < width else ()


def _hints_x(hints: Hints, width: int) -> int:
    return max(0, width - hints_width(hints) - 1) if hints else width


def _shown(text: str, look: Look) -> str:
    """Return `text` with each character in its own cells, so that the cursor fits."""
    shown = (safe(char, ascii=look.ascii) for char in text)
    return "".join(char if 1 <= len(char) <= 2 else SUBSTITUTE for char in shown)


class Confirmation(msgspec.Struct, frozen=True):
    """A question in the status line: y does `yes`, n closes it."""

    asked: str
    yes: Callable[[], None]

    @property
    def sentence(self) -> str:
        """The question with the keys that answer it."""
        return f"{self.asked} (y/n)"

    def press(self, press: Press, look: Look) -> "Confirmation | str":
        """Return "yes", "" for no, or the question for any other key."""
        action = QUESTION.action(press.key) or QUESTION.action(key_by_place(press.key))
        return {"yes": "yes", "no": ""}.get(action or "", self)

    def insert(self, text: str, look: Look) -> "Confirmation":
        """Ignore pasted text."""
        return self

    def draw(self, frame: Frame, look: Look, notice: str) -> Frame:
        """Return `frame`: the screen shows the question as its status."""
        return frame

    def submit_answer(self, answer: str) -> None:
        """Do what was asked."""
        self.yes()
