"""Draw the form for a new table."""

from collections.abc import Sequence
from typing import NamedTuple

from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, wrap_rows
from cartino_tui.draw.text import safe
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import FORM
from cartino_tui.pages.new_table import TableField, TableForm
from cartino_tui.widgets.layout import (
    footer,
    footer_height,
    glyphs,
    localize_hints,
    put_scroll_marks,
    scroll_top,
    title_bar,
)

FORM_HINTS = FORM.hints("more", "open", "actions", "help", "back")
_TOP, _LABEL = 3, 4
BRACKETS = "[]"
"""Around the taken choice."""
_SPACED = 2
"""Rows per field where there is space."""


class ChoiceCell(NamedTuple):
    """A choice's row (from the form's first), first cell, number and text."""

    row: int
    x: int
    choice: int
    text: str


class FieldRows(NamedTuple):
    """A field's first row (from the form's first), number of rows, and choices."""

    row: int
    rows: int
    spots: tuple[ChoiceCell, ...]


class FormDrawing:
    """The form at one size."""

    def __init__(self, form: TableForm, look: Look, status: str = "") -> None:
        """Lay out `form`: the fields, as much as is visible, then the note, the button and the `status`."""
        self._form, self._look = form, look
        self._status = status or _consequence(form, look)
        self._button = f" {self._printable(look.translator.gettext('Open the table'))} "
        lowest = look.height - footer_height(look, self._status) - 1
        # As many rows as the longest needs, so that nothing moves with the cursor.
        notes = max(len(self._note_rows(field)) for field in form.fields)
        room = lowest - 1 - notes - _TOP
        self._places = self._field_rows(_SPACED)
        if self._row_count > room:
            self._places = self._field_rows(1)
        self._height = min(room, self._row_count + 1)
        self._note_y = _TOP + self._height
        self._button_y = min(lowest, self._note_y + notes + 1)
        here = self._places[form.cursor]
        self._top = scroll_top(0, here.row + here.rows - 1, self._row_count, self._height)

    def frame(self) -> Frame:
        """Draw the whole screen."""
        form, look = self._form, self._look
        canvas = Canvas(look.width, look.height)
        title_bar(canvas, look, look.translator.gettext("New table"))
        for line, place in enumerate(self._places):
            if self._shows(place):
                self._draw_field(canvas, form.fields[line], place, here=line == form.cursor)
        more = self._top + self._height < self._row_count
        put_scroll_marks(canvas, look, _TOP, self._height, up=self._top > 0, down=more)
        put_rows(canvas, _LABEL, self._note_y, self._note_rows(form.fields[form.cursor]))
        canvas.put(_LABEL, self._button_y, self._button, "button")
        footer(canvas, look, self._status, localize_hints(FORM_HINTS, look))
        return canvas.frame()

    def choice_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the (field, choice) at the cell (x, y), or None."""
        row = y - _TOP + self._top
        hits = (
            (line, spot.choice)
            for line, place in enumerate(self._places)
            for spot in place.spots
            if self._shows(place) and spot.row == row and spot.x <= x < spot.x + len(spot.text)
        )
        return next(hits, None)

    def is_on_button(self, x: int, y: int) -> bool:
        """Return whether the cell (x, y) is on the button."""
        return y == self._button_y and _LABEL <= x < _LABEL + len(self._button)

    @property
    def _row_count(self) -> int:
        """The rows of all fields."""
        return self._places[-1].row + self._places[-1].rows

    def _shows(self, place: FieldRows) -> bool:
        """Return whether a field is wholly visible."""
        return self._top <= place.row and place.row + place.rows <= self._top + self._height

    def _printable(self, text: str) -> str:
        return safe(text, ascii=self._look.ascii)

    def _label(self, field: TableField) -> str:
        return self._printable(self._look.translator.gettext(field.label))

    def _note_rows(self, field: TableField) -> list[Row]:
        look = self._look
        return wrap_rows(
            look.translator.gettext(field.note), "dim", look.width - _LABEL - 1, ascii=look.ascii
        )

    def _draw_field(self, canvas: Canvas, field: TableField, place: FieldRows, *, here: bool) -> None:
        down = _TOP - self._top
        if here:
            canvas.put(_LABEL - 2, place.row + down, glyphs(self._look).pick, "key")
        canvas.put(_LABEL, place.row + down, self._label(field), "title" if here else "text")
        for spot in place.spots:
            taken = spot.choice == field.chosen
            canvas.put(
                spot.x, spot.row + down, spot.text, ("selected" if here else "you") if taken else "dim"
            )

    def _field_rows(self, apart: int) -> Sequence[FieldRows]:
        """Return each field's rows, at least `apart` rows after the one before."""
        look, fields = self._look, self._form.fields
        left = _LABEL + max(len(self._label(field)) for field in fields) + 2
        places: list[FieldRows] = []
        row = 0
        for field in fields:
            spots: list[ChoiceCell] = []
            first, x = row, left
            for number, choice in enumerate(field.choices):
                shown = self._printable(look.translator.gettext(choice) if field.words else choice)
                text = shown.join(BRACKETS) if number == field.chosen else f" {shown} "
                if x > left and x + len(text) > look.width - 1:
                    row, x = row + 1, left
                spots.append(ChoiceCell(row, x, number, text))
                x += len(text) + 1
            rows = row - first + 1
            places.append(FieldRows(first, rows, tuple(spots)))
            row = first + apart if rows < apart else row + apart
        return places


def _consequence(form: TableForm, look: Look) -> str:
    """Return one sentence: what the choices lead to."""
    translator, command = look.translator, form.command()
    free = command.seats - 1 - len(command.bots)
    if free <= 0:
        return translator.gettext("The game starts at once.")
    if command.clock == "day":
        return translator.gettext("A challenge: open for 14 days, even while you're away.")
    if command.bots:
        return translator.ngettext(
            "The game starts when {n} more player sits down, or when you press s.",
            "The game starts when {n} more players sit down, or when you press s.",
            free,
        )
    return translator.ngettext(
        "The game starts when {n} more player sits down.",
        "The game starts when {n} more players sit down.",
        free,
    )
