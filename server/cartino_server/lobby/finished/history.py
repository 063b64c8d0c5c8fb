"""Finished games and lessons, step by step; who may see which game, and its record."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog

from cartino_engine.port import AnyGame
from cartino_engine.replay import (
    PUPIL_SEAT,
    GameNotInstalled,
    GameRecord,
    RecordError,
    ReplayState,
    read_record,
    replay,
    replay_lesson,
)
from cartino_protocol.base import Seat, game_name, parse_address, parse_code, parse_game_name
from cartino_protocol.commands import Course, History, Lesson, Replay
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import listable
from cartino_protocol.views import (
    CourseTurn,
    CourseView,
    HistoryView,
    LessonView,
    PastGame,
    ReplayView,
    ResultView,
    SeatView,
    TableView,
)
from cartino_protocol.wire import encode_raw
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.journal import Journal
from cartino_server.store.port import DamagedGame, HistoryQuery
from cartino_server.table.restoring import record_lines
from cartino_server.table.seating import numbered

MOST_TURNS: Final = 1000
"""Turns in a course; a longer game keeps its last ones."""


class GameReplay(msgspec.Struct, frozen=True):
    """A finished game `name`, step by step; states are kept, and the larger views made on request.

    Step 0 is the deal; each further step is a move with all that followed from it. Steps out of range are clamped.
    """

    name: str
    record: GameRecord
    moments: tuple[ReplayState, ...]

    @property
    def steps(self) -> int:
        """The number of steps after the deal."""
        return len(self.moments) - 1

    def view(self, step: int) -> TableView:
        """Return the table after `step` as the seat on turn sees it, but with no viewer."""
        step = self._within(step)
        record, state = self.record, self.moments[step].state
        game, head = record.game, record.head
        turn = game.on_turn(state)
        # An abandoned game stops with a seat on turn; only its last line says that it is over.
        end = record.end() if step == self.steps else None
        over = end is not None or not turn
        return TableView(
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
            game_view=encode_raw(game.view(state, turn[0] if turn else None)),
            result=ResultView(end.totals, end.winners, end.reason) if end else None,
            seed=end.seed if end else "",
        )

    def course(self) -> CourseView:
        """Return the totals after every closed turn, and at the end."""
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
        """Return the number of the last record line of `step`, counted from 1."""
        return self.moments[self._within(step)].line

    def show(self, step: int) -> ReplayView:
        """Return the answer that shows `step`."""
        step = self._within(step)
        return ReplayView(self.name, step, self.steps, self.line(step), self.view(step))

    def _within(self, step: int) -> int:
        return max(0, min(step, self.steps))


def game_replay(record: GameRecord, name: str = "replay") -> GameReplay:
    """Replay `record` as the game `name`. Raises RecordError if it breaks the rules."""
    return GameReplay(name, record, tuple(replay(record)))


def _seats(names: Sequence[str]) -> tuple[SeatView, ...]:
    """Return the seats; several bots of a kind are numbered as at the table."""
    bots = [name.removeprefix(BOT) for name in names if name.startswith(BOT)]
    shown = iter([numbered(bots, at) for at in range(len(bots))])
    return tuple(
        SeatView(next(shown), "bot") if name.startswith(BOT) else SeatView(name, "human") for name in names
    )


def lesson_view(games: Mapping[str, AnyGame], name: str, asked: Lesson) -> LessonView | Refusal:
    """Return the lesson step that `asked` names, for the pupil `name`, or why there is none."""
    game = games.get(asked.game)
    if game is None:
        return Refusal("unknown-game", asked.game)
    if not game.lessons:
        return Refusal("no-lesson")
    number = min(asked.number, len(game.lessons))
    lesson = game.lessons[number - 1]
    progress = replay_lesson(game, lesson, tuple(bytes(move) for move in asked.moves))
    if isinstance(progress, Refusal):
        return progress
    result = game.result(progress.state)
    table = TableView(
        code="",
        game=game.name,
        options=lesson.options,
        state="playing" if result is None else "finished",
        number=len(asked.moves),
        seats=(SeatView(name, "human"), *(SeatView(other, "bot") for other in lesson.others)),
        owner=None,
        you=PUPIL_SEAT,
        spectators=0,
        commitment="",
        open=False,
        turn=game.on_turn(progress.state),
        game_view=encode_raw(game.view(progress.state, PUPIL_SEAT)),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
    )
    return LessonView(
        game=game.name,
        number=number,
        of=len(game.lessons),
        name=lesson.name,
        done=progress.done,
        tasks=len(lesson.tasks),
        table=table,
        strayed=progress.strayed,
    )


_CACHED_REPLAYS = 8
"""Replayed games kept in memory for stepping through them."""
_SHOWN = 50
"""Games on a page."""

_log = structlog.get_logger(__name__)


class NoSuchGame(LookupError):
    """There is no finished game of that name."""


class RecordRefused(Exception):
    """There is such a game, but its record can't be shown; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


