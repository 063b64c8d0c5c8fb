"""One dealt game: its state, the number of the state, and its record.

Exceptions of the engine pass through: they are defects of the game.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import (
    BOT,
    COMMON_LINES,
    FORMAT,
    EndLine,
    EndReason,
    GameLine,
    NoteLine,
    RecordLine,
    write_lines,
)
from cartino_protocol.refusals import Refusal
from cartino_server.engine.chance import SeedChance, commitment
from cartino_server.engine.port import AnyClaim, AnyGame, Result
from cartino_server.engine.replay import GameRecord, ReplayState, replay
from cartino_server.table.entries import without_name


class PlayMark(msgspec.Struct, frozen=True):
    """Where a play stood (see `Play.mark`)."""

    state: Any
    number: int
    lines: int
    made: int
    result: Result | None


class Play:
    """A game that was dealt. What the engine raises comes through: it is the engine's defect."""

    def __init__(
        self,
        game: AnyGame,
        seed: bytes,
        number: int,
        state: Any,
        lines: Sequence[RecordLine],
        result: Result | None,
        now: Callable[[], str],
        made: int = 0,
    ) -> None:
        """The game in the state `state`, numbered `number`, that `lines` led to from `seed`; `result` if it is over.

        People have `made` so many moves.
        """
        self.game = game
        self.seed = seed
        self.number = number
        self.state = state
        self.lines: list[RecordLine] = list(lines)
        self.made = made
        """How many moves people made."""
        self.result = result
        self._now = now

    def act(self, seat: Seat, number: int, raw: bytes, *, by_person: bool = False) -> Refusal | None:
        """Apply the move in `raw` as an answer to the state `number`; or say why not, with nothing changed.

        `by_person`: whether somebody made it themselves.
        """
        if self.result is not None:
            return Refusal("not-playing")
        if number != self.number:
            return Refusal("stale")
        try:
            move = self.game.read_move(raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return Refusal("malformed")
        step = self.game.apply(self.state, seat, move)
        if isinstance(step, Refusal):
            return step
        self.state = step.state
        self.number += 1
        self.made += by_person
        self.lines.extend(step.lines)
        self.settle()
        return None

    def note(self, text: str, seat: Seat | None = None) -> None:
        """Put something into the record that is not play."""
        if self.result is None:
            self.lines.append(NoteLine(text, seat))

    def erase(self, seat: Seat) -> None:
        """The player of `seat` has deleted their account: the record has their name no more."""
        self.lines = [without_name(line, (seat,)) for line in self.lines]

    def abandon(self) -> None:
        """Everybody left: the record ends with the totals as they stand and no winner."""
        if self.result is None:
            self._end(Result(self.game.totals(self.state), (), "abandoned"))

    def settle(self) -> None:
        """Note it if the game has come to its end by its own rules."""
        result = self.game.result(self.state)
        if result is not None:
            self._end(result)

    def mark(self) -> PlayMark:
        """Where the game stands, to come back to."""
        return PlayMark(self.state, self.number, len(self.lines), self.made, self.result)

    def back_to(self, mark: PlayMark) -> None:
        """Nothing of what came after `mark` has happened."""
        self.state, self.number, self.made = mark.state, mark.number, mark.made
        self.result = mark.result
        del self.lines[mark.lines :]

    @property
    def turns(self) -> int:
        """How many turns are over."""
        return self.game.turns(self.state)

    def on_turn(self) -> tuple[Seat, ...]:
        """The seats that the game waits for."""
        return () if self.result is not None else self.game.on_turn(self.state)

    def may_act(self) -> tuple[Seat, ...]:
        """The seats that could do something, on turn or not."""
        return () if self.result is not None else self.game.may_act(self.state)

    def claim(self) -> AnyClaim | None:
        """Who may answer the last move; None where nobody may, or the game is over."""
        return None if self.result is not None else self.game.claim(self.state)

    def moments(self) -> Sequence[ReplayState]:
        """Return every state that the game went through, the deal first; the last one has `number`."""
        head = self.lines[0]
        assert isinstance(head, GameLine)
        return tuple(replay(GameRecord(self.game, head, tuple(self.lines)), SeedChance(self.seed, head.cuts)))

    def export(self, most: int | None = None, audience: Audience = None) -> bytes:
        """Return the record as JSON Lines, or its first `most`; while the game runs, what `audience` may read."""
        lines = self.lines[:most]
        if isinstance(lines[-1], EndLine):
            return write_lines(lines)
        return write_lines(
            [
                line if isinstance(line, COMMON_LINES) else self.game.redact(line, self.state, audience)
                for line in lines
            ]
        )

    def _end(self, result: Result) -> None:
        self.result = result
        reason: EndReason = result.reason
        self.lines.append(EndLine(result.totals, result.winners, reason, self.seed.hex(), self._now()))


def deal(
    game: AnyGame,
    options: Mapping[str, str],
    seats: Sequence[str],
    cuts: Sequence[str],
    seed: bytes,
    number: int,
    now: Callable[[], str],
) -> Play:
    """Deal to `seats` (names as records have them) from `seed` and `cuts`; the first state gets `number`."""
    step = game.start(options, seats, SeedChance(seed, cuts))
    opening = GameLine(FORMAT, game.name, dict(options), tuple(seats), commitment(seed), tuple(cuts), now())
    play = Play(game, seed, number, step.state, [opening, *step.lines], None, now)
    play.settle()
    return play


def made_by_people(game: AnyGame, head: GameLine, lines: Sequence[RecordLine]) -> int:
    """The moves in the record `lines` below `head` that people made.

    The record doesn't say who stood in for them, so whoever did counts as they would.
    """
    people = [not seat.startswith(BOT) for seat in head.seats]
    moves = (game.move_of(line) for line in lines if not isinstance(line, COMMON_LINES))
    return sum(people[move[0]] for move in moves if move is not None)
