"""Draw a game and read its keys: `GameScreen`, the port between the table screen and a game.

A `GameScreen` is pure. The table screen keeps an immutable `pointer` for it (cursor and selection), passes keys and
clicks in, and gets back the next pointer and possibly a move. It knows no rules: the view has the legal moves and their
scores.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.text import clean
from cartino_tui.draw.theme import SEATS, RoleSet, distinct_role_sets
from cartino_tui.game_port.description import GameDescription, View
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.key_table import key_name
from cartino_tui.preferences import DEFAULT_KEYMAP, CardLetters, Keymap

Pointer = TypeVar("Pointer", bound=msgspec.Struct)


class Look(msgspec.Struct, frozen=True):
    """What a drawing has to fit: the size in cells, the characters available, the reader's language.

    `letters`: those of the court cards; `keymap`: the keys to name.
    """

    width: int
    height: int
    ascii: bool = False
    translator: Translator = ENGLISH
    letters: CardLetters = "en"
    keymap: Keymap = DEFAULT_KEYMAP

    def key_name(self, label: str) -> str:
        """Return the name of the keys labelled `label` in the key tables, for the reader to find on the keyboard."""
        return key_name(label, self.translator, ascii=self.ascii)

    def key_shown(self, label: str) -> str:
        """Return the name of what to press for `label` in the reader's keymap."""
        return self.key_name(self.keymap.shown(label))


MIN_LOOK: Final = Look(60, 20)
"""The smallest terminal that a table is drawn for."""
_TITLE_ROWS, _FOOT_ROWS = 1, 2
"""Rows of a screen that a preview leaves out."""
MIN_PREVIEW_ROWS: Final = MIN_LOOK.height - _TITLE_ROWS - _FOOT_ROWS
"""The rows of the smallest preview; its cells are those of `MIN_LOOK`."""


class ClockReading(msgspec.Struct, frozen=True):
    """A clock's reading: `text` ("0:42"), `soon` when little is left, `short` for fewer cells ("23 h")."""

    text: str
    soon: bool = False
    short: str = ""

    @property
    def least(self) -> str:
        """The shortest reading."""
        return self.short or self.text


TITLE_DOT: Final = " · "
"""Between the parts of a table's title."""


class TableChrome(msgspec.Struct, frozen=True):
    """What the frame wants shown around a game's table; the game's layout makes room.

    * `title`: the game's title, then TITLE_DOT and the code, which is never cut; `facts`: spectators and
      response time, at the right of the title
    * `said`: the newest chat lines and notices as (name, text), oldest first, name "" for a notice; `talks`: whether
      other people are here to talk to, so that chat has a place of its own
    * `status`: one sentence for the status line; if "", `lead` stands before the table's own where both fit, and alone
      where the table is to be `quiet`; if the status `asks` something, the table's own stands at the right if both fit
    * `hints`: the frame's keys as (key, what it does), after the game's; `alone`: without the game's
    * `clocks`: the running clock of each seat or None; empty where no clock runs
    """

    title: str
    facts: str = ""
    said: tuple[tuple[str, str], ...] = ()
    status: str = ""
    hints: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    clocks: tuple[ClockReading | None, ...] = ()
    lead: str = ""
    quiet: bool = False
    asks: bool = False
    talks: bool = False


class Reaction(msgspec.Struct, Generic[Pointer], frozen=True):
    """The result of a key or click: the next pointer, a move to send or None, a status sentence.

    `taken`: False leaves the key to the frame.
    """

    pointer: Pointer
    move: msgspec.Struct | None = None
    status: str = ""
    taken: bool = True


def speaker_role(table: TableView | None, name: str) -> str:
    """Return the role of a name before what they said: a player's own colour, one for everybody else."""
    for seat, line in enumerate(table.seats if table is not None else ()):
        if line.kind == "human" and clean(line.name) == name:
            return SEATS[seat % len(SEATS)]
    return "chat-name"


