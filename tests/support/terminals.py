"""Programs in pseudo-terminals, each with an emulator that shows what a person would see.

All terminals of a group are read together, whichever of them a test waits for: a window that nobody looks at
is still a window that somebody reads.
"""

import os
import re
import select
import signal
import time
import warnings
from collections.abc import Callable, Mapping, Sequence

import pexpect
import pyte
import pytest

TIME_LIMIT = 30.0
"""Seconds until what must happen is given up; only a failing test waits so long."""
UNKNOWN = b"\x1b[<u"
"""The end of a keyboard protocol, of which pyte would show the last letter."""
BEGUN = re.compile(rb"(\x1b(\[<?)?)?\Z")
"""What that may begin with, at the end of what was read."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "ctrl+c": "\x03",
    "ctrl+l": "\x0c",
}
WAYS_OUT = {"q leave": {"y yes", "q quit"}, "y yes": {"q quit"}, "q quit": {"y yes"}}
"""How the hint line names the key that leads out of where one is, and what it may name after that key."""
_WAY_OUT = re.compile(rf"(?<!\w)(?:{'|'.join(WAYS_OUT)})(?!\w)")
_HINTED = re.compile(rb"leave|quit")
"""What the hint line of every screen has, whole in one piece where the screen is painted anew."""
_ALTERNATE = 1049 << 5
"""The alternate screen as pyte keeps private modes."""


class StrictScreen(pyte.Screen):
    """A screen that notes what no program that owns the screen may do: write past a line's end, or scroll.

    Asked where its cursor is, it says so to `answer`.
    """

    def __init__(self, columns: int, lines: int, answer: Callable[[str], None]) -> None:
        self.faults: list[str] = []
        self._answer = answer
        super().__init__(columns, lines)

    def write_process_input(self, data: str) -> None:
        self._answer(data)

    def draw(self, data: str) -> None:
        if self.cursor.x + 2 * len(data) <= self.columns:
            super().draw(data)  # however wide its letters are
            return
        for letter in data:
            if self.cursor.x >= self.columns and _ALTERNATE in self.mode:
                self.faults.append(f"{letter!r} past the end of line {self.cursor.y}")
            super().draw(letter)

    def index(self) -> None:
        if self.cursor.y >= self.lines - 1 and _ALTERNATE in self.mode:
            self.faults.append(f"scrolled away {self.display[0]!r}")
        super().index()


def _as_in_a_shell() -> None:
    """A program in a window hears signals, also where the tests themselves run behind something that ignores them."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """One program in one window. `raw` is every byte it has written."""

    def __init__(
        self, group: "Terminals", words: Sequence[str], env: Mapping[str, str], size: tuple[int, int]
    ):
        width, height = size
        self._group = group
        self._screen = StrictScreen(width, height, self.type)
        self._stream = pyte.ByteStream(self._screen)
        self._rows: list[str] | None = None
        """The window's lines, which take long to put together, until something changes."""
        self._rest = b""
        self.raw = b""
        self.ended = False
        with warnings.catch_warnings():
            # Newer Pythons warn of a fork beside threads, which the child leaves behind by its exec at once.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child = pexpect.spawn(
                words[0],
                list(words[1:]),
                env=dict(env),
                dimensions=(height, width),
                preexec_fn=_as_in_a_shell,
            )
        self._child.delaybeforesend = None

    # -- what a person does

    def type(self, text: str) -> None:
        """Send `text` in one write."""
        os.write(self._child.child_fd, text.encode())

    def press(self, *keys: str) -> None:
        """Send keys by name, or by the letter on them, in one write."""
        self.type("".join(KEYS.get(key, key) for key in keys))

    def resize(self, width: int, height: int) -> None:
        """Drag the window to another size."""
        self._screen.resize(height, width)
        self._rows = None
        self._child.setwinsize(height, width)

    def drop(self) -> None:
        """Kill the program, so that it can say no goodbye."""
        self.tell(signal.SIGKILL)
        self.exit_status()

    def tell(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        os.kill(self._child.pid, number)

    # -- what a person sees

    def screen(self) -> str:
        """The window's text."""
        return "\n".join(self.rows())

    def rows(self) -> list[str]:
        """The window's lines, each as wide as the window."""
        if self._rows is None:
            self._rows = list(self._screen.display)
        return [*self._rows]

    def is_block(self, x: int, y: int, colour: str = "") -> bool:
        """Whether the cell (x, y) is filled by reverse video, with `colour` (RRGGBB) if that is given."""
        cell = self._screen.buffer[y][x]
        return cell.reverse and colour in {"", cell.fg}

    def is_on(self, ground: str) -> bool:
        """Whether the first cell of the first row has that ground (RRGGBB)."""
        return str(self._screen.buffer[0][0].bg) == ground

    @property
    def faults(self) -> list[str]:
        """What was written past an end of the window."""
        return self._screen.faults

    def sees(self, pattern: str) -> re.Match[str]:
        """Wait until `pattern`, a regular expression, is somewhere in the window."""
        self.until(lambda: re.search(pattern, self.screen()), f"sees {pattern!r}")
        found = re.search(pattern, self.screen())
        assert found is not None
        return found

    def loses(self, pattern: str) -> None:
        """Wait until `pattern` is nowhere in the window."""
        self.until(lambda: not re.search(pattern, self.screen()), f"no longer sees {pattern!r}")

    def writes(self, text: str) -> None:
        """Wait until the program has written `text`, in one piece, whether it is to be seen or not."""
        self.until(lambda: text.encode() in self.raw, f"writes {text!r}")

    def writes_after(self, at: int, text: str) -> None:
        """Wait until the program has written `text` behind the first `at` bytes."""
        self.until(lambda: text.encode() in self.raw[at:], f"writes {text!r}")

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait until `condition`; a program that ends before that has failed."""
        all_until([self], lambda _: condition(), what)

    def paint_anew(self) -> None:
        """Have the whole window painted again, and wait for the end of that.

        What stood there before is no answer then: neither what was typed last nor a half picture hides anything.
        """
        before = len(self.raw)
        self.press("ctrl+l")
        self.until(lambda: _HINTED.search(self.raw, before), "all is painted anew")

    def stops(self) -> None:
        """Wait until the program stands still by a signal, and read all that it wrote before."""
        self._group.until(self._has_stopped, "the program stands still", self)
        self._group.until(lambda: True, "what it wrote")

    def _has_stopped(self) -> bool:
        pid, how = os.waitpid(self._child.pid, os.WNOHANG | os.WUNTRACED)
        return pid != 0 and os.WIFSTOPPED(how)

    def exit_status(self) -> int:
        """Wait for the program's end; its exit status, or minus the signal that ended it."""
        self._group.until(lambda: self.ended, "the program ends", self)
        if not self._child.terminated:
            self._child.wait()
        self._child.close()
        status: int | None = self._child.exitstatus
        return -self._child.signalstatus if status is None else status

    def quit(self) -> int:
        """Leave by the keys that the hint line names, from wherever this is; the program's exit status.

        The line may still be that of the screen before: what each key leads to decides, not what was expected.
        """
        self.until(lambda: self.way_out, "a hint line that names the way out")
        while not self.ended:
            self._leave_by(self.way_out)
        return self.exit_status()

    def _leave_by(self, way: str) -> None:
        self.press(way[0])
        self._group.until(lambda: self.ended or self.way_out in WAYS_OUT[way], f"what {way!r} leads to", self)

    @property
    def way_out(self) -> str:
        """What the hint line names as the way out; "" while it names none, or is half of one line, half of another."""
        named = _WAY_OUT.findall(self.rows()[-1])
        return str(named[0]) if len(named) == 1 else ""

    def close_window(self) -> int:
        """Close the window, and wait for the program's end; as `exit_status`."""
        self._group.forget(self)
        self.ended = True
        self._child.ptyproc.fileobj.close()
        self._group.until(lambda: not self._child.isalive(), "the program ends with its window")
        status: int | None = self._child.exitstatus
        return -self._child.signalstatus if status is None else status

    # -- for the group

    def fileno(self) -> int:
        """The window's side of the pseudo-terminal."""
        return int(self._child.child_fd)

    def read(self) -> None:
        """Take what is there to read."""
        try:
            data = os.read(self._child.child_fd, 65536)
        except OSError:
            data = b""
        self.ended = not data
        self.raw += data
        data = self._rest + data
        self._rest = BEGUN.search(data)[0] if data else b""  # type: ignore[index]
        self._stream.feed(data.removesuffix(self._rest).replace(UNKNOWN, b""))
        self._rows = None

    def close(self) -> None:
        """End the program, if it still runs, and the window, which leaves the group."""
        if not self._child.terminated:
            if not self.ended:
                # A loop around ssh leaves its ssh with the terminal otherwise.
                os.killpg(self._child.pid, signal.SIGKILL)
            self.exit_status()
        self._group.forget(self)


class Terminals:
    """The windows of one test."""

    def __init__(self) -> None:
        self._open: list[Terminal] = []

    def open(
        self,
        *words: str,
        size: tuple[int, int] = (80, 24),
        term: str = "xterm-256color",
        env: Mapping[str, str] | None = None,
    ) -> Terminal:
        """Start a program in a window of its own; `env` over this process's, without what tells of our terminal."""
        plain = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLORTERM"}}
        terminal = Terminal(self, words, {**plain, "TERM": term, **(env or {})}, size)
        self._open.append(terminal)
        return terminal

    def until(self, condition: Callable[[], object], what: str, *shown: Terminal) -> None:
        """Read all windows until `condition`; fail with `what` and the windows `shown` when it never comes."""
        deadline = time.monotonic() + TIME_LIMIT
        self._read(0)
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail("\n".join([f"waited in vain: {what}", *map(_looks, shown)]))
            self._read(0.05)

    def close(self) -> None:
        """End all that still runs."""
        for terminal in tuple(self._open):
            terminal.close()

    def forget(self, terminal: Terminal) -> None:
        """Read it no more."""
        if terminal in self._open:
            self._open.remove(terminal)

    def _read(self, seconds: float) -> None:
        """Wait so long for something to read, then read until nothing is left."""
        while True:
            alive = [terminal for terminal in self._open if not terminal.ended]
            ready, _, _ = select.select(alive, [], [], seconds)
            if not ready:
                return
            for terminal in ready:
                terminal.read()
            seconds = 0


def all_until(windows: Sequence[Terminal], condition: Callable[[Terminal], object], what: str) -> None:
    """Wait until `condition` holds for all of the `windows` in one look; a program that ends before that has failed.

    To wait for one after the other is to have looked at the first of them some time ago.
    """
    group = windows[0]._group

    def hold() -> bool:
        return all(map(condition, windows))

    group.until(lambda: hold() or any(window.ended for window in windows), what, *windows)
    if not hold():
        ended = "\n".join(_looks(window) for window in windows if window.ended)
        pytest.fail(f"the program ended before this: {what}\n{ended}")


def _looks(window: Terminal) -> str:
    """A window for whoever reads why a test has failed."""
    return f"{window.screen()}\nlast bytes: {window.raw[-400:]!r}"
