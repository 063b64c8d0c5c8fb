"""People who play at many tables at once, as fast as answers come, and who remember what they have seen.

Everything is told from the windows: what stands on a screen was acknowledged, so a server that comes back after a
fault has to have all of it.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from random import Random

import msgspec

from tests.support.notes import Note, Watch, note, weight_of
from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import Server, SshServer
from tests.support.terminals import Terminal, Terminals

WORD_EVERY = 7
"""After one of so many presses somebody says a word."""
LAY = "1\r"
"""Half a turn."""


class Press(msgspec.Struct, frozen=True):
    """Keys that somebody pressed on their turn: who, at which weight of the board, whether they lay or end the turn."""

    name: str
    weight: int
    lays: bool
    ends: bool


class Table:
    """A table of people in windows, by name. `presses` counts what they pressed: a turn, or half of one."""

    def __init__(self, code: str, windows: dict[str, Terminal]) -> None:
        """The windows show the table."""
        self.code = code
        self.windows = windows
        self.presses = 0
        self.word = 0
        self._last: Press | None = None
        self._read = 0
        self._put_back = ("", 0)
        self._declined = ("", 0)

    @property
    def over(self) -> bool:
        """Whether everybody sees the end."""
        return all(SeenTable(window).over for window in self.windows.values())

    @property
    def begins_turn(self) -> bool:
        """Whether everybody sees the same turn of a person at its beginning."""
        first, *others = self.notes().values()
        same = all(other.is_at(first) for other in others)
        return same and not first.turn_is_open and self._ready(first.on_turn) is not None

    def step(self, chance: Random | None = None) -> None:
        """Go on with the game, if the last press has had its answer; by `chance`, say a word too."""
        read = sum(len(window.raw) for window in self.windows.values())
        if read == self._read:
            return
        self._read = read
        for asked, window in self.windows.items():
            if SeenTable(window).asks_to_leave:
                self._decline(asked, window)
                return
        name = SeenTable(next(iter(self.windows.values()))).on_turn()
        seen = self._ready(name)
        if seen is None:
            return
        if seen.picked:
            # What was up before a fault goes back first: it hides what it would touch, stones and jokers alike.
            # A picture read in two pieces may show a hand that is older than its board, and so may this be: then
            # Backspace asks whether to leave, which is declined. (Esc would make one key with what follows.)
            window = self.windows[name]
            if self._put_back != (name, len(window.raw)):
                self._put_back = (name, len(window.raw))
                window.press("backspace")
            return
        # Every third turn is played in two bites, so that a fault finds some that are half made.
        ends = seen.turn_is_open or self.presses % 3 > 0
        keys = "e" if seen.turn_is_open else BURST if ends else LAY
        self._last = Press(name, weight_of(seen), not seen.turn_is_open, ends)
        self.presses += 1
        self.windows[name].type(keys)
        if chance is not None and chance.randrange(WORD_EVERY) == 0:
            self._say([other for other in self.windows if other != name])

    def try_again(self) -> None:
        """What has had no answer, or a refusal, may be pressed once more."""
        self._last = None
        self._read = 0
        self._put_back = ("", 0)

    def sits(self, name: str, window: Terminal) -> None:
        """`name` sits in another window, and a key that has had no answer will have none."""
        self.windows[name] = window
        self.try_again()

    def notes(self) -> dict[str, Note]:
        """What everybody sees now."""
        return {name: note(window) for name, window in self.windows.items()}

    def _ready(self, name: str) -> SeenTable | None:
        """What `name` sees, who is on turn and has an answer to what was pressed last; else None."""
        seen = SeenTable(self.windows[name]) if name in self.windows else None
        if seen is None or seen.over or seen.on_turn() != name or not seen.is_whole():
            return None
        last = self._last
        if last is None or last.name != name:
            return seen
        goes_on = seen.turn_is_open and not last.ends
        # Where the others pass by themselves, the same person's next turn follows on nothing but an end.
        has_laid = not last.lays or weight_of(seen) > last.weight
        return seen if has_laid and (goes_on or not seen.turn_is_open) else None

    def _decline(self, name: str, window: Terminal) -> None:
        """Stay at the table; the question has swallowed what `name` pressed since it was asked."""
        if self._declined != (name, len(window.raw)):
            self._declined = (name, len(window.raw))
            self._last = None
            window.press("n")

    def _say(self, waiting: Sequence[str]) -> None:
        """One of those who wait for somebody else's turn says a word."""
        if waiting:
            self.word += 1
            self.windows[waiting[self.word % len(waiting)]].type(f"tword {self.word}\r")


