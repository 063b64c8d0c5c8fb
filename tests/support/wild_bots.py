"""Bots for worker processes, which find them as `tests.support.wild_bots:BOTS`; most do what no bot should.

Where one has to tell the test that it thinks, its view is the path of a pipe, into which it writes its process's
number.
"""

import os
import signal
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from fcntl import F_GETFL, fcntl
from random import Random

import msgspec

from cartino_engine.bots import Bot
from cartino_engine.runner import BotReply, encode_frame
from tests.support.race import Add

WILD = "tests.support.wild_bots:BOTS"


def adds(view: bytes, chance: Random) -> msgspec.Struct:
    """Add what the view says."""
    return Add(int(view))


def dices(view: bytes, chance: Random) -> msgspec.Struct:
    """Add what the dice say."""
    return Add(chance.randrange(10**9))


def waits(view: bytes, chance: Random) -> None:
    """Let it be."""


def raises(view: bytes, chance: Random) -> msgspec.Struct:
    raise ZeroDivisionError("a bot's bug")


def quits(view: bytes, chance: Random) -> msgspec.Struct:
    sys.exit("enough")


def dies(view: bytes, chance: Random) -> msgspec.Struct:
    os._exit(3)


def loops(view: bytes, chance: Random) -> msgspec.Struct:
    _say_who(view)
    while True:
        pass


def holds(view: bytes, chance: Random) -> msgspec.Struct:
    """Loop with the pipe open, so that its other end is told when this process is gone."""
    with open(view, "w") as pipe:
        print(os.getpid(), file=pipe, flush=True)
        while True:
            pass


def blocks(view: bytes, chance: Random) -> msgspec.Struct:
    """Wait for what never comes, and let no signal but the last one end it."""
    _say_who(view)
    signal.pause()
    raise AssertionError("a signal came through")


def chatters(view: bytes, chance: Random) -> msgspec.Struct:
    """Print, and read what is to be read."""
    print("to everybody")
    sys.stdout.flush()
    os.write(1, b"\0\0\0\1x")
    print("for the log", file=sys.stderr)
    assert sys.stdin.read() == ""
    return Add(1)


def floods(view: bytes, chance: Random) -> msgspec.Struct:
    """Fill the log."""
    while True:
        os.write(2, b"x" * 1000 + b"\n")


def garbles(view: bytes, chance: Random) -> msgspec.Struct:
    """Write what is no choice where choices are written."""
    return _spoken(b"\0\0\0\1\xc1")


def doubles(view: bytes, chance: Random) -> msgspec.Struct:
    """Write a choice of its own there, so that the worker's comes as a second answer."""
    return _spoken(encode_frame(BotReply(())))


def deafens(view: bytes, chance: Random) -> msgspec.Struct:
    """Close the pipe of the choices, and go on. That of the questions is being read, which would end the process."""
    for fd in range(3, 10):
        with suppress(OSError):
            if fcntl(fd, F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                os.close(fd)
    signal.pause()
    raise AssertionError("a signal came through")


def tells(view: bytes, chance: Random) -> msgspec.Struct:
    """What this process is made of."""
    return About(
        os.getpid(),
        os.nice(0),
        os.getpgrp() == os.getpid(),
        sorted(os.environ),
        sorted(sys.modules),
        [kind for fd in range(256) if (kind := _kind_of(fd))],
    )


class About(msgspec.Struct):
    pid: int
    nice: int
    leads: bool
    environ: list[str]
    modules: list[str]
    descriptors: list[str]


class Wild(Bot):
    """A bot that chooses with a function, and is called like it."""

    game = "wild"

    def __init__(self, choose: Callable[[bytes, Random], msgspec.Struct | None]) -> None:
        self._choose = choose

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct | None:
        return self._choose(view, chance)


def _say_who(view: bytes) -> None:
    if view:
        with open(view, "w") as pipe:
            pipe.write(str(os.getpid()))


def _spoken(data: bytes) -> msgspec.Struct:
    """Write `data` to every pipe that takes it."""
    for fd in range(3, 10):
        with suppress(OSError):
            os.write(fd, data)
    return Add(1)


def _kind_of(fd: int) -> str:
    """What is open under that number, if anything."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return ""
    return {stat.S_IFIFO: "pipe", stat.S_IFCHR: "device", stat.S_IFSOCK: "socket"}.get(
        stat.S_IFMT(mode), "file"
    )


CHOICES = (adds, dices, waits, raises, quits, dies, loops, holds, blocks, chatters, floods)
BOTS = {(Wild.game, choose.__name__): Wild(choose) for choose in (*CHOICES, garbles, doubles, deafens, tells)}
