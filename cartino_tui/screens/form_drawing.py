"""The form for a new table as a frame, and which choice a click means."""

from collections.abc import Sequence
from typing import NamedTuple

from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.draw.text import clean, plain
from cartino_tui.games.screen import Look
from cartino_tui.keys import FORM
from cartino_tui.screens.form import Field, Form
from cartino_tui.screens.parts import bar, first_in_sight, foot, foot_height, marks, shown_hints

HINTS = FORM.hints("more", "open", "actions", "help", "back")
_TOP, _LABEL = 3, 4
BRACKETS = "[]"
"""What the choice that is taken stands in."""
_AIRY = 2
"""Rows a line of the form where there is room for all of them."""


class Spot(NamedTuple):
    """Where a choice stands: the row counted from the form's first, the first cell, the choice's number, its text."""

    row: int
    x: int
    choice: int
    text: str


class Place(NamedTuple):
    """A line of the form: its first row, counted from the form's first, how many rows it takes, and its choices."""

    row: int
    rows: int
    spots: tuple[Spot, ...]


class Plan(NamedTuple):
    """Where everything stands: the lines, the first row of them in sight and how many are, and the rows below them."""

    places: Sequence[Place]
    top: int
    height: int
    note: int
    button: int

    def shows(self, place: Place) -> bool:
        """Whether all of a line is in sight."""
        return self.top <= place.row and place.row + place.rows <= self.top + self.height


def draw_form(form: Form, look: Look, status: str = "") -> Frame:
    """The whole form, `look.width` by `look.height` cells."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, look.tongue.say("A new table"))
    plan = _plan(form, look, status)
    for line, (field, place) in enumerate(zip(form.fields, plan.places, strict=True)):
        if plan.shows(place):
            _draw_field(canvas, look, field, place, _TOP - plan.top, here=line == form.cursor)
    if plan.top:
        canvas.put(look.width - 1, _TOP, "^" if look.ascii else "↑", "key")
    if plan.top + plan.height < _end(plan.places):
        canvas.put(look.width - 1, _TOP + plan.height - 1, "v" if look.ascii else "↓", "key")
    put_rows(canvas, _LABEL, plan.note, _note(form, look))
    canvas.put(_LABEL, plan.button, _button(look), "button")
    foot(canvas, look, status or _means(form, look), shown_hints(HINTS, look))
    return canvas.frame()


def choice_at(form: Form, look: Look, x: int, y: int, status: str = "") -> tuple[int, int] | None:
    """The (line, choice) at the cell (x, y) of the form that shows `status`, or None."""
    plan = _plan(form, look, status)
    return next(
        (
            (line, spot.choice)
            for line, place in enumerate(plan.places)
            for spot in place.spots
            if plan.shows(place) and spot.row == y - _TOP + plan.top and spot.x <= x < spot.x + len(spot.text)
        ),
        None,
    )


def on_button(form: Form, look: Look, x: int, y: int, status: str = "") -> bool:
    """Whether the cell (x, y) of the form that shows `status` is the button."""
    return y == _plan(form, look, status).button and _LABEL <= x < _LABEL + len(_button(look))


def _plan(form: Form, look: Look, status: str) -> Plan:
    lowest = look.height - foot_height(look, status or _means(form, look)) - 1
    # As many as the longest needs, so that nothing moves while the cursor does.
    notes = max(len(_note(form.stand(line), look)) for line in range(len(form.fields)))
    height = lowest - 1 - notes - _TOP
    places = _places(form, look, _AIRY)
    if _end(places) > height:
        places = _places(form, look, 1)
    height = min(height, _end(places) + 1)
    note = _TOP + height
    button = min(lowest, note + notes + 1)
    here = places[form.cursor]
    top = first_in_sight(0, here.row + here.rows - 1, _end(places), height)
    return Plan(places, top, height, note, button)


def _draw_field(canvas: Canvas, look: Look, field: Field, place: Place, down: int, *, here: bool) -> None:
    y = place.row + down
    if here:
        canvas.put(_LABEL - 2, y, marks(look).pick, "key")
    canvas.put(_LABEL, y, _safe(look.tongue.say(field.label), look), "title" if here else "text")
    for spot in place.spots:
        taken = spot.choice == field.chosen
        canvas.put(spot.x, spot.row + down, spot.text, ("selected" if here else "you") if taken else "dim")


def _end(places: Sequence[Place]) -> int:
    """How many rows all lines take."""
    return places[-1].row + places[-1].rows


def _places(form: Form, look: Look, apart: int) -> Sequence[Place]:
    """Each line's rows; where one begins `apart` rows after another at least. The taken choice stands in brackets."""
    left = _LABEL + max(len(_safe(look.tongue.say(field.label), look)) for field in form.fields) + 2
    places: list[Place] = []
    row = 0
    for field in form.fields:
        spots: list[Spot] = []
        first, x = row, left
        for number, choice in enumerate(field.choices):
            shown = _safe(look.tongue.say(choice) if field.words else choice, look)
            text = shown.join(BRACKETS) if number == field.chosen else f" {shown} "
            if x > left and x + len(text) > look.width - 1:
                row, x = row + 1, left
            spots.append(Spot(row, x, number, text))
            x += len(text) + 1
        rows = row - first + 1
        places.append(Place(first, rows, tuple(spots)))
        row = first + max(rows, apart) if rows < apart else row + apart
    return places


def _button(look: Look) -> str:
    return f" {_safe(look.tongue.say('Open the table'), look)} "


def _note(form: Form, look: Look) -> list[Row]:
    note = look.tongue.say(form.fields[form.cursor].note)
    return in_rows(note, "dim", look.width - _LABEL - 1, ascii=look.ascii)


def _safe(text: str, look: Look) -> str:
    return plain(text) if look.ascii else clean(text)


def _means(form: Form, look: Look) -> str:
    """One sentence: what will happen with the choices as they are."""
    tongue, command = look.tongue, form.command()
    free = command.seats - 1 - len(command.bots)
    if free <= 0:
        return tongue.say("The game begins at once.")
    if command.bots:
        return tongue.count(
            "The game waits for {n} more to sit down, or begins when you press s.",
            "The game waits for {n} more to sit down, or begins when you press s.",
            free,
        )
    return tongue.count(
        "The game waits for {n} more to sit down.", "The game waits for {n} more to sit down.", free
    )
