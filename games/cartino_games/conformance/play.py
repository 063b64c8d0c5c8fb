"""Checks of the rules alone: play to the end, legal and illegal moves, bots, the time of a move."""

import time
from collections.abc import Iterator
from itertools import islice, pairwise
from random import Random
from typing import Any, Final

import msgspec

from cartino_engine.chance import SEED_BYTES
from cartino_engine.port import AnyGame, Step
from cartino_games.conformance.trial import FEW, MOST_MOVES, Check, Trial, chance, table
from cartino_protocol.base import DECODE_ERRORS, Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import MAX_COMMAND_BYTES, encode

MOST_MILLISECONDS: Final = 50.0
"""A move with all its views may take so long on average: while it does, no other table of the server goes on."""


def play(trial: Trial) -> Check:
    """Random play to the end, for every option and number of seats: totals and result belong together."""
    return Check("play to the end", tuple(islice(_ends(trial), FEW)), _counted(trial))


def _counted(trial: Trial) -> str:
    moves = sorted(len(played.moves) for played in trial.played)
    return f"{len(moves)} games of {moves[0]} to {moves[-1]} moves"


def _ends(trial: Trial) -> Iterator[str]:
    game = trial.game
    for played in trial.played:
        here = f"{len(played.names)} seats, {played.options}"
        state, seats = played.states[-1], range(len(played.names))
        if len(played.moves) >= MOST_MOVES:
            yield f"{here}: no end after {MOST_MOVES} moves"
            continue
        result = game.result(state)
        if result is None:
            yield f"{here}: no seat is on turn, but there is no result"
            continue
        if tuple(result.totals) != tuple(game.totals(state)) or len(result.totals) != len(seats):
            yield f"{here}: the result's totals are {result.totals}, the table's {game.totals(state)}"
        if not result.winners or not set(result.winners) <= set(seats):
            yield f"{here}: the winners are the seats {result.winners}"
        if result.reason not in game.endings:
            yield f"{here}: the reason {result.reason!r} is not in `endings`"
        if any(game.result(each) is not None for each in played.states[:-1]):
            yield f"{here}: there is a result before the last move"
        if any(True for seat in seats for _ in game.legal(state, seat)):
            yield f"{here}: there are legal moves after the end"
        counts = [game.turns(each) for each in played.states]
        if any(after < before for before, after in pairwise(counts)):
            yield f"{here}: `turns` goes down"


def moves(trial: Trial) -> Iterator[str]:
    """Legal moves apply and others are refused, neither changes the state, and no bytes do harm."""
    game, dice = trial.game, Random(1)
    for played in trial.played:
        seats = range(len(played.names))
        for at in played.sample():
            state = played.states[at]
            before = [encode(game.view(state, seat)) for seat in (*seats, None)]
            for seat in seats:
                yield from _tried(trial, state, seat, dice)
            if before != [encode(game.view(state, seat)) for seat in (*seats, None)]:
                yield f"move {at}: judging moves has changed the state"


def _tried(trial: Trial, state: Any, seat: Seat, dice: Random) -> Iterator[str]:
    game = trial.game
    on_turn, may = seat in game.on_turn(state), seat in game.may_act(state)
    legal = list(islice(game.legal(state, seat), 20))
    if on_turn and not legal:
        yield f"seat {seat} is on turn and has no legal move"
    if on_turn and not may:
        yield f"seat {seat} is on turn, but not among those that may act"
    words = [str(msgspec.to_builtins(move)).casefold() for move in legal]
    if len(set(words)) < len(words):
        yield f"seat {seat} has a legal move twice, or two that differ in their case alone"
    for move in legal:
        frame = encode(move)
        first, again = game.apply(state, seat, move), game.apply(state, seat, move)
        if isinstance(first, Refusal) or isinstance(again, Refusal):
            yield f"the legal move {msgspec.to_builtins(move)} of seat {seat} is refused"
        elif first.lines != again.lines:
            yield f"the move {msgspec.to_builtins(move)} leads to other lines the second time"
        if game.check(state, seat, move) is not None:
            yield f"`check` refuses the legal move {msgspec.to_builtins(move)}"
        if game.read_move(frame) != move or len(frame) > MAX_COMMAND_BYTES:
            yield f"the move {msgspec.to_builtins(move)} is another one off the wire"
        yield from _thrown(trial, state, seat, _spoilt(frame, dice))
    if not may:
        others = (move for other in game.on_turn(state) for move in islice(game.legal(state, other), 5))
        if any(isinstance(game.apply(state, seat, move), Step) for move in others):
            yield f"seat {seat} moves without being on turn"
    yield from _thrown(trial, state, seat, dice.randbytes(12))


def _thrown(trial: Trial, state: Any, seat: Seat, frame: bytes) -> Iterator[str]:
    """Check that any bytes are no move, or one that is judged like any other."""
    game = trial.game
    try:
        move = game.read_move(frame)
    except DECODE_ERRORS:
        return
    refused = isinstance(game.apply(state, seat, move), Refusal)
    if refused != (game.check(state, seat, move) is not None):
        yield f"`check` and `apply` disagree on {msgspec.to_builtins(move)}"


def bots(trial: Trial) -> Check:
    """Check that every bot plays a game to its end."""
    names = [bot.name for bot in trial.package.bots]
    if not names:
        return Check("bots", ("there is no bot, and one has to play on for people who are away",))
    return Check("bots", tuple(islice(_bots(trial), FEW)), ", ".join(names))


def _bots(trial: Trial) -> Iterator[str]:
    game, seats = trial.game, trial.game.seats[0]
    for bot in trial.package.bots:
        dice = Random(bot.name)
        state = game.start(*table(game, seats), chance(dice.randbytes(SEED_BYTES), seats)).state
        for _ in range(MOST_MOVES):
            turn = game.on_turn(state)
            if not turn:
                break
            after = _planned(game, state, turn[0], bot.plan(encode(game.view(state, turn[0])), dice))
            if after is None:
                yield f"the bot {bot.name} makes no legal move"
                break
            state = after


def _planned(game: AnyGame, state: Any, seat: Seat, plan: tuple[msgspec.Struct, ...]) -> Any:
    """Return the state after a bot's plan; None if it is empty or a move of it is refused."""
    for move in plan:
        step = game.apply(state, seat, game.read_move(encode(move)))
        if not isinstance(step, Step):
            return None
        state = step.state
    return state if plan else None


def pace(trial: Trial) -> Check:
    """Check that a move, with the views that it leads to, leaves the other tables their time."""
    game, played = trial.game, max(trial.played, key=lambda each: len(each.names))
    begun, made = time.perf_counter(), 0
    for state, (seat, move) in islice(zip(played.states, played.moves, strict=False), 200):
        step = game.apply(state, seat, move)
        if isinstance(step, Step):
            for audience in (None, *range(len(played.names))):
                encode(game.view(step.state, audience))
        made += 1
    took = 1000 * (time.perf_counter() - begun) / max(made, 1)
    slow = (f"a move takes {took:.1f} ms, at most {MOST_MILLISECONDS:.0f} ms leave others their time",)
    return Check("time a move", slow if took > MOST_MILLISECONDS else (), f"{took:.2f} ms with its views")


def _spoilt(frame: bytes, dice: Random) -> bytes:
    at = dice.randrange(len(frame))
    return frame[:at] + bytes([frame[at] ^ (1 << dice.randrange(8))]) + frame[at + 1 :]
