"""A game that is over as steps of a table: what `Replay` shows in the house, and `cartino replay` in a terminal."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_protocol.ids import Seat
from cartino_protocol.records import BOT, EndLine
from cartino_protocol.views import CourseTurn, CourseView, ReplayView, ResultView, RoomView, SeatView
from cartino_protocol.wire import raw
from cartino_server.engine.replay import Moment, Record, replay
from cartino_server.rooms.seating import numbered

MOST_TURNS: Final = 1000
"""Turns in a course; of a longer game the last."""


class Reel(msgspec.Struct, frozen=True):
    """The moments of a record. States are kept, views are made when they are asked for: a state is far smaller.

    `name` is what the game is called. Step 0 is the deal, each further step a move with all that followed from it;
    a step before the first is the first, and one beyond the last is the last.
    """

    name: str
    record: Record
    moments: tuple[Moment, ...]

    @property
    def steps(self) -> int:
        """How many steps there are after the deal."""
        return len(self.moments) - 1

    def view(self, step: int) -> RoomView:
        """The table after `step`, with the hand of the seat on turn: in a record nothing is secret.

        Nobody of it is the viewer.
        """
        step = self._within(step)
        record, state = self.record, self.moments[step].state
        game, head = record.game, record.head
        turn = game.on_turn(state)
        # An abandoned game stops with a seat on turn: that it is over stands in its last line alone.
        end = record.end() if step == self.steps else None
        over = end is not None or not turn
        return RoomView(
            code=self.name,
            game=game.name,
            options=head.options,
            state="finished" if over else "playing",
            number=step,
            seats=_seats(head.seats),
            owner=None,
            you=None,
            spectators=0,
            commitment=head.commitment,
            turn=() if over else turn,
            table=raw(game.view(state, turn[0] if turn else None)),
            result=_result(end) if end else None,
            seed=end.seed if end else "",
        )

    def course(self) -> CourseView:
        """How the totals went: every turn that was closed, and the end, which settles what is still open."""
        game, turns = self.record.game, []
        for step, moment in enumerate(self.moments):
            last = step == self.steps
            if step and (last or self._turn(step) != self._turn(step - 1)):
                seat = next(iter(game.on_turn(self.moments[step - 1].state)), 0)
                turns.append(CourseTurn(seat, step, tuple(game.totals(moment.state))))
        return CourseView(self.name, tuple(turns[-MOST_TURNS:]))

    def _turn(self, step: int) -> tuple[int, tuple[Seat, ...]]:
        game, state = self.record.game, self.moments[step].state
        return game.turns(state), game.on_turn(state)

    def line(self, step: int) -> int:
        """Where `step` is in the record: its last line, counted from 1."""
        return self.moments[self._within(step)].line

    def show(self, step: int) -> ReplayView:
        """The answer to somebody who wants to see `step`."""
        step = self._within(step)
        return ReplayView(self.name, step, self.steps, self.line(step), self.view(step))

    def _within(self, step: int) -> int:
        return max(0, min(step, self.steps))


def reel_of(record: Record, name: str = "replay") -> Reel:
    """The game in `record`, which is called `name`. Raises RecordError where the record fails its rules."""
    return Reel(name, record, tuple(replay(record)))


def _seats(names: Sequence[str]) -> tuple[SeatView, ...]:
    """The seats, with several bots of a kind numbered as at the table."""
    bots = [name.removeprefix(BOT) for name in names if name.startswith(BOT)]
    shown = iter([numbered(bots, at) for at in range(len(bots))])
    return tuple(
        SeatView(next(shown), "bot") if name.startswith(BOT) else SeatView(name, "human") for name in names
    )


def _result(end: EndLine) -> ResultView:
    return ResultView(end.totals, end.winners, end.reason)
