"""Textual drivers: for a terminal behind a channel, and for the process's own terminal."""

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TextIO

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message
from textual.messages import InBandWindowResize

from cartino_protocol.terminal import clamp_size
from cartino_tui.terminal.input_queue import InputQueue, ResizeQueue
from cartino_tui.terminal.ports import Terminal
from cartino_tui.terminal.probe import ResponseTime
from cartino_tui.terminal.scheduling import INPUT_RATE
from cartino_tui.terminal.textual_internals import PaintingApp, leave_streams
from cartino_tui.terminal.window import TerminalWindow

SCREEN_ON: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1004h\x1b[?2004h"
SCREEN_OFF: Final = "\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"
# Motion only while a button is down (1002): reports of every motion flood a shell when the link drops.
MOUSE_ON: Final = "\x1b[?1000h\x1b[?1002h\x1b[?1006h"
MOUSE_OFF: Final = "\x1b[?1006l\x1b[?1002l\x1b[?1000l"

# Answers to questions that this driver doesn't ask: taken unasked, anybody's typing could resize the app.
UNASKED: Final = (events.Resize, InBandWindowResize)


class ChannelDriver(Driver):
    """A driver that writes to a `Terminal`, and touches neither this machine's terminal, signals nor disk.

    Synchronized output is left alone: the question for it leaves a letter on some terminals.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        terminal: Terminal,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
        key_rate: float = INPUT_RATE,
        source: str = "",
    ) -> None:
        """A driver of `app` on `terminal`, silent until Textual starts it.

        `key_rate`: keys a second that it takes; `source`: the network where it is, as of a `Turn`.
        """
        super().__init__(app, debug=False, mouse=mouse, size=size)
        self._owner = app
        self._terminal: Terminal | None = terminal
        self._has_mouse = mouse
        self.window = TerminalWindow(terminal.facts.term, self.write)
        self.answer_time = ResponseTime(self.write)
        self._unsent: list[str] = []
        self._is_on = False
        self._held: AbstractContextManager[None] | None = None
        self._soon: Callable[..., Any] = asyncio.get_running_loop().call_soon
        self._inflow = InputQueue(
            self._take, terminal.pause_reading, terminal.resume_reading, key_rate, source
        )
        self._source = source
        self._layouts: ResizeQueue | None = None
        """None until the terminal has another size for the first time: most never have."""

    # -- output

    def write(self, data: str) -> None:
        """Send text; all that is written in one turn of the loop goes out as one piece."""
        if not self._unsent:
            self._soon(self._send)
        self._unsent.append(data)

    def _send(self) -> None:
        data = "".join(self._unsent)
        self._unsent.clear()
        if data and self._terminal is not None:
            self._terminal.write(data.encode("utf-8", "replace"))

    @property
    def holds(self) -> bool:
        """Whether nothing may be drawn now: the channel is full, or the terminal is not in its modes."""
        return self._held is not None or not self._is_on

    def stall(self) -> None:
        """Draw nothing until `drained`."""
        if self._held is None:
            self._held = self._owner.batch_update()
            self._held.__enter__()

    def drained(self) -> None:
        """Draw again: the whole screen as it is now, none of what came between."""
        if self._held is not None:
            self._let_go()
            self._owner.call_later(self._owner.refresh, layout=True)

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.__exit__(None, None, None)

    # -- input

    def worked(self, seconds: float) -> None:
        """The app's own tasks have worked so long, by the clock of the turns: charge it to what they did it for."""
        turns = [self._inflow.turn] if self._layouts is None else [self._inflow.turn, self._layouts.turn]
        max(turns, key=lambda turn: turn.deferred_until).charge_deferred(seconds)

    def feed(self, data: bytes) -> None:
        """Take bytes that the person typed."""
        self._inflow.feed(self.answer_time.without(data))

    def resize(self, width: int, height: int) -> None:
        """The terminal was resized, and has this size now: the one that it had before too, if it was back at once."""
        cells = Size(*clamp_size(width, height))
        if self._layouts is None:
            self._layouts = ResizeQueue(self._source)
        self._layouts.put(partial(self._owner.post_message, events.Resize(cells, cells)))

    def process_message(self, message: Message) -> None:
        """Pass on what the terminal sent, but for answers to what was never asked."""
        self._take(message)

    def _take(self, message: Message) -> bool:
        """Pass it on; whether all that it leads to is done already."""
        owner = self._owner
        if isinstance(message, events.Key) and isinstance(owner, PaintingApp) and owner.take_key(message):
            return owner.is_still
        if isinstance(message, UNASKED):
            return True
        super().process_message(message)
        return False

    def send_message(self, message: Message) -> None:
        """Hand a message to the app; there is but one thread."""
        self._owner.post_message(message)

    # -- beginning and end

    def start_application_mode(self) -> None:
        """Turn the terminal's modes on."""
        leave_streams(self._owner)
        self._is_on = True
        self.write(SCREEN_ON + (MOUSE_ON if self._has_mouse else ""))

    def disable_input(self) -> None:
        """Take no more input."""
        self._inflow.close()
        if self._layouts is not None:
            self._layouts.close()

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was. May be called again."""
        self.disable_input()
        if self._is_on:
            self._is_on = False
            self.window.set_title("")
            self.write((MOUSE_OFF if self._has_mouse else "") + SCREEN_OFF)
        self._send()
        self._let_go()  # while there is an app: what is held would miss it later

    def close(self) -> None:
        """Let go of the terminal."""
        self.stop_application_mode()
        self._terminal = None

    def hang_up(self) -> None:
        """The terminal is gone: what is still written is dropped."""
        self._terminal = None
        self.disable_input()

    # -- what would act on this machine

    @property
    def can_suspend(self) -> bool:
        """Never: it would stop everybody's process."""
        return False

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Show the address; a browser would open beside the server."""
        self._owner.notify(url, title="Open this address yourself", markup=False)

    def deliver_binary(
        self,
        binary: BinaryIO | TextIO,
        *,
        delivery_key: str,
        save_path: Path,
        open_method: Literal["browser", "download"] = "download",
        encoding: str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
    ) -> None:
        """Refuse: a file would be saved beside the server."""
        binary.close()
        refusal = PermissionError("a file can't be saved through this terminal")
        self._owner.post_message(events.DeliveryFailed(key=delivery_key, exception=refusal, name=name))


RESET_STYLE: Final = "\x1b[m"


class LocalDriver(LinuxDriver):
    """A driver that leaves the terminal writing as it did before: the painter lays its pen down where it was used."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        """A driver of `app` on this process's terminal."""
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.window = TerminalWindow(os.environ.get("TERM", ""), self.write)
        self._title = ""
        """The title that the window had when the process was stopped."""

    def start_application_mode(self) -> None:
        """Take the terminal, for the first time or again."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.window.set_title(self._title)

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was, for good or while the process is stopped."""
        self._title = self.window.title
        self.window.set_title("")
        self.write(RESET_STYLE)
        super().stop_application_mode()
