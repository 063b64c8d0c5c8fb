"""Textual drivers: for a terminal behind a channel, and for the process's own terminal."""

import asyncio
import os
import termios
import tty
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, BinaryIO, Final, TextIO

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message
from textual.messages import InBandWindowResize

from cartino_protocol.terminal import Terminal, clamp_size
from cartino_tui.terminal.input_queue import InputQueue, ResizeQueue
from cartino_tui.terminal.probe import ResponseTime
from cartino_tui.terminal.scheduling import INPUT_RATE
from cartino_tui.terminal.textual_internals import PaintingApp, adapt_driver, leave_streams
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

    It doesn't ask for synchronized output: the query leaves a letter on some terminals.
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
        """Create a driver, silent until Textual starts it.

        `key_rate`: keys a second; `source`: the client's network, as for `InputSlot`.
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
        """Created with the first resize: most terminals never resize."""

    # -- output

    def write(self, data: str) -> None:
        """Send text; what is written in one turn of the event loop goes out in one piece."""
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
        """Draw again: the current screen only, nothing that was skipped."""
        if self._held is not None:
            self._let_go()
            self._owner.call_later(self._owner.refresh, layout=True)

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.__exit__(None, None, None)

    # -- input

    def worked(self, seconds: float) -> None:
        """Charge `seconds` of thread time that the app's own tasks took to the input that caused them."""
        turns = [self._inflow.turn] if self._layouts is None else [self._inflow.turn, self._layouts.turn]
        max(turns, key=lambda turn: turn.deferred_until).charge_deferred(seconds)

    def feed(self, data: bytes) -> None:
        """Take typed bytes."""
        self._inflow.feed(self.answer_time.remove_answer(data))

    def resize(self, width: int, height: int) -> None:
        """Handle a resize; back at the previous size counts, too."""
        cells = Size(*clamp_size(width, height))
        if self._layouts is None:
            self._layouts = ResizeQueue(self._source)
        self._layouts.put(partial(self._owner.post_message, events.Resize(cells, cells)))

    def process_message(self, message: Message) -> None:
        """Pass on what the terminal sent, except answers to queries that were never sent."""
        self._take(message)

    def _take(self, message: Message) -> bool:
        """Pass the message on; return whether everything that it causes is done already."""
        owner = self._owner
        if isinstance(message, events.Key) and isinstance(owner, PaintingApp) and owner.take_key(message):
            return owner.is_still
        if isinstance(message, UNASKED):
            return True
        super().process_message(message)
        return False

    def send_message(self, message: Message) -> None:
        """Post a message to the app; there is only one thread."""
        self._owner.post_message(message)

    # -- start and end

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
        """Restore the terminal. May be called again."""
        self.disable_input()
        if self._is_on:
            self._is_on = False
            self.window.set_title("")
            self.write((MOUSE_OFF if self._has_mouse else "") + SCREEN_OFF)
        self._send()
        self._let_go()  # while there is an app: what is held would miss it later

    def close(self) -> None:
        """Release the terminal."""
        self.stop_application_mode()
        self._terminal = None

    def hang_up(self) -> None:
        """Drop further output: the terminal is gone."""
        self._terminal = None
        self.disable_input()

    # -- what would act on this machine

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Do nothing: a browser would open beside the server."""

    def deliver_binary(self, binary: BinaryIO | TextIO, *, delivery_key: str, **options: Any) -> None:
        """Refuse: a file would be saved beside the server."""
        binary.close()
        refusal = PermissionError("a file can't be saved through this terminal")
        self._owner.post_message(events.DeliveryFailed(key=delivery_key, exception=refusal))


RESET_STYLE: Final = "\x1b[m"


class LocalDriver(LinuxDriver):
    """A driver that resets the text style before Textual leaves the terminal, and to which a line feed is only that."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        adapt_driver(self)
        self.window = TerminalWindow(os.environ.get("TERM", ""), self.write)
        self._title = ""
        """The window's title when the process was stopped."""

    def start_application_mode(self) -> None:
        """Take the terminal, for the first time or again."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._keep_line_feeds()
        self.window.set_title(self._title)

    def stop_application_mode(self) -> None:
        """Restore the terminal, permanently or while the process is stopped."""
        self._title = self.window.title
        self.window.set_title("")
        self.write(RESET_STYLE)
        super().stop_application_mode()

    def _keep_line_feeds(self) -> None:
        """Let no carriage return be added to them. Textual restores the terminal as it was."""
        with suppress(termios.error):  # as in Textual: not a terminal, or in the background
            attributes = termios.tcgetattr(self.fileno)
            attributes[tty.OFLAG] &= ~termios.OPOST
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)
