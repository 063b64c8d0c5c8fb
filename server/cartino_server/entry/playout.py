"""A game between bots without a house: the same views, the same moves, the same record, and nobody watching."""

from collections.abc import Mapping, Sequence
from random import Random

import msgspec

from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.bots.port import Bot
from cartino_server.engine.chance import SEED_BYTES, SeedChance, commitment
from cartino_server.engine.port import AnyGame

WHEN = "2000-01-01T00:00:00Z"
"""What stands in a simulated record for the time, so that the same seed gives the same bytes."""


class Defect(Exception):
    """A bot made a move that its game refused."""


def play_out(
    game: AnyGame, options: Mapping[str, str], bots: Sequence[Bot], chance: Random
) -> tuple[list[RecordLine], EndLine]:
    """One game of `game` with all `options` between `bots` in seat order; its record and its last line.

    All chance comes from `chance`: the same state of it gives the same record. Raises Defect.
    """
    seed = chance.randbytes(SEED_BYTES)
    names = tuple(f"bot:{bot.name}" for bot in bots)
    cuts = ("",) * len(bots)
    step = game.start(options, names, SeedChance(seed, cuts))
    state = step.state
    head = GameLine(FORMAT, game.name, dict(options), names, commitment(seed), cuts, WHEN)
    lines: list[RecordLine] = [head, *step.lines]
    while (result := game.result(state)) is None:
        seat = game.on_turn(state)[0]
        choice = bots[seat].choose(encode(game.view(state, seat)), chance)
        if choice is None:
            raise Defect(f"{names[seat]} made no move on its turn")
        move = game.read_move(encode(choice))
        after = game.apply(state, seat, move)
        if isinstance(after, Refusal):
            raise Defect(f"{names[seat]} made a move that the rules refuse: {msgspec.to_builtins(move)}")
        state = after.state
        lines += after.lines
    end = EndLine(result.totals, result.winners, result.reason, seed.hex(), WHEN)
    return [*lines, end], end