class GameScreen(GameDescription[View], Generic[View, Pointer]):
    """A game's side of the table screen; immutable."""

    key_help: ClassVar[Sequence[tuple[str, str]]]
    """The game's keys for the help: (key, what it does), keys as the key tables label them; `Enter` is translated."""
    roles: ClassVar[tuple[RoleSet, ...]] = ()
    """The game's own roles; no two games may define different roles of one name."""
    settings: ClassVar[frozenset[str]] = frozenset()
    """Settings that this game needs and others may not: `letters` and `deck` for cards."""

    @abstractmethod
    def fresh(self) -> Pointer:
        """Return the pointer of a new visitor."""

    @abstractmethod
    def update_pointer(self, table: TableView, view: View, pointer: Pointer) -> Pointer:
        """Return the pointer for a new view, without what is no longer there."""

    def encode_selection(self, pointer: Pointer) -> bytes:
        """Return the selection as MessagePack of at most 200 bytes for `restore_selection`; b"" for none.

        The server keeps it for reconnects. Equal selections must give equal bytes: each change is sent.
        """
        return b""

    def restore_selection(
        self, table: TableView, view: View, pointer: Pointer, selection: msgspec.Raw
    ) -> Pointer:
        """Return the pointer with `selection`, maybe of another version; `pointer` if it doesn't apply."""
        return pointer

    @abstractmethod
    def key(
        self, table: TableView, view: View, pointer: Pointer, key: str, look: Look = MIN_LOOK
    ) -> Reaction[Pointer]:
        """Return what Textual's key `key` does now."""

    def is_typing(self, pointer: Pointer) -> bool:
        """Return whether a name is being typed: then no keymap applies."""
        return False

    @abstractmethod
    def click(
        self, table: TableView, view: View, pointer: Pointer, look: Look, x: int, y: int
    ) -> Reaction[Pointer]:
        """Return what a click on the cell (x, y) of the frame drawn for `look` does."""

    def under(self, table: TableView, view: View, look: Look, around: TableChrome) -> Frame | None:
        """Return the part of the frame that depends neither on the pointer nor on status and lead; None for none."""
        return None

    @abstractmethod
    def draw(
        self,
        table: TableView,
        view: View,
        pointer: Pointer,
        look: Look,
        around: TableChrome,
        under: Frame | None = None,
    ) -> Frame:
        """Draw the whole screen, `look.width` by `look.height` cells (at least 60 by 20).

        `under`: the result of `under` for the same arguments, if cached.
        """

    def preview(self, table: TableView, view: View, look: Look) -> Frame:
        """Draw what spectators see, `look.width` by `look.height` cells (at least 60 by 17), for the lobby.

        Title, status and hints, the first and the last two rows of a screen, are left out; a game that has something
        else there overrides this.
        """
        whole = msgspec.structs.replace(look, height=look.height + _TITLE_ROWS + _FOOT_ROWS)
        pointer = self.update_pointer(table, view, self.fresh())
        rows = self.draw(table, view, pointer, whole, TableChrome("")).rows
        return Frame(look.width, look.height, rows[_TITLE_ROWS:-_FOOT_ROWS])

    def pictures(self, before: View, view: View) -> int:
        """Return how many animation frames lead from one view to the next; 0 for none."""
        return 0

    def draw_picture(
        self,
        table: TableView,
        view: View,
        pointer: Pointer,
        look: Look,
        around: TableChrome,
        before: View,
        picture: int,
        under: Frame | None = None,
    ) -> Frame:
        """Draw animation frame `picture`, from 0; `draw` gives what follows the last.

        Keys and clicks always refer to that final state.
        """
        return self.draw(table, view, pointer, look, around, under)

    def sample(self, look: Look) -> Sequence[Row]:
        """Return two or three rows of at most 48 cells that show the game's pieces, for the settings."""
        return ()

    def lesson_places(self, look: Look) -> Mapping[str, str]:
        """Return all places of the lessons' texts."""
        return {}

    def why(self, table: TableView, view: View, pointer: Pointer, look: Look, back: int) -> str:
        """Explain the points of the selection where it would go, else of the last move but `back`; "" for nothing."""
        return ""

    def move_shown(self, move: msgspec.Raw, table: TableView, look: Look) -> str:
        """Return a move as `move_said` does, but with the signs of the screen. Raises msgspec.DecodeError."""
        return self.move_said(move, table, look.translator)

    def hint(self, table: TableView, view: View, look: Look) -> str:
        """Return a hint, and why, from the view alone; "" for none."""
        return ""

    def keys_now(self, table: TableView, view: View, pointer: Pointer) -> Sequence[tuple[str, str]]:
        """Return those of `key_help` that do something now."""
        return self.key_help


AnyScreen = GameScreen[Any, Any]


def all_roles(screens: Mapping[str, AnyScreen]) -> tuple[RoleSet, ...]:
    """Return the roles of all `screens`, shared ones once."""
    return distinct_role_sets(each for screen in screens.values() for each in screen.roles)


def all_samples(screens: Mapping[str, AnyScreen], look: Look) -> list[Row]:
    """Return the samples of all `screens`, first rows first; equal rows once, none of a failing game."""
    by_game = zip_longest(*(_safe_sample(screen, look) for screen in screens.values()))
    return list(dict.fromkeys(row for rows in by_game for row in rows if row))


def _safe_sample(screen: AnyScreen, look: Look) -> Sequence[Row]:
    try:
        return screen.sample(look)
    except Exception:
        return ()
