"""Edit a new table's options: the form as a value, its drawing, and the `Create` command that it yields."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from cartino_protocol.commands import Create
from cartino_protocol.text import N_
from cartino_protocol.views import GameInfo, Welcome
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, wrap_rows
from cartino_tui.draw.text import clean, plain
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import FORM
from cartino_tui.time_control import ABSENCE_CHOICES, CLOCK_CHOICES
from cartino_tui.widgets.layout import (
    footer,
    footer_height,
    glyphs,
    localize_hints,
    put_scroll_marks,
    scroll_top,
    title_bar,
)


class TableField(msgspec.Struct, frozen=True):
    """A field of the form: `name`, English `label` and `note`, `choices` and the `taken` one.

    `words`: choices are words to translate, no names or numbers.
    """

    name: str
    label: str
    choices: tuple[str, ...]
    chosen: int = 0
    note: str = ""
    words: bool = False

    @property
    def value(self) -> str:
        """The choice taken."""
        return self.choices[self.chosen]


class TableForm(msgspec.Struct, frozen=True):
    """All fields and the selected one; immutable."""

    games: tuple[GameInfo, ...]
    fields: tuple[TableField, ...]
    cursor: int = 0

    def step(self, by: int) -> "TableForm":
        """Move the cursor by `by` fields, round at the ends."""
        return msgspec.structs.replace(self, cursor=(self.cursor + by) % len(self.fields))

    def stand(self, line: int) -> "TableForm":
        """Put the cursor on `line`."""
        return msgspec.structs.replace(self, cursor=line)

    def turn(self, by: int) -> "TableForm":
        """Move the choice by `by`, up to the ends."""
        field = self.fields[self.cursor]
        return self.choose(self.cursor, max(0, min(len(field.choices) - 1, field.chosen + by)))

    def choose(self, line: int, choice: int) -> "TableForm":
        """Take `choice` in `line`, and put the cursor there."""
        values = {field.name: field.value for field in self.fields}
        values[self.fields[line].name] = self.fields[line].choices[choice]
        return msgspec.structs.replace(self, fields=_fields(self.games, values), cursor=line)

    def command(self) -> Create:
        """Return the command that opens the table."""
        values = {field.name: field.value for field in self.fields}
        game = _chosen_game(self.games, values)
        seats = int(values["seats"])
        return Create(
            game=game.name,
            options={option.name: values[f"option {option.name}"] for option in game.options},
            seats=seats,
            bots=(values.get("bot", ""),) * int(values.get("bots", "0")),
            open=values["open"] == LISTED,
            clock=_CLOCKS[values["clock"]],
            absence=_ABSENCES[values["absence"]],
        )


LISTED, PRIVATE = N_("in the lobby"), N_("by its code alone")
_DEFAULTS = Create("")
_CLOCKS = {words: clock for clock, words in CLOCK_CHOICES.items()}
_ABSENCES = {words: absence for absence, words in ABSENCE_CHOICES.items()}
_VISIBILITY_NOTE = N_("By its code alone: it stands in nobody's list, and those come whom you tell the code.")
_CLOCK_NOTE = N_("When the time for a turn is over, a stand-in plays it.")
_ABSENCE_NOTE = N_("When a stand-in plays for a player who is away; they may come back at any time.")


def new_form(welcome: Welcome) -> TableForm | None:
    """Return the form with all defaults; None if there is no game."""
    if not welcome.games:
        return None
    return TableForm(welcome.games, _fields(welcome.games, {}))


def _chosen_game(games: tuple[GameInfo, ...], values: dict[str, str]) -> GameInfo:
    return next((game for game in games if game.title == values.get("game")), games[0])


def _fields(games: tuple[GameInfo, ...], values: dict[str, str]) -> tuple[TableField, ...]:
    """Return the fields for `values`; unavailable values fall back to the default."""
    game = _chosen_game(games, values)
    least, most = game.seats
    fields = [_field(values, "game", N_("Game"), tuple(each.title for each in games), game.title)]
    for option in game.options:
        label = option.label or option.name.capitalize()
        fields.append(
            _field(values, f"option {option.name}", label, option.choices, option.default, option.help)
        )
    seats = tuple(str(number) for number in range(least, most + 1))
    fields.append(_field(values, "seats", N_("Seats"), seats, str(max(2, least))))
    if game.bots:
        room = int(fields[-1].value)
        fields.append(_field(values, "bots", N_("Bots"), tuple(str(number) for number in range(room)), "0"))
        fields.append(_field(values, "bot", N_("They play"), game.bots, game.bots[0]))
    fields.append(
        _field(values, "open", N_("Found"), (LISTED, PRIVATE), LISTED, _VISIBILITY_NOTE, words=True)
    )
    fields += _time_fields(values)
    return tuple(field for field in fields if field.name != "game" or len(games) > 1)


def _time_fields(values: dict[str, str]) -> tuple[TableField, TableField]:
    """Return the fields for time per turn and absence."""
    clock, absence = CLOCK_CHOICES[_DEFAULTS.clock], ABSENCE_CHOICES[_DEFAULTS.absence]
    return (
        _field(values, "clock", N_("Time a turn"), tuple(_CLOCKS), clock, _CLOCK_NOTE, words=True),
        _field(values, "absence", N_("Stand-in"), tuple(_ABSENCES), absence, _ABSENCE_NOTE, words=True),
    )


def _field(
    values: dict[str, str],
    name: str,
    label: str,
    choices: tuple[str, ...],
    default: str,
    note: str = "",
    *,
    words: bool = False,
) -> TableField:
    wanted = values.get(name, default)
    if wanted not in choices:
        # By default as many seats and bots as possible; values of another game don't count.
        wanted = choices[-1] if name in values and name in {"seats", "bots"} else default
    return TableField(name, label, choices, choices.index(wanted), note, words)


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


class FormLayout(NamedTuple):
    """The fields, the first visible row and the number of visible ones, and the rows below."""

    places: Sequence[FieldRows]
    top: int
    height: int
    note: int
    button: int

    def shows(self, place: FieldRows) -> bool:
        """Return whether a field is wholly visible."""
        return self.top <= place.row and place.row + place.rows <= self.top + self.height


def draw_form(form: TableForm, look: Look, status: str = "") -> Frame:
    """Draw the form."""
    canvas = Canvas(look.width, look.height)
    title_bar(canvas, look, look.translator.gettext("A new table"))
    plan = _form_layout(form, look, status)
    for line, (field, place) in enumerate(zip(form.fields, plan.places, strict=True)):
        if plan.shows(place):
            _draw_field(canvas, look, field, place, _TOP - plan.top, here=line == form.cursor)
    more = plan.top + plan.height < _row_count(plan.places)
    put_scroll_marks(canvas, look, _TOP, plan.height, up=plan.top > 0, down=more)
    put_rows(canvas, _LABEL, plan.note, _note(form, look))
    canvas.put(_LABEL, plan.button, _button(look), "button")
    footer(canvas, look, status or _consequence(form, look), localize_hints(FORM_HINTS, look))
    return canvas.frame()


def choice_at(form: TableForm, look: Look, x: int, y: int, status: str = "") -> tuple[int, int] | None:
    """Return the (field, choice) at the cell (x, y), or None."""
    plan = _form_layout(form, look, status)
    return next(
        (
            (line, spot.choice)
            for line, place in enumerate(plan.places)
            for spot in place.spots
            if plan.shows(place) and spot.row == y - _TOP + plan.top and spot.x <= x < spot.x + len(spot.text)
        ),
        None,
    )


def is_on_button(form: TableForm, look: Look, x: int, y: int, status: str = "") -> bool:
    """Return whether the cell (x, y) is on the button."""
    return y == _form_layout(form, look, status).button and _LABEL <= x < _LABEL + len(_button(look))


def _form_layout(form: TableForm, look: Look, status: str) -> FormLayout:
    lowest = look.height - footer_height(look, status or _consequence(form, look)) - 1
    # As many rows as the longest needs, so that nothing moves with the cursor.
    notes = max(len(_note(form.stand(line), look)) for line in range(len(form.fields)))
    height = lowest - 1 - notes - _TOP
    places = _field_rows(form, look, _SPACED)
    if _row_count(places) > height:
        places = _field_rows(form, look, 1)
    height = min(height, _row_count(places) + 1)
    note = _TOP + height
    button = min(lowest, note + notes + 1)
    here = places[form.cursor]
    top = scroll_top(0, here.row + here.rows - 1, _row_count(places), height)
    return FormLayout(places, top, height, note, button)


def _draw_field(
    canvas: Canvas, look: Look, field: TableField, place: FieldRows, down: int, *, here: bool
) -> None:
    y = place.row + down
    if here:
        canvas.put(_LABEL - 2, y, glyphs(look).pick, "key")
    canvas.put(_LABEL, y, _printable(look.translator.gettext(field.label), look), "title" if here else "text")
    for spot in place.spots:
        taken = spot.choice == field.chosen
        canvas.put(spot.x, spot.row + down, spot.text, ("selected" if here else "you") if taken else "dim")


def _row_count(places: Sequence[FieldRows]) -> int:
    """Return the rows of all fields."""
    return places[-1].row + places[-1].rows


def _field_rows(form: TableForm, look: Look, apart: int) -> Sequence[FieldRows]:
    """Return each field's rows, at least `apart` rows after the one before."""
    left = (
        _LABEL + max(len(_printable(look.translator.gettext(field.label), look)) for field in form.fields) + 2
    )
    places: list[FieldRows] = []
    row = 0
    for field in form.fields:
        spots: list[ChoiceCell] = []
        first, x = row, left
        for number, choice in enumerate(field.choices):
            shown = _printable(look.translator.gettext(choice) if field.words else choice, look)
            text = shown.join(BRACKETS) if number == field.chosen else f" {shown} "
            if x > left and x + len(text) > look.width - 1:
                row, x = row + 1, left
            spots.append(ChoiceCell(row, x, number, text))
            x += len(text) + 1
        rows = row - first + 1
        places.append(FieldRows(first, rows, tuple(spots)))
        row = first + max(rows, apart) if rows < apart else row + apart
    return places


def _button(look: Look) -> str:
    return f" {_printable(look.translator.gettext('Open the table'), look)} "


def _note(form: TableForm, look: Look) -> list[Row]:
    note = look.translator.gettext(form.fields[form.cursor].note)
    return wrap_rows(note, "dim", look.width - _LABEL - 1, ascii=look.ascii)


def _printable(text: str, look: Look) -> str:
    return plain(text) if look.ascii else clean(text)


def _consequence(form: TableForm, look: Look) -> str:
    """Return one sentence: what the choices lead to."""
    translator, command = look.translator, form.command()
    free = command.seats - 1 - len(command.bots)
    if free <= 0:
        return translator.gettext("The game begins at once.")
    if command.bots:
        return translator.ngettext(
            "The game waits for {n} more to sit down, or begins when you press s.",
            "The game waits for {n} more to sit down, or begins when you press s.",
            free,
        )
    return translator.ngettext(
        "The game waits for {n} more to sit down.", "The game waits for {n} more to sit down.", free
    )
