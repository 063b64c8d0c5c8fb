"""This machine's standard input and output as a terminal for plain mode."""

import asyncio
import os
import signal
import sys
import termios
import tty
from collections.abc import Mapping
from typing import Final

from cartino_protocol.terminal import DEFAULT_SIZE, TerminalFacts, clamp_size
from cartino_tui.plain.line_handler import END, PlainHandler

_CHUNK: Final = 4096


class LocalTerminal:
    """Standard input and output as a `Terminal`. Lines come whole, or each key by itself, as the terminal is set."""

    def __init__(self, environ: Mapping[str, str], *, is_terminal: bool) -> None:
        size = os.get_terminal_size() if is_terminal else DEFAULT_SIZE
        self.facts = TerminalFacts(
            environ.get("TERM", ""), *clamp_size(*size), dict(environ), is_terminal=is_terminal
        )
        self._handler: PlainHandler | None = None
        self._reading: asyncio.Task[None] | None = None
        self._may_read = asyncio.Event()
        self._may_read.set()

    async def run(self, handler: PlainHandler) -> int:
        """Run `handler` to its end; return its exit code."""
        self._handler = handler
        with _CharacterMode(self.facts.is_terminal):
            self._reading = asyncio.create_task(self._read(handler))
            try:
                return await handler.run()
            finally:
                self._reading.cancel()

    def write(self, data: bytes) -> None:
        """Write bytes."""
        # A terminal that hangs has nobody in front of it either.
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def pause_reading(self) -> None:
        """Stop reading until `resume_reading`."""
        self._may_read.clear()

    def resume_reading(self) -> None:
        """Read again."""
        self._may_read.set()

    async def _read(self, handler: PlainHandler) -> None:
        """Feed what is typed or piped in, and its end."""
        loop = asyncio.get_running_loop()
        number = sys.stdin.fileno()
        while True:
            await self._may_read.wait()
            data = await _readable(loop, number)
            if not data and self.facts.is_terminal:
                # Only a hangup ends a terminal's input, and `watch_terminal` ends the process then.
                return
            if not data:
                handler.feed(END.encode())
                return
            handler.feed(data)


async def _readable(loop: asyncio.AbstractEventLoop, number: int) -> bytes:
    """Read from the descriptor `number`; b"" at its end."""
    ready: asyncio.Future[None] = loop.create_future()
    try:
        loop.add_reader(number, _set_ready, ready)
    except PermissionError:
        # A file: there is always something to read, or its end.
        return os.read(number, _CHUNK)
    try:
        await ready
    finally:
        loop.remove_reader(number)
    try:
        return os.read(number, _CHUNK)
    except OSError:
        return b""


def _set_ready(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


class _CharacterMode:
    """Has the terminal give every key at once and show none: its reader echoes what is typed.

    Ctrl-C and Ctrl-Z stay signals. After a stop the shell has put the terminal back, so it is set again.
    """

    def __init__(self, is_terminal: bool) -> None:
        self._before = termios.tcgetattr(sys.stdin) if is_terminal else None

    def __enter__(self) -> None:
        if self._before is not None:
            self._set()
            asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._set)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGCONT)
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def _set(self) -> None:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
