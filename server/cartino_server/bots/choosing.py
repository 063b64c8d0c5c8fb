"""One choice of one bot, from bytes to bytes, whatever the bot does: the same in a thread and in a worker process."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from traceback import walk_tb
from types import FrameType

import msgspec

from cartino_protocol.wire import MOST_COMMAND_BYTES, encode
from cartino_server.bots.port import Bot


class Choice(msgspec.Struct, frozen=True, array_like=True):
    """What came of it: the encoded move, None for a bot that lets it be; or in one line why it `failed`."""

    move: bytes | None
    failed: str = ""


def make_choice(
    bots: Mapping[tuple[str, str], Bot], game: str, name: str, view: bytes, dice: bytes
) -> Choice:
    """Let the bot `name` of `game` choose from `view`, with dice seeded by `dice`. Never raises."""
    try:
        move = bots[game, name].choose(view, Random(dice))
        encoded = None if move is None else encode(move)
    except (Exception, SystemExit) as error:
        return Choice(None, _account_of(error))
    if encoded is not None and len(encoded) > MOST_COMMAND_BYTES:
        return Choice(None, f"a move of {len(encoded)} bytes")
    return Choice(encoded)


def _account_of(error: BaseException) -> str:
    """The type of what a bot raised, and the place in the bot where it came up.

    Never its message: `{}["AH"]` would tell of a card that somebody holds.
    """
    # The first frame is ours, the second the bot's; the deepest may be a library's.
    frames = list(walk_tb(error.__traceback__))
    home = _package(frames[:2][-1][0])
    frame, line = [each for each in frames if _package(each[0]) == home][-1]
    return f"{type(error).__name__} ({Path(frame.f_code.co_filename).name}:{line})"


def _package(frame: FrameType) -> object:
    return frame.f_globals.get("__package__")