async def unsealed(code: str) -> Refusal | None:
    """Return that the games of every table may be read."""
    return None


class GameHistory:
    """Reads the journal's finished games."""

    def __init__(
        self,
        journal: Journal,
        games: Mapping[str, AnyGame],
        seal_of: Callable[[str], Awaitable[Refusal | None]] = unsealed,
    ) -> None:
        """`games` are those whose records can be read; `seal_of(code)`: why those of that table can't be read yet."""
        self._seal_of = seal_of
        self._journal = journal
        self._games = games
        self._replays: OrderedDict[str, GameReplay] = OrderedDict()

    async def history(self, person: str, asked: History) -> HistoryView:
        """Return the page of games that `person` asked for."""
        wanted = HistoryQuery(
            person,
            mine=asked.of == "mine",
            name=asked.name if asked.of == "player" else "",
            before=asked.before,
            most=_SHOWN + 1,
        )
        found = await self.find_finished_games(wanted)
        more = len(found) > _SHOWN
        pruned = not more and await self.pruned()
        return HistoryView(asked.of, asked.name, tuple(found[:_SHOWN]), more, pruned)

    async def pruned(self) -> bool:
        """Return whether finished games were removed, so that lists don't go back to the first one."""
        return await self._journal.pruned()

    async def find_finished_games(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """Return the finished games that match, newest first."""
        return await self._journal.find_finished_games(wanted)

    async def read(self, asked: Replay | Course) -> ReplayView | CourseView | Refusal:
        """Return a step of a game, or its totals by turn; everybody who knows its name may see it."""
        name, turn = parse_address(asked.game) or (asked.game, None)
        found = await self.replay(name)
        if isinstance(found, Refusal):
            return found
        if turn is not None and isinstance(asked, Replay):
            turns = found.course().turns
            if not 0 < turn <= len(turns):
                return Refusal("no-turn", f"{asked.game} (1-{len(turns)})")
            return found.show(turns[turn - 1].step)
        return found.show(asked.step) if isinstance(asked, Replay) else found.course()

    async def replay(self, name: str) -> GameReplay | Refusal:
        """Return a finished game by its name, or by its table's code the newest one there; or why there is none."""
        try:
            code = parse_code(name)
            latest = None if code is None else await self._journal.latest(code)
            return await self._replay(name if code is None or latest is None else game_name(code, latest))
        except RecordRefused as error:
            return error.refusal
        except NoSuchGame:
            return Refusal("no-past-game", name)

    async def record(self, name: str) -> bytes:
        """Return the record of the finished game `name` as JSON Lines. Raises NoSuchGame, RecordRefused."""
        read = parse_game_name(name)
        if read is None:
            raise NoSuchGame(name)
        code, number = read
        if sealed := await self._seal_of(code):
            raise RecordRefused(sealed)
        kept = await self._journal.load_game(number)
        if kept is None or kept.code != code:
            raise NoSuchGame(name)
        if isinstance(kept, DamagedGame):
            raise RecordRefused(Refusal("set-aside"))
        try:
            record = record_lines(kept.bodies)
            # Without a deal there is no line.
            over = record != b"" and read_record(record, self._games).end() is not None
        except GameNotInstalled as error:
            raise RecordRefused(Refusal("game-missing", error.game)) from None
        except (msgspec.DecodeError, RecordError) as error:
            _log.warning("record_unreadable", game=name, where=summarize_error(error))
            raise RecordRefused(Refusal("set-aside")) from None
        if not over:
            # Its shuffle is still secret.
            raise NoSuchGame(name)
        return record

    async def newest(self, code: str) -> bytes:
        """Return the record of the newest finished game of table `code`. Raises NoSuchGame, RecordRefused."""
        if sealed := await self._seal_of(code):
            raise RecordRefused(sealed)
        number = await self._journal.latest(code)
        if number is None:
            raise NoSuchGame(code)
        return await self.record(game_name(code, number))

    async def number(self, name: str) -> int | None:
        """Return the number of a finished game by its name, or of the newest one of a table by its code."""
        read, code = parse_game_name(name), parse_code(name)
        if read is not None:
            return read[1]
        return None if code is None else await self._journal.latest(code)

    def forget(self) -> None:
        """Drop cached replays, since some records were rewritten."""
        self._replays.clear()

    async def _replay(self, name: str) -> GameReplay:
        found = self._replays.get(name)
        if found is None:
            try:
                record = read_record(await self.record(name), self._games)
                # Replaying takes some milliseconds, so it runs beside the event loop.
                found = await asyncio.to_thread(game_replay, record, name)
            except RecordError as error:
                _log.warning("record_unreadable", game=name, where=summarize_error(error))
                raise RecordRefused(Refusal("set-aside")) from None
            self._replays[name] = found
            while len(self._replays) > _CACHED_REPLAYS:
                self._replays.popitem(last=False)
        self._replays.move_to_end(name)
        return found
