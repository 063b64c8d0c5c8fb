"""Run bots: choose one move, from bytes to bytes, in this process or in a child process.

`python -m cartino_engine.runner MODULE:NAME` is the child. It loads the bots of that mapping and nothing
else of the server, reads requests from stdin and writes a reply to each to stdout until stdin ends. Its parent stops a
bot that takes too long by killing the process. Whatever a bot raises becomes a reply that names the place of the error
but not its message, which could contain hidden cards.
"""

import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from random import Random
from threading import Thread
from traceback import walk_tb
from types import FrameType

import msgspec

from cartino_engine.bots import Bot, CantChoose
from cartino_protocol.wire import MAX_COMMAND_BYTES, BadFrame, FrameReader, encode, frame_bytes

MAX_PLAN = 64
"""Moves in a plan."""


class BotReply(msgspec.Struct, frozen=True, array_like=True):
    """The encoded moves (none: to do nothing), or why the bot `failed`, in one line.

    As a verdict, the best moves, the points `lost`, and the `luck` of the turn if the bot tells it.
    """

    moves: tuple[bytes, ...]
    failed: str = ""
    lost: float = 0.0
    luck: float | None = None


class BotRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request for moves: the seat's view and the seed of the bot's randomness; with moves `made`, for a verdict.

    `after` is the seat's view after those moves; b"" if the luck in it doesn't matter.
    """

    game: str
    bot: str
    view: bytes
    dice: bytes
    made: tuple[bytes, ...] = ()
    after: bytes = b""


def answer_request(bots: Mapping[tuple[str, str], Bot], asked: BotRequest) -> BotReply:
    """Let a bot plan, with a generator seeded by the dice, or judge. Never raises."""
    lost, luck = 0.0, None
    try:
        bot = bots[asked.game, asked.bot]
        if asked.made:
            verdict = bot.judge(asked.view, asked.made)
            found, lost = verdict.best, verdict.lost
            if asked.after:
                with suppress(CantChoose):
                    luck = bot.luck(asked.view, asked.made, asked.after)
        else:
            found = bot.plan(asked.view, Random(asked.dice))
        moves = tuple(map(encode, found))
    except (Exception, SystemExit) as error:
        return BotReply((), _error_location(error))
    long = max(map(len, moves), default=0)
    if long > MAX_COMMAND_BYTES:
        return BotReply((), f"a move of {long} bytes")
    if len(moves) > MAX_PLAN:
        return BotReply((), f"a plan of {len(moves)} moves")
    return BotReply(moves, lost=lost, luck=luck)


def _error_location(error: BaseException) -> str:
    """Return the type of an error and its place in the bot, but not its message, which may name a hidden card."""
    # The first frame is ours, the second the bot's; the last may be a library's.
    frames = [each for each in walk_tb(error.__traceback__) if each[0].f_code is not Bot.plan.__code__]
    home = _package_of(frames[:2][-1][0])
    frame, line = [each for each in frames if _package_of(each[0]) == home][-1]
    return f"{type(error).__name__} ({Path(frame.f_code.co_filename).name}:{line})"


def _package_of(frame: FrameType) -> object:
    return frame.f_globals.get("__package__")


def encode_frame(message: msgspec.Struct) -> bytes:
    """Encode a message for the pipe."""
    return frame_bytes(msgspec.msgpack.encode(message))


_NICENESS = 5
"""Lower priority than the server's, which may want the same core."""

_request_decoder = msgspec.msgpack.Decoder(BotRequest)


def main(where: str) -> None:
    """Serve requests with the bots at `where` (MODULE:NAME) until stdin ends; does not return."""
    # Only the server ends this process; a service manager or terminal signals all processes at once.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    os.nice(_NICENESS)
    questions, answers = _take_pipes()
    bots = _load_bots(where)
    inbox: SimpleQueue[BotRequest] = SimpleQueue()
    # In its own thread, so that the end of stdin is noticed even while a bot loops.
    Thread(target=_read_requests, args=(questions, inbox), daemon=True).start()
    with os.fdopen(answers, "wb") as out:
        while True:
            out.write(encode_frame(answer_request(bots, inbox.get())))
            out.flush()


def _take_pipes() -> tuple[int, int]:
    """Move stdin and stdout to other descriptors, so that a bot that reads or prints can't corrupt the frames."""
    pipes = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return pipes


def _load_bots(where: str) -> Mapping[tuple[str, str], Bot]:
    module, _, name = where.partition(":")
    found = getattr(import_module(module), name)
    bots: Mapping[tuple[str, str], Bot] = found() if callable(found) else found
    return bots


def _read_requests(questions: int, inbox: "SimpleQueue[BotRequest]") -> None:
    frames, code = FrameReader(), 1
    try:
        while data := os.read(questions, 1 << 16):
            for body in frames.feed(data):
                inbox.put(_request_decoder.decode(body))
        code = 0
    except (BadFrame, msgspec.DecodeError):
        print("What came in is not a question; this worker ends.", file=sys.stderr, flush=True)  # noqa: T201 - our own words
    finally:
        # Not sys.exit: the main thread may be in a bot that never returns.
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