def visit(ssh_server: SshServer, name: str, *words: str) -> Terminal:
    """A visit by an ssh that says nothing of its own: the last screen stays as the server drew it."""
    command = (*ssh_server.ssh(name, "-t"), *words)
    return ssh_server.terminals.open("/bin/sh", "-c", 'exec "$@" 2>/dev/null', "ssh", *command)


def through(ssh_server: SshServer, port: int) -> SshServer:
    """The same server, reached by another port of the loopback."""
    other = copy(ssh_server)
    other.port = port
    return other


def sit_down(ssh_server: SshServer, names: Sequence[str], *words: str, bots: int = 0) -> Table:
    """The first of `names` opens a table as `words` say, the others join; at the first turn of one of them."""
    first = visit(ssh_server, names[0], "new", "--seats", str(len(names) + bots), "--bots", str(bots), *words)
    code = first.sees(r"(?:table|1974 ·) ([A-Z0-9]{4})\b")[1]
    windows = {names[0]: first}
    for name in names[1:]:
        windows[name] = visit(ssh_server, name, "join", code)
    turn_comes_to(list(windows.values()), names, -1)
    return Table(code, windows)


def come_back(ssh_server: SshServer, tables: Iterable[Table]) -> list[dict[str, Note]]:
    """Everybody comes again without a word and is at their table; what each saw there first, table by table.

    The first at each table come before the others, so that what was said last is still to be read.
    """
    tables = tuple(tables)
    found: dict[str, dict[str, Note]] = {table.code: {} for table in tables}
    for place in range(max(len(table.windows) for table in tables)):
        comers = [(table, name) for table in tables for name in list(table.windows)[place : place + 1]]
        for table, name in comers:
            left = table.windows[name]
            table.sits(name, visit(ssh_server, name))
            left.close()  # a test that kills often would run out of descriptors
        for table, name in comers:
            found[table.code][name] = note(_at_table(ssh_server, table, name))
    return list(found.values())


def killed(ssh_server: SshServer, server: Server, tables: list[Table]) -> list[dict[str, Note]]:
    """Kill the server; what everybody had seen before they were told so, table by table."""
    watch = Watch([table.windows for table in tables])
    # While points fly over a table nobody can say what stands there.
    ssh_server.terminals.until(
        lambda: watch.all_gone() or len(watch.last) == len(watch.windows),
        "every table",
        *(window for table in tables for window in table.windows.values()),
    )
    server.kill()
    ssh_server.terminals.until(watch.all_gone, "everybody is sent home")
    return [{name: watch.last[name] for name in table.windows if name in watch.last} for table in tables]


def play_on(terminals: Terminals, tables: Sequence[Table], enough: int, chance: Random | None = None) -> None:
    """Everybody plays until they pressed `enough` times more, or all games are over."""
    aim = sum(table.presses for table in tables) + enough

    def done() -> bool:
        for table in tables:
            table.step(chance)
        return sum(table.presses for table in tables) >= aim or all(table.over for table in tables)

    windows = [window for table in tables for window in table.windows.values()]
    terminals.until(done, f"{enough} presses", *windows)


def settle(terminals: Terminals, table: Table) -> dict[str, Note]:
    """Play on to the beginning of a turn that everybody sees; what they see."""

    def settled() -> bool:
        if table.begins_turn:
            return True
        table.step()
        return False

    terminals.until(settled, "the beginning of a turn", next(iter(table.windows.values())))
    return table.notes()


def _at_table(ssh_server: SshServer, table: Table, name: str) -> Terminal:
    """Wait until `name` sees the table; who comes back to a finished game is in the lobby, and joins it again."""
    window = table.windows[name]
    window.until(lambda: _is_there(window) or is_lobby(window), "the table again, or the lobby")
    if not _is_there(window):
        window.close()
        window = visit(ssh_server, name, "join", table.code)
        table.sits(name, window)
        window.until(lambda: _is_there(window), "the table again")
    return window


def is_lobby(window: Terminal) -> bool:
    """Whether the lobby is shown, with its list."""
    rows = window.rows()
    return "Game server" in rows[0] and "Enter" in rows[-1]


def _is_there(window: Terminal) -> bool:
    seen = SeenTable(window)
    return seen.is_whole() and seen.code != ""
