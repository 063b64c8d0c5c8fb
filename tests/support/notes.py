"""What people see of their tables, noted, so that it can be held against what they see after a fault."""

import re
from collections.abc import Iterable, Mapping

import msgspec

from tests.support.seen_table import Player, SeenTable
from tests.support.terminals import Terminal

RESTORED = b"\x1b[?1049l"
"""What a program does to a terminal that it leaves: what follows is no table any more."""
_BOARD = (slice(2, 13), slice(0, 57))
_WORD = re.compile(r"word (\d+)\b")


class Note(msgspec.Struct, frozen=True):
    """What one window showed of a table. `taken` are the halves of cells with a stone, as (row, column)."""

    code: str
    over: bool
    on_turn: str
    turn_is_open: bool
    taken: frozenset[tuple[int, int]]
    weight: int
    hand: tuple[str, ...]
    picked: bool
    totals: tuple[int, ...]
    word: int

    def is_at(self, other: "Note") -> bool:
        """Whether no move lies between the two."""
        return (self.weight, self.on_turn, self.turn_is_open, self.over, self.totals) == (
            other.weight,
            other.on_turn,
            other.turn_is_open,
            other.over,
            other.totals,
        )


def note(window: Terminal) -> Note:
    """What `window` shows now."""
    seen = SeenTable(window)
    return Note(
        code=seen.code,
        over=seen.over,
        on_turn=seen.on_turn(),
        turn_is_open=seen.turn_is_open,
        taken=seen.taken,
        weight=weight_of(seen),
        hand=seen.hand,
        picked=seen.picked,
        totals=tuple(player.total for player in seen.players()),
        word=max((int(word) for row in seen.rows[13:22] for word in _WORD.findall(row)), default=0),
    )


def losses(before: Mapping[str, Note], after: Mapping[str, Note]) -> dict[str, str]:
    """What the people of one table saw `before` and don't find again `after`, as a sentence for each who lost."""
    found = {name: _lost(seen, after[name], name) for name, seen in before.items()}
    # Who comes first reads what was said last; for the others news of who came may stand there by then. Below the
    # accounts of a finished game there is one line for both.
    read, there = (max(seen.word for seen in notes.values()) for notes in (before, after))
    is_hidden = any(seen.over for seen in after.values())
    found["all"] = (
        f"word {read} was read, and the last one is {there}" if there < read and not is_hidden else ""
    )
    return {name: why for name, why in found.items() if why}


def _lost(before: Note, after: Note, name: str) -> str:
    """What `name` saw `before` and doesn't find again `after`, as a sentence; "" where nothing is lost.

    More than was seen may have happened: a key may have been served whose answer never arrived.
    """
    if before.code != after.code:
        return f"another table: {before.code}, then {after.code}"
    if before.is_at(after):
        return "" if before.hand == after.hand else f"the hand was {before.hand} and is {after.hand}"
    if after.over:
        # Accounts stand where the board was, and all hands lie open in another place.
        return ""
    if missing := before.taken - after.taken:
        return f"stones that lay are gone: {sorted(missing)}"
    if after.weight < before.weight or before.over:
        return f"the game went back, from {before} to {after}"
    if name not in {before.on_turn, after.on_turn} and before.hand != after.hand:
        return f"the hand was {before.hand} and is {after.hand}, though others were on turn"
    return ""


def seconds_of(window: Terminal, name: str) -> int:
    """The seconds that the clock of `name`, which runs, has left in `window`."""
    minutes, seconds = _player(window, name).clock.split(":")
    return 60 * int(minutes) + int(seconds)


def tag_of(window: Terminal, name: str) -> str:
    """What `window` says of who `name` is."""
    return _player(window, name).tag


def _player(window: Terminal, name: str) -> Player:
    nobody = Player(name, 0, 0, 0, "", on_turn=False)
    return next((player for player in SeenTable(window).players() if player.name == name), nobody)


class Watch:
    """Everybody at some tables, looked at whenever something came, until they are sent home.

    `last` is what each saw last of the table; `read` are the names of those who saw the `sentence`.
    """

    def __init__(self, tables: Iterable[Mapping[str, Terminal]], sentence: str = "") -> None:
        """Nothing is seen yet."""
        self.windows = {name: window for windows in tables for name, window in windows.items()}
        self.last: dict[str, Note] = {}
        self.read: set[str] = set()
        self._sentence = sentence
        self._lengths: dict[str, int] = {}

    def all_gone(self) -> bool:
        """Look; whether all their programs have ended."""
        for name, window in self.windows.items():
            if self._lengths.get(name) != len(window.raw):
                self._lengths[name] = len(window.raw)
                self._look(name, window)
        return all(window.ended for window in self.windows.values())

    def _look(self, name: str, window: Terminal) -> None:
        if self._sentence in window.screen():
            self.read.add(name)
        if RESTORED not in window.raw and SeenTable(window).is_whole():
            self.last[name] = note(window)


def weight_of(seen: SeenTable) -> int:
    """A number that rises with every stone laid, also with one that takes a joker's place."""
    return seen.weight
