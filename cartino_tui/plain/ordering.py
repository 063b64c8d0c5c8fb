"""A new table in lines: each of its terms can be changed, then it is opened."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from cartino_protocol.commands import Create
from cartino_protocol.ids import ABSENCES, CLOCKS
from cartino_protocol.views import GameInfo
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.listing import clock
from cartino_tui.plain.topic import Choice, Topic
from cartino_tui.terms import ABSENCE_WORDS


class NewTable(Topic):
    """The terms of a table as they would be, the usual ones at first."""

    def __init__(self, floor: Floor, games: Sequence[GameInfo]) -> None:
        """One of `games`, the first unless another is chosen."""
        super().__init__(floor)
        self._games = tuple(games)
        self._game = self._games[0]
        self.order = _usual(self._game)

    def opening(self) -> Sequence[str]:
        """What this is."""
        return (self.tongue.say("A new table. 1 opens it as it is; the other numbers change it."),)

    def choices(self) -> Sequence[Choice]:
        """Open it, or change one of its terms."""
        tongue, order = self.tongue, self.order
        choices = [
            Choice(
                tongue.say("open the table"),
                lambda: self.floor.say(order),
                ("open", tongue.say_in("command", "open")),
            )
        ]
        if len(self._games) > 1:
            game = tongue.say(self._game.title)
            choices.append(self._term(tongue.say("game: {value}", value=game), self._games_to_choose))
        for number, option in enumerate(self._game.options):
            label = tongue.say(
                "{option}: {value}",
                option=tongue.say(option.label or option.name.capitalize()),
                value=order.options[option.name],
            )
            choices.append(self._term(label, partial(self._values_of, number)))
        choices.append(self._term(tongue.say("seats: {value}", value=order.seats), self._seats))
        if self._game.bots:
            choices.append(
                self._term(tongue.say("seats for bots: {value}", value=len(order.bots)), self._bots)
            )
        found = tongue.say("in the lobby") if order.open else tongue.say("by its code alone")
        choices.append(self._term(tongue.say("found: {value}", value=found), self._found))
        choices.append(
            self._term(tongue.say("time for a turn: {value}", value=clock(order.clock, tongue)), self._clocks)
        )
        absence = tongue.say(ABSENCE_WORDS[order.absence])
        choices.append(
            self._term(tongue.say("a stand-in plays for who is away: {value}", value=absence), self._absences)
        )
        return choices

    # What can be chosen of each term: (label, what the order is then).

    def _games_to_choose(self) -> Sequence[tuple[str, Create]]:
        return [(self.tongue.say(game.title), _usual(game)) for game in self._games]

    def _values_of(self, number: int) -> Sequence[tuple[str, Create]]:
        option = self._game.options[number]
        return [
            (value, self._with(options={**self.order.options, option.name: value}))
            for value in option.choices
        ]

    def _seats(self) -> Sequence[tuple[str, Create]]:
        least, most = self._game.seats
        bots = self.order.bots
        return [
            (str(seats), self._with(seats=seats, bots=bots[: seats - 1])) for seats in range(least, most + 1)
        ]

    def _bots(self) -> Sequence[tuple[str, Create]]:
        choices = [(self.tongue.say("none"), self._with(bots=()))]
        for count in range(1, self.order.seats):
            choices += [
                (
                    self.tongue.say("{n} bots, {name}", n=count, name=bot)
                    if count > 1
                    else self.tongue.say("bot {name}", name=bot),
                    self._with(bots=(bot,) * count),
                )
                for bot in self._game.bots
            ]
        return choices

    def _found(self) -> Sequence[tuple[str, Create]]:
        return [
            (self.tongue.say("in the lobby"), self._with(open=True)),
            (self.tongue.say("by its code alone"), self._with(open=False)),
        ]

    def _clocks(self) -> Sequence[tuple[str, Create]]:
        return [(clock(each, self.tongue), self._with(clock=each)) for each in CLOCKS]

    def _absences(self) -> Sequence[tuple[str, Create]]:
        return [(self.tongue.say(ABSENCE_WORDS[each]), self._with(absence=each)) for each in ABSENCES]

    def _with(self, **terms: Any) -> Create:
        return msgspec.structs.replace(self.order, **terms)

    def _term(self, label: str, values: Callable[[], Sequence[tuple[str, Create]]]) -> Choice:
        return Choice(label, lambda: self.floor.push(Term(self.floor, label, values(), self._take)))

    def _take(self, order: Create) -> None:
        self.order = order
        self._game = next(game for game in self._games if game.name == order.game)


class Term(Topic):
    """The values of one term."""

    def __init__(
        self,
        floor: Floor,
        label: str,
        values: Sequence[tuple[str, Create]],
        take: Callable[[Create], None],
    ) -> None:
        """`take` is given the order that goes with the value chosen; `label` is the term as it stands."""
        super().__init__(floor)
        self._label = label
        self._values = values
        self._chosen = take

    def opening(self) -> Sequence[str]:
        """The term as it stands."""
        return (self._label,)

    def choices(self) -> Sequence[Choice]:
        """Its values."""
        return [Choice(label, partial(self._choose, order)) for label, order in self._values]

    def _choose(self, order: Create) -> None:
        self._chosen(order)
        self.floor.pop()


def _usual(game: GameInfo) -> Create:
    """A table of `game` unless somebody says otherwise."""
    options = {option.name: option.default for option in game.options}
    return Create(game.name, options, max(2, game.seats[0]))
