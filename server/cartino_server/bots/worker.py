"""The process that bots think in: `python -m cartino_server.bots.worker MODULE:NAME`, with the bots in that mapping.

It reads questions from stdin and writes a choice for each to stdout, until stdin ends. It loads the bots and nothing
of the server. Whoever started it gives a bot up by killing it.
"""

import os
import signal
import sys
from collections.abc import Mapping
from importlib import import_module
from queue import SimpleQueue
from threading import Thread

import msgspec

from cartino_protocol.framing import BadFrame, Frames
from cartino_server.bots.choosing import make_choice
from cartino_server.bots.frames import Question, frame
from cartino_server.bots.port import Bot

_NICE = 5
"""How far a bot steps back behind the server, where both want the same core."""

_question = msgspec.msgpack.Decoder(Question)


def main(where: str) -> None:
    """Answer with the bots at `where` (MODULE:NAME). Does not return: the end of stdin ends the process."""
    # Only the server says when it is over: whoever ends a service or a terminal signals all of its processes.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    os.nice(_NICE)
    questions, answers = _take_pipes()
    bots = _bots_at(where)
    inbox: SimpleQueue[Question] = SimpleQueue()
    # Beside the bots, so that the server's end is seen even by a worker whose bot loops.
    Thread(target=_listen, args=(questions, inbox), daemon=True).start()
    with os.fdopen(answers, "wb") as out:
        while True:
            asked = inbox.get()
            out.write(frame(make_choice(bots, asked.game, asked.bot, asked.view, asked.dice)))
            out.flush()


def _take_pipes() -> tuple[int, int]:
    """Stdin and stdout under other numbers: a bot that reads or prints must not break into the frames."""
    pipes = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return pipes


def _bots_at(where: str) -> Mapping[tuple[str, str], Bot]:
    module, _, name = where.partition(":")
    found = getattr(import_module(module), name)
    bots: Mapping[tuple[str, str], Bot] = found() if callable(found) else found
    return bots


def _listen(questions: int, inbox: "SimpleQueue[Question]") -> None:
    frames, code = Frames(), 1
    try:
        while data := os.read(questions, 1 << 16):
            for body in frames.feed(data):
                inbox.put(_question.decode(body))
        code = 0
    except (BadFrame, msgspec.DecodeError):
        print("What came in is not a question; this worker ends.", file=sys.stderr, flush=True)  # noqa: T201 - our own words
    finally:
        # Not sys.exit: the main thread may be in a bot that never returns.
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
