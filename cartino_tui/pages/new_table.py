"""A new table's terms as a form: the fields with their choices, and the `Create` command that they yield."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.commands import Create
from cartino_protocol.text import N_
from cartino_protocol.views import GameInfo, Welcome
from cartino_tui.time_control import ABSENCE_CHOICES, CLOCK_CHOICES

BotLevels = Mapping[str, Sequence[str]]
"""The names of each game's bots, from the weakest to the strongest, by the name of the game."""


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
    levels: BotLevels = {}

    def step(self, by: int) -> "TableForm":
        """Move the cursor by `by` fields, round at the ends."""
        return msgspec.structs.replace(self, cursor=(self.cursor + by) % len(self.fields))

    def turn(self, by: int) -> "TableForm":
        """Move the choice by `by`, up to the ends."""
        field = self.fields[self.cursor]
        return self.choose(self.cursor, max(0, min(len(field.choices) - 1, field.chosen + by)))

    def choose(self, line: int, choice: int) -> "TableForm":
        """Take `choice` in `line`, and put the cursor there."""
        values = {field.name: field.value for field in self.fields}
        values[self.fields[line].name] = self.fields[line].choices[choice]
        return msgspec.structs.replace(self, fields=_fields(self.games, values, self.levels), cursor=line)

    def command(self) -> Create:
        """Return the command that opens the table."""
        values = {field.name: field.value for field in self.fields}
        game = _chosen_game(self.games, values)
        seats, duplicate = int(values["seats"]), values["open"] == DUPLICATE
        bots = seats - 1 if duplicate else int(values.get("bots", "0"))
        return Create(
            game=game.name,
            options={option.name: values[f"option {option.name}"] for option in game.options},
            seats=seats,
            bots=(values.get("bot", ""),) * bots,
            open=values["open"] == LISTED,
            clock=_CLOCKS[values["clock"]],
            absence=_ABSENCES[values["absence"]],
            hints=values.get("hints") == _HINTS[1],
            duplicate=duplicate,
        )


LISTED, PRIVATE, DUPLICATE = N_("public"), N_("private (code only)"), N_("duplicate match")
_DEFAULTS = Create("")
_CLOCKS = {words: clock for clock, words in CLOCK_CHOICES.items()}
_ABSENCES = {words: absence for absence, words in ABSENCE_CHOICES.items()}
_VISIBILITY_NOTE = N_("Private tables aren't listed: only people with the code can join.")
_LEVELS_NOTE = N_("From the weakest bot to the strongest.")
_HINTS: Final = (N_("no hints"), N_("hints for all"))
_HINTS_NOTE = N_("Press i for the best turn, if your settings have hints on. Such games aren't rated.")
_DUPLICATE_NOTE = N_(
    "In a duplicate match everybody with the code plays the same deal, each alone against the bots."
)
_CLOCK_NOTE = N_("When a player's time runs out, a substitute bot plays the turn.")
_ABSENCE_NOTE = N_("When a substitute bot plays for an absent player, who can return at any time.")


def new_form(welcome: Welcome, levels: BotLevels | None = None) -> TableForm | None:
    """Return the form with all defaults; None if there is no game."""
    if not welcome.games:
        return None
    levels = levels or {}
    return TableForm(welcome.games, _fields(welcome.games, {}, levels), levels=levels)


def _chosen_game(games: tuple[GameInfo, ...], values: dict[str, str]) -> GameInfo:
    return next((game for game in games if game.title == values.get("game")), games[0])


def _by_strength(game: GameInfo, levels: BotLevels) -> tuple[str, ...]:
    """Return the game's bots from the weakest to the strongest; those without a level first."""
    ranks = {bot: rank for rank, bot in enumerate(levels.get(game.name, ()))}
    return tuple(sorted(game.bots, key=lambda bot: ranks.get(bot, -1)))


def _fields(games: tuple[GameInfo, ...], values: dict[str, str], levels: BotLevels) -> tuple[TableField, ...]:
    """Return the fields for `values`; unavailable values fall back to the default."""
    game = _chosen_game(games, values)
    least, most = game.seats
    fields = [_field(values, "game", N_("Game"), tuple(each.title for each in games), game.title, words=True)]
    numbers, words = _option_fields(game, values)
    fields += numbers
    seats = tuple(str(number) for number in range(least, most + 1))
    fields.append(_field(values, "seats", N_("Seats"), seats, str(max(2, least))))
    if game.bots:
        room = int(fields[-1].value)
        fields.append(_field(values, "bots", N_("Bots"), tuple(str(number) for number in range(room)), "0"))
        note = _LEVELS_NOTE if levels.get(game.name) else ""
        fields.append(_field(values, "bot", N_("Bot level"), _by_strength(game, levels), game.bots[0], note))
    found = (LISTED, PRIVATE, DUPLICATE) if game.bots and most > 1 else (LISTED, PRIVATE)
    note = _DUPLICATE_NOTE if values.get("open") == DUPLICATE else _VISIBILITY_NOTE
    fields.append(_field(values, "open", N_("Visibility"), found, LISTED, note, words=True))
    if fields[-1].value == PRIVATE:
        fields.append(_field(values, "hints", N_("Hints"), _HINTS, _HINTS[0], _HINTS_NOTE, words=True))
    fields += (*_time_fields(values), *words)
    return tuple(field for field in fields if field.name != "game" or len(games) > 1)


def _option_fields(
    game: GameInfo, values: dict[str, str]
) -> tuple[tuple[TableField, ...], tuple[TableField, ...]]:
    """Return the fields for the game's options in numbers (an edition, rounds), and for those in words.

    The latter are points of its rules that few people change: they come last.
    """
    fields = [
        _field(
            values,
            f"option {option.name}",
            option.label or option.name.capitalize(),
            option.choices,
            option.default,
            option.help,
            words=True,
        )
        for option in game.options
    ]
    numbers = tuple(field for field in fields if all(choice.isdigit() for choice in field.choices))
    return numbers, tuple(field for field in fields if field not in numbers)


def _time_fields(values: dict[str, str]) -> tuple[TableField, TableField]:
    """Return the fields for time per turn and absence."""
    clock, absence = CLOCK_CHOICES[_DEFAULTS.clock], ABSENCE_CHOICES[_DEFAULTS.absence]
    return (
        _field(values, "clock", N_("Time per turn"), tuple(_CLOCKS), clock, _CLOCK_NOTE, words=True),
        _field(values, "absence", N_("Substitute bot"), tuple(_ABSENCES), absence, _ABSENCE_NOTE, words=True),
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
