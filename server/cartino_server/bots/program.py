"""Run a program as a bot offline: the JSON lines of `ssh HOST bot` on its standard input and output."""

import os
import select
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Final, Self

import msgspec

from cartino_protocol.base import Seat
from cartino_protocol.records import EndLine
from cartino_protocol.text import LazyMessage, LazyMessageError, lazy_gettext, legible
from cartino_protocol.views import GameInfo, ResultView, SeatView, TableView
from cartino_protocol.wire import MAX_COMMAND_BYTES
from cartino_server.bots import messages
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.plain.shell import read_view

MOVE_SECONDS: Final = 10.0
"""How long a program may think about a move."""
_EXIT_SECONDS: Final = 1.0
_TABLE: Final = "HOME"
"""The table's code; one game is played at a time."""
_MAX_QUOTED: Final = 60


class ProgramError(LazyMessageError):
    """A program can't go on as a bot; the sentence says why."""


class ProgramBot:
    """A program at one seat. Use it as a context manager, which ends the program."""

    def __init__(
        self, command: str, game: GameInfo, options: dict[str, str], speech: AnySpeech, seat: Seat
    ) -> None:
        """Start `command`, split as a shell does, for games of `game` with all `options`. Raises ProgramError."""
        self._speech = speech
        try:
            words = shlex.split(command)
            self.name = Path(words[0]).name
            self._process = subprocess.Popen(
                words, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise ProgramError(
                lazy_gettext("{program} can't be started: {why}.", program=command, why=why)
            ) from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        # A program that never reads must not stop us.
        os.set_blocking(self._input, False)
        self._unsent = bytearray(messages.hello(self.name, [game]))
        self._read = bytearray()
        self._table = TableView(
            _TABLE, game.name, options, "playing", 0, (), None, seat, 0, "", turn=(seat,), clock="30s"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_SECONDS if error is None else 0)
        # It may have started others.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()

    def begin(self, names: tuple[str, ...]) -> None:
        """Tell that a game of the bots with these names begins."""
        seats = tuple(SeatView(name, "bot") for name in names)
        self._table = msgspec.structs.replace(self._table, seats=seats)
        self._unsent += messages.game_event(self._table)

    def end(self, line: EndLine) -> None:
        """Tell how the game ended."""
        result = ResultView(line.totals, line.winners, line.reason)
        self._unsent += messages.end_event(msgspec.structs.replace(self._table, result=result))

    def plan(self, view: bytes, chance: Random) -> tuple[msgspec.Struct, ...]:
        """Return the move that the program makes in the game view `view`. Raises ProgramError."""
        # Numbers go on through all games, so that an answer that comes late answers none of the next.
        number = self._table.number + 1
        table = self._table = msgspec.structs.replace(self._table, number=number, game_view=msgspec.Raw(view))
        self._unsent += messages.state_event(table, self._speech)
        deadline = time.monotonic() + MOVE_SECONDS
        while True:
            line = self._next_line(deadline)
            said = messages.read_message(line)
            if isinstance(said, messages.Move):
                move = self._speech.move(said.move, read_view(table, self._speech))
                if (said.table, said.number) != (_TABLE, number) or move is None:
                    raise self._wrong(line)
                return (move,)
            if said is None:
                raise self._wrong(line)
            # What else it may say, as `play`, has no meaning here.

    def _next_line(self, deadline: float) -> bytes:
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > MAX_COMMAND_BYTES:
                raise self._wrong(bytes(self._read))
            left = deadline - time.monotonic()
            if left <= 0:
                raise ProgramError(
                    lazy_gettext(
                        "{program} made no move within {n} seconds and was stopped.",
                        program=self.name,
                        n=round(MOVE_SECONDS),
                    )
                )
            self._transfer(left)
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line

    def _transfer(self, seconds: float) -> None:
        """Write and read what is possible within `seconds`."""
        wants = [self._input] if self._unsent else []
        readable, writable, _ = select.select([self._output], wants, [], seconds)
        try:
            if writable:
                del self._unsent[: os.write(self._input, self._unsent)]
            if readable:
                data = os.read(self._output, 1 << 16)
                if not data:
                    raise BrokenPipeError
                self._read += data
        except BrokenPipeError:
            raise ProgramError(
                lazy_gettext("{program} ended before its game was over.", program=self.name)
            ) from None

    def _wrong(self, line: bytes) -> ProgramError:
        said = legible(line[:_MAX_QUOTED].decode(errors="replace"), "?")
        sentence: LazyMessage = lazy_gettext(
            "{program} was stopped: this is no move for the state that it was sent: {line}",
            program=self.name,
            line=said,
        )
        return ProgramError(sentence)
