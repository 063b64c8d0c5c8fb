"""The form for a new table, as a value: its lines, the choice made in each, and the command it comes to."""

import msgspec

from cartino_protocol.commands import Create
from cartino_protocol.marking import N_
from cartino_protocol.views import GameInfo, Welcome
from cartino_tui.terms import ABSENCE_WORDS, CLOCK_WORDS


class Field(msgspec.Struct, frozen=True):
    """A line of the form: `name` for the code, `label` and `note` for people, and which of `choices` is taken.

    All is English, to be said by whoever draws; `words`: the choices, too, and they are no names or numbers.
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


class Form(msgspec.Struct, frozen=True):
    """All lines and the one the cursor stands on. Every change gives a new form."""

    games: tuple[GameInfo, ...]
    fields: tuple[Field, ...]
    cursor: int = 0

    def step(self, by: int) -> "Form":
        """The cursor `by` lines further down, round at the ends."""
        return msgspec.structs.replace(self, cursor=(self.cursor + by) % len(self.fields))

    def stand(self, line: int) -> "Form":
        """The cursor in `line`."""
        return msgspec.structs.replace(self, cursor=line)

    def turn(self, by: int) -> "Form":
        """The choice `by` further to the right in the cursor's line; stops at the ends."""
        field = self.fields[self.cursor]
        return self.choose(self.cursor, max(0, min(len(field.choices) - 1, field.chosen + by)))

    def choose(self, line: int, choice: int) -> "Form":
        """Take the choice numbered `choice` in `line`, and stand there."""
        values = {field.name: field.value for field in self.fields}
        values[self.fields[line].name] = self.fields[line].choices[choice]
        return msgspec.structs.replace(self, fields=_fields(self.games, values), cursor=line)

    def command(self) -> Create:
        """What to say to the house."""
        values = {field.name: field.value for field in self.fields}
        game = _game(self.games, values)
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
_USUAL = Create("")
_CLOCKS = {words: clock for clock, words in CLOCK_WORDS.items()}
_ABSENCES = {words: absence for absence, words in ABSENCE_WORDS.items()}
_FOUND_NOTE = N_("By its code alone: it stands in nobody's list, and those come whom you tell the code.")
_CLOCK_NOTE = N_("When the time for a turn is over, a stand-in plays it.")
_ABSENCE_NOTE = N_("When a stand-in plays for a player who is away; they may come back at any time.")


def new_form(welcome: Welcome) -> Form | None:
    """A form with every default taken; None where no game can be played."""
    if not welcome.games:
        return None
    return Form(welcome.games, _fields(welcome.games, {}))


def _game(games: tuple[GameInfo, ...], values: dict[str, str]) -> GameInfo:
    return next((game for game in games if game.title == values.get("game")), games[0])


def _fields(games: tuple[GameInfo, ...], values: dict[str, str]) -> tuple[Field, ...]:
    """The lines for `values`; a value that is no longer among the choices falls back to the default."""
    game = _game(games, values)
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
    fields.append(_field(values, "open", N_("Found"), (LISTED, PRIVATE), LISTED, _FOUND_NOTE, words=True))
    fields += _terms(values)
    return tuple(field for field in fields if field.name != "game" or len(games) > 1)


def _terms(values: dict[str, str]) -> tuple[Field, Field]:
    """The lines for the time of a turn and for who is away."""
    clock, absence = CLOCK_WORDS[_USUAL.clock], ABSENCE_WORDS[_USUAL.absence]
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
) -> Field:
    wanted = values.get(name, default)
    if wanted not in choices:
        # Seats and bots: as many as there can be now. A bot or an option of another game says nothing of this one's.
        wanted = choices[-1] if name in values and name in {"seats", "bots"} else default
    return Field(name, label, choices, choices.index(wanted), note, words)
