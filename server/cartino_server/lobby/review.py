"""What a player of a finished game learns beside its totals: the change of their rating, and the turn that lost most.

The turn is compared with what the game's first bot makes of the same view, so it may use nothing that the seat did not
know. Bots run in their executor; the event loop only applies moves.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from cartino_protocol.base import Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import MissedTurn
from cartino_protocol.wire import encode
from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import GameRecord, replay
from cartino_server.table.bot_executor import BotExecutor, BotFailed

REVIEW_SECONDS: Final = 10.0
"""Time for all turns of a game, waiting for other bots included."""
_MOST_MOVES: Final = 16
"""Moves of a bot in one turn; a game with longer turns is not reviewed."""
_DICE: Final = bytes(32)
"""The same for each turn, so that a review says the same twice."""


class PlayedTurn(NamedTuple):
    """A turn of `seat`: its number in the game (from 1), the state at its beginning, and the points it made."""

    seat: Seat
    number: int
    begin: Any
    points: int


def played_turns(record: GameRecord) -> list[PlayedTurn]:
    """Return the turns of a record except the one that ended the game, whose points may hold a settlement.

    None for a game in which several act at once, or where low totals win. Raises RecordError.
    """
    game, end = record.game, record.end()
    if end is None or not end.winners or end.totals[end.winners[0]] != max(end.totals):
        return []
    turns: list[PlayedTurn] = []
    begin: Any = None
    seats: tuple[Seat, ...] = ()
    number = 0
    for moment in replay(record):
        if begin is not None and _turn(game, moment.state) == _turn(game, begin):
            continue
        if len(seats) == 1 and game.result(moment.state) is None:
            points = game.totals(moment.state)[seats[0]] - game.totals(begin)[seats[0]]
            turns.append(PlayedTurn(seats[0], number, begin, points))
        begin, seats = moment.state, game.on_turn(moment.state)
        number = max(number, game.turns(begin)) + 1
    return turns


def _turn(game: AnyGame, state: Any) -> tuple[int, tuple[Seat, ...]]:
    return game.turns(state), game.on_turn(state)


class Reviewer:
    """Finds the turn that lost most, with the first bot of each game in `bots_of`."""

    def __init__(
        self, executor: BotExecutor, bots_of: Mapping[str, tuple[str, ...]], patience: float
    ) -> None:
        """Let each choice take `patience` seconds."""
        self._executor = executor
        self._bots_of = bots_of
        self._patience = patience

    async def missed_turns(self, record: GameRecord, seats: frozenset[Seat]) -> dict[Seat, MissedTurn]:
        """Return the turn that lost most of each of `seats`, of those that lost a point. Raises RecordError.

        Empty if the bot fails, or if it takes too long.
        """
        bot = next(iter(self._bots_of.get(record.game.name, ())), None)
        if bot is None:
            return {}
        turns = await asyncio.to_thread(played_turns, record)
        missed: dict[Seat, MissedTurn] = {}
        try:
            async with asyncio.timeout(REVIEW_SECONDS):
                for turn in turns:
                    if turn.seat in seats:
                        best = await self._best(record.game, bot, turn)
                        lost = 0 if best is None else best.best - best.made
                        worst = missed.get(turn.seat)
                        if best is not None and lost > (0 if worst is None else worst.best - worst.made):
                            missed[turn.seat] = best
        except (BotFailed, TimeoutError, msgspec.DecodeError):
            return {}
        return missed

    async def _best(self, game: AnyGame, bot: str, turn: PlayedTurn) -> MissedTurn | None:
        """Let `bot` play `turn`; None if that ends the game."""
        state, seat, moves = turn.begin, turn.seat, list[msgspec.Raw]()
        while _turn(game, state) == _turn(game, turn.begin):
            view = encode(game.view(state, seat))
            plan = await self._executor.choose(game.name, bot, view, _DICE, self._patience)
            if not plan or len(moves) + len(plan) > _MOST_MOVES:
                raise BotFailed("it can't play the turn")
            for raw in plan:
                step = game.apply(state, seat, game.read_move(raw))
                if isinstance(step, Refusal):
                    raise BotFailed("it can't play the turn")
                state = step.state
                moves.append(msgspec.Raw(raw))
        if game.result(state) is not None:
            return None
        best = game.totals(state)[seat] - game.totals(turn.begin)[seat]
        return MissedTurn(turn.number, turn.points, best, tuple(moves))
