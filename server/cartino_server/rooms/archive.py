"""The games that are over: who may see which, and what is shown of them."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import msgspec
import structlog

from cartino_protocol.commands import Course, History, Replay
from cartino_protocol.ids import name_game, read_game_name
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import CourseView, HistoryView, PastGame, ReplayView
from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import RecordError, read_record
from cartino_server.rooms.accounts import account
from cartino_server.rooms.past import Reel, reel_of
from cartino_server.rooms.restoring import record_lines
from cartino_server.store.port import Damaged, Journal, Wanted

_REELS = 8
"""Games of which the states are remembered: somebody steps through them."""
_SHOWN = 50
"""Games in a list."""

_log = structlog.get_logger(__name__)


class NoSuchGame(LookupError):
    """There is no game of that name that is over, or none that can be shown."""


class Archive:
    """What `journal` has of games that are over."""

    def __init__(self, journal: Journal, games: Mapping[str, AnyGame]) -> None:
        """`games` are those whose records can be read."""
        self._journal = journal
        self._games = games
        self._reels: OrderedDict[str, Reel] = OrderedDict()

    async def history(self, person: str, asked: History) -> HistoryView:
        """The games that `person` asked for."""
        wanted = Wanted(
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

    async def past(self, wanted: Wanted) -> Sequence[PastGame]:
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
        read = read_game_name(name)
        if read is None:
            raise NoSuchGame(name)
        code, number = read
        kept = await self._journal.kept(number)
        if kept is None or isinstance(kept, Damaged) or kept.code != code:
            raise NoSuchGame(name)
        try:
            record = record_lines(kept.bodies)
            # Where nothing was ever dealt there is no line.
            over = record != b"" and read_record(record, self._games).end() is not None
        except (msgspec.DecodeError, RecordError) as error:
            _log.warning("record_unreadable", game=name, where=account(error))
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
        return await self.record(name_game(code, number))

    def forget(self) -> None:
        """Read games again when they are asked for: some have been written anew."""
        self._reels.clear()

    async def _reel(self, name: str) -> Reel:
        reel = self._reels.get(name)
        if reel is None:
            try:
                record = read_record(await self.record(name), self._games)
                # Playing a game again takes some milliseconds, in which nobody else should have to wait.
                reel = await asyncio.to_thread(reel_of, record, name)
            except RecordError as error:
                _log.warning("record_unreadable", game=name, where=account(error))
                raise NoSuchGame(name) from None
            self._reels[name] = reel
            while len(self._reels) > _REELS:
                self._reels.popitem(last=False)
        self._reels.move_to_end(name)
        return reel
