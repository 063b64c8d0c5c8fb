"""Finished games: who may see which, their records, and replaying them step by step."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import structlog

from cartino_protocol.base import Seat, game_name, parse_game_name
from cartino_protocol.commands import Course, History, Replay
from cartino_protocol.records import BOT, EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import listable
from cartino_protocol.views import (
    CourseTurn,
    CourseView,
    HistoryView,
    PastGame,
    ReplayView,
    ResultView,
    RoomView,
    SeatView,
)
from cartino_protocol.wire import encode_raw
from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import GameRecord, RecordError, ReplayState, read_record, replay
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.port import DamagedGame, HistoryQuery, Journal
from cartino_server.table.restoring import record_lines
from cartino_server.table.seating import numbered

MOST_TURNS: Final = 1000
"""Turns in a course; of a longer game the last."""


class GameReplay(msgspec.Struct, frozen=True):
    """The moments of a record. States are kept, views are made when they are asked for: a state is far smaller.

    `name` is what the game is called. Step 0 is the deal, each further step a move with all that followed from it;
    a step before the first is the first, and one beyond the last is the last.
    """

    name: str
    record: GameRecord
    moments: tuple[ReplayState, ...]

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
            seats=_seats(tuple(map(listable, head.seats))),
            owner=None,
            you=None,
            spectators=0,
            commitment=head.commitment,
            turn=() if over else turn,
            table=encode_raw(game.view(state, turn[0] if turn else None)),
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


def game_replay(record: GameRecord, name: str = "replay") -> GameReplay:
    """The game in `record`, which is called `name`. Raises RecordError where the record fails its rules."""
    return GameReplay(name, record, tuple(replay(record)))


def _seats(names: Sequence[str]) -> tuple[SeatView, ...]:
    """The seats, with several bots of a kind numbered as at the table."""
    bots = [name.removeprefix(BOT) for name in names if name.startswith(BOT)]
    shown = iter([numbered(bots, at) for at in range(len(bots))])
    return tuple(
        SeatView(next(shown), "bot") if name.startswith(BOT) else SeatView(name, "human") for name in names
    )


def _result(end: EndLine) -> ResultView:
    return ResultView(end.totals, end.winners, end.reason)


_CACHED_REPLAYS = 8
"""Games of which the states are remembered: somebody steps through them."""
_SHOWN = 50
"""Games in a list."""

_log = structlog.get_logger(__name__)


class NoSuchGame(LookupError):
    """There is no game of that name that is over, or none that can be shown."""


class GameHistory:
    """What `journal` has of games that are over."""

    def __init__(self, journal: Journal, games: Mapping[str, AnyGame]) -> None:
        """`games` are those whose records can be read."""
        self._journal = journal
        self._games = games
        self._reels: OrderedDict[str, GameReplay] = OrderedDict()

    async def history(self, person: str, asked: History) -> HistoryView:
        """The games that `person` asked for."""
        wanted = HistoryQuery(
            person,
            mine=asked.of == "mine",
            name=asked.name if asked.of == "player" else "",
            before=asked.before,
            most=_SHOWN + 1,
        )
        found = await self.past(wanted)
        more = len(found) > _SHOWN
        pruned = not more and await self.pruned()
        return HistoryView(asked.of, asked.name, tuple(found[:_SHOWN]), more, pruned)

    async def pruned(self) -> bool:
        """Return whether finished games were removed, so that lists don't go back to the first one."""
        return await self._journal.pruned()

    async def past(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """The finished games that are `wanted`, newest first."""
        return await self._journal.past(wanted)

    async def replay(self, asked: Replay) -> ReplayView | Refusal:
        """The step that was asked for. Who knows a game's name may see it, as they could have watched it."""
        try:
            return (await self._reel(asked.game)).show(asked.step)
        except NoSuchGame:
            return Refusal("no-past-game", asked.game)

    async def course(self, asked: Course) -> CourseView | Refusal:
        """How the totals went in the game that was asked for; who may see it as with `replay`."""
        try:
            return (await self._reel(asked.game)).course()
        except NoSuchGame:
            return Refusal("no-past-game", asked.game)

    async def record(self, name: str) -> bytes:
        """The record of the game called `name` as JSON Lines. Raises NoSuchGame."""
        read = parse_game_name(name)
        if read is None:
            raise NoSuchGame(name)
        code, number = read
        kept = await self._journal.kept(number)
        if kept is None or isinstance(kept, DamagedGame) or kept.code != code:
            raise NoSuchGame(name)
        try:
            record = record_lines(kept.bodies)
            # Where nothing was ever dealt there is no line.
            over = record != b"" and read_record(record, self._games).end() is not None
        except (msgspec.DecodeError, RecordError) as error:
            _log.warning("record_unreadable", game=name, where=summarize_error(error))
            raise NoSuchGame(name) from None
        if not over:
            # Its draws are nobody's business yet.
            raise NoSuchGame(name)
        return record

    async def newest(self, code: str) -> bytes:
        """The record of the newest game that was played to its end at a table `code`. Raises NoSuchGame."""
        number = await self._journal.latest(code)
        if number is None:
            raise NoSuchGame(code)
        return await self.record(game_name(code, number))

    def forget(self) -> None:
        """Read games again when they are asked for: some have been written anew."""
        self._reels.clear()

    async def _reel(self, name: str) -> GameReplay:
        reel = self._reels.get(name)
        if reel is None:
            try:
                record = read_record(await self.record(name), self._games)
                # Playing a game again takes some milliseconds, in which nobody else should have to wait.
                reel = await asyncio.to_thread(game_replay, record, name)
            except RecordError as error:
                _log.warning("record_unreadable", game=name, where=summarize_error(error))
                raise NoSuchGame(name) from None
            self._reels[name] = reel
            while len(self._reels) > _CACHED_REPLAYS:
                self._reels.popitem(last=False)
        self._reels.move_to_end(name)
        return reel
