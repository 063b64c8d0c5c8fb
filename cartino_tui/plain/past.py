"""Games that are over, in lines: a list, and each of them step by step."""

from collections.abc import Sequence
from functools import partial

import msgspec

from cartino_protocol.commands import History, Replay
from cartino_protocol.records import BOT
from cartino_protocol.views import HistoryView, PastGame, ReplayView, Told
from cartino_tui.games.description import OLDER_GONE
from cartino_tui.games.speech import find
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.topic import Choice, Topic

_MOST = 9
"""Games that are told at once."""


class Past(Topic):
    """A list of finished games, newest first, a few at a time."""

    def __init__(self, floor: Floor, view: HistoryView) -> None:
        """The list that the house has given."""
        super().__init__(floor)
        self._view = view
        self._from = 0

    def opening(self) -> Sequence[str]:
        """Whose games these are."""
        tongue = self.tongue
        gone = (tongue.say(OLDER_GONE),) if self._view.pruned else ()
        if not self._view.games:
            return gone or (tongue.say("No finished games here."),)
        return (tongue.say("Finished games, newest first. A number tells the game step by step."), *gone)

    def choices(self) -> Sequence[Choice]:
        """The games in reach, further ones, and the other lists."""
        tongue, view = self.tongue, self._view
        shown = view.games[self._from : self._from + _MOST]
        choices = [Choice(self._line(game), partial(self._replay, game)) for game in shown]
        if view.more or self._from + _MOST < len(view.games):
            choices.append(
                Choice(tongue.say("older games"), self._older, ("older", tongue.say_in("command", "older")))
            )
        if view.of == "mine":
            choices.append(Choice(tongue.say("the games of all"), partial(self._ask, History("all"))))
        else:
            choices.append(
                Choice(
                    tongue.say("your own games"),
                    partial(self._ask, History("mine")),
                    ("mine", tongue.say_in("command", "mine")),
                )
            )
        return choices

    def answered(self, answer: Told) -> bool:
        """Another list, or the game that was chosen."""
        if isinstance(answer, ReplayView):
            self.floor.push(Retelling(self.floor, answer))
            return True
        if not isinstance(answer, HistoryView):
            return False
        self._view, self._from = answer, 0
        self.open()
        return True

    def _line(self, game: PastGame) -> str:
        players = ", ".join(self._player(game, seat) for seat in range(len(game.seats)))
        return self.tongue.say(
            "{game}, {day}: {title}; {players}.",
            game=game.name,
            day=game.ended[:10],
            title=self.floor.title(game.game, game.options),
            players=players,
        )

    def _player(self, game: PastGame, seat: int) -> str:
        name, total = game.seats[seat], game.totals[seat]
        if name.startswith(BOT):
            name = self.tongue.say("bot {name}", name=name.removeprefix(BOT))
        if seat in game.winners:
            return self.tongue.say("{name} won with {total}", name=name, total=total)
        return self.tongue.say("{name} {total}", name=name, total=total)

    def _older(self) -> None:
        if self._from + _MOST < len(self._view.games):
            self._from += _MOST
            self.open()
        else:
            self._ask(History(self._view.of, self._view.name, self._view.games[-1].number))

    def _ask(self, history: History) -> None:
        self.floor.say(history)

    def _replay(self, game: PastGame) -> None:
        self.floor.say(Replay(game.name))


class Retelling(Topic):
    """A game step by step: what was done, a line a step."""

    def __init__(self, floor: Floor, view: ReplayView) -> None:
        """The game at the step that the house has given."""
        super().__init__(floor)
        self._view = view

    def opening(self) -> Sequence[str]:
        """Where this is, and the players' points there."""
        view = self._view
        here = self.tongue.say(
            "{game}, step {step} of {steps}.", game=view.game, step=view.step, steps=view.steps
        )
        return (here, *self._told())

    def choices(self) -> Sequence[Choice]:
        """Where to go."""
        tongue, step = self.tongue, self._view.step
        return (
            Choice(tongue.say("next step"), partial(self._go, step + 1), ("next", "n")),
            Choice(tongue.say("step before"), partial(self._go, max(0, step - 1)), ("previous", "p")),
            Choice(tongue.say("the points here"), self._scores, ("scores",)),
            Choice(tongue.say("to the end"), partial(self._go, self._view.steps), ("last",)),
        )

    def open(self) -> None:
        """Where this is; the choices only once."""
        if self._offered:
            self.floor.tell(*self.opening())
            self._offered = tuple(self.choices())
        else:
            super().open()

    def free(self, text: str) -> bool:
        """An empty line goes on, `go 12` to that step."""
        head, _, rest = text.partition(" ")
        if not text:
            self._go(self._view.step + 1)
            return True
        if find(("go", self.tongue.say_in("command", "go")), head) is None or not rest.isdigit():
            return False
        self._go(int(rest[:6]))
        return True

    def help(self) -> None:
        """The choices, and what an empty line does."""
        self.floor.tell(self.tongue.say("An empty line tells the next step; go 12 goes to step 12."))
        self.offer()

    def answered(self, answer: Told) -> bool:
        """The step that was asked for."""
        if isinstance(answer, ReplayView):
            self._view = answer
            self.open()
        return isinstance(answer, ReplayView)

    def _told(self) -> Sequence[str]:
        room = self._view.room
        voice = self.floor.voices.get(room.game)
        if voice is None:
            return ()
        try:
            view = voice.read(room.table)
        except msgspec.DecodeError:
            return ()
        over = self._view.step == self._view.steps
        told = voice.told(room, view, self.tongue)
        return (told, *voice.standing(room, view, self.tongue)) if over else (told,)

    def _scores(self) -> None:
        room = self._view.room
        voice = self.floor.voices.get(room.game)
        if voice is not None:
            self.floor.tell(*voice.scores(room, voice.read(room.table), self.tongue))

    def _go(self, step: int) -> None:
        if step > self._view.steps:
            self.floor.tell(self.tongue.say("This is the end of the game."))
        else:
            self.floor.say(Replay(self._view.game, step))
