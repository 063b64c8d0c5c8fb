"""Draw a game and read its keys: `GameScreen`, the port between the table screen and a game.

A `GameScreen` is pure. The table screen keeps an immutable `pointer` for it (the cursor and what is selected), passes
keys and clicks in, and gets back the next pointer and possibly a move. No rule of the game lives here: the view says
which moves are legal and what they score.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.theme import RoleSet, distinct_role_sets
from cartino_tui.game_port.description import GameDescription, View
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.preferences import DEFAULT_KEYMAP, CardLetters, Keymap

Pointer = TypeVar("Pointer", bound=msgspec.Struct)


class Look(msgspec.Struct, frozen=True):
    """What the drawing has to fit: the size in cells, which characters the terminal can show, who reads it.

    `letters` are those of the court cards; `keymap` says which keys to name to them.
    """

    width: int
    height: int
    ascii: bool = False
    translator: Translator = ENGLISH
    letters: CardLetters = "en"
    keymap: Keymap = DEFAULT_KEYMAP


MIN_LOOK: Final = Look(60, 20)
"""The smallest terminal that a table is drawn for."""


class ClockReading(msgspec.Struct, frozen=True):
    """A clock as it stands: `text` is what is left ("0:42"), `soon` whether that is nearly nothing.

    `short` says it in fewer cells where `text` is long ("23 h 10 min" is "23 h").
    """

    text: str
    soon: bool = False
    short: str = ""

    @property
    def least(self) -> str:
        """What is left in as few cells as can be."""
        return self.short or self.text


class TableChrome(msgspec.Struct, frozen=True):
    """What the frame wants shown around a game's table; the game's layout gives it room.

    `title`: the table in a few words (title, code); `facts`: what stands right in the title (spectators, link
    time); `said`: the newest chat lines and notices as (name, text), oldest first, name "" for a notice;
    `status`: one sentence about what just happened to the person (a refusal, a hint), "" for none; where there is
    none, `lead`: a sentence that stands before the table's own (whose turn it is), if both fit;
    `hints`: the frame's own keys as (key, what it does), to stand after the game's; or `alone`, where the game's
    keys mean nothing now (a question is asked, a record is replayed); `clocks`: for each seat the clock that
    runs for it, None for none (an empty tuple where no clock runs at all).
    """

    title: str
    facts: str = ""
    said: tuple[tuple[str, str], ...] = ()
    status: str = ""
    hints: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    clocks: tuple[ClockReading | None, ...] = ()
    lead: str = ""


class Reaction(msgspec.Struct, Generic[Pointer], frozen=True):
    """What a key or click led to: the pointer now, a move to send (a struct) or None, a sentence for the status line.

    `taken` is False where the game has no use for the key, so that the frame may have it.
    """

    pointer: Pointer
    move: msgspec.Struct | None = None
    status: str = ""
    taken: bool = True


class GameScreen(GameDescription[View], Generic[View, Pointer]):
    """One game's side of the table screen. Instances hold nothing that changes."""

    key_help: ClassVar[Sequence[tuple[str, str]]]
    """The game's keys for the help screen: (key, what it does)."""
    roles: ClassVar[tuple[RoleSet, ...]] = ()
    """The roles that the game draws in besides the frame's; no two games have different roles of one name."""
    settings: ClassVar[frozenset[str]] = frozenset()
    """The settings that matter only to some games and to this one: `letters` and `deck`, for a game with cards."""

    @abstractmethod
    def fresh(self) -> Pointer:
        """The pointer of somebody who has just come."""

    @abstractmethod
    def follow(self, room: RoomView, view: View, pointer: Pointer) -> Pointer:
        """The pointer after a new view: what is no longer there is no longer pointed at."""

    def memo(self, pointer: Pointer) -> bytes:
        """Return what is picked, as MessagePack of at most 200 bytes for `recall`; b"" for nothing.

        The server keeps it, so that it is still picked after a lost line or at another terminal. The same bytes as
        long as the same is picked: each change travels to the server.
        """
        return b""

    def recall(self, room: RoomView, view: View, pointer: Pointer, memo: msgspec.Raw) -> Pointer:
        """Return the pointer with what `memo` says picked; `pointer` where that can't be read or is gone.

        The bytes come back from the server, maybe from another version of the game.
        """
        return pointer

    @abstractmethod
    def key(
        self, room: RoomView, view: View, pointer: Pointer, key: str, look: Look = MIN_LOOK
    ) -> Reaction[Pointer]:
        """What Textual's key name `key` means here and now; `look` tells who reads the answer."""

    def is_typing(self, pointer: Pointer) -> bool:
        """Return whether the person is typing a name: then keys are what is written on them, in every keymap."""
        return False

    @abstractmethod
    def click(
        self, room: RoomView, view: View, pointer: Pointer, look: Look, x: int, y: int
    ) -> Reaction[Pointer]:
        """What a click on the cell (x, y) of the frame drawn for `look` means."""

    def under(self, room: RoomView, view: View, look: Look, around: TableChrome) -> Frame | None:
        """Return the part of the frame that doesn't depend on the pointer or on `around`'s status and lead, for `draw`.

        The frame keeps it while only the pointer moves. None where the game has no such part.
        """
        return None

    @abstractmethod
    def draw(
        self,
        room: RoomView,
        view: View,
        pointer: Pointer,
        look: Look,
        around: TableChrome,
        under: Frame | None = None,
    ) -> Frame:
        """The whole screen, `look.width` by `look.height` cells (at least 60 by 20).

        `under` is what the function of that name gave for the same table, look and surroundings, if it is at hand.
        """

    def pictures(self, before: View, view: View) -> int:
        """In how many pictures, a fraction of a second each, to show how one view of a game led to the next.

        0 for none: where nothing happened that is worth it, or too much.
        """
        return 0

    def draw_picture(
        self,
        room: RoomView,
        view: View,
        pointer: Pointer,
        look: Look,
        around: TableChrome,
        before: View,
        picture: int,
        under: Frame | None = None,
    ) -> Frame:
        """Picture number `picture`, from 0, of those; after the last of them comes what `draw` gives.

        Whatever the pictures show, keys and clicks mean what they mean on that.
        """
        return self.draw(room, view, pointer, look, around, under)

    def sample(self, look: Look) -> Sequence[Row]:
        """Return rows that show how the game's pieces look, the most telling first, for the person's settings.

        Each has at most 48 cells; two or three rows are enough.
        """
        return ()

    def lesson_places(self, look: Look) -> Mapping[str, str]:
        """What stands in the places of the lessons' words; all of them, whichever words have them."""
        return {}

    def why(self, room: RoomView, view: View, pointer: Pointer, look: Look, back: int) -> str:
        """What the points are made of: of what is in hand where it would go, else of the last move but `back`.

        "" where there is nothing to say.
        """
        return ""

    def advice(self, room: RoomView, view: View, look: Look) -> str:
        """What somebody could do now who asks for it, and why, out of the view alone; "" for none."""
        return ""

    def keys_now(self, room: RoomView, view: View, pointer: Pointer) -> Sequence[tuple[str, str]]:
        """The game's keys that do something just now, as in `key_help`."""
        return self.key_help


AnyScreen = GameScreen[Any, Any]


def all_roles(screens: Mapping[str, AnyScreen]) -> tuple[RoleSet, ...]:
    """Return the roles of all `screens`, those that games share once."""
    return distinct_role_sets(each for screen in screens.values() for each in screen.roles)


def all_samples(screens: Mapping[str, AnyScreen], look: Look) -> list[Row]:
    """Return the samples of all `screens`: the first row of each, then the second; rows that games share once.

    A game that fails has none.
    """
    by_game = zip_longest(*(_safe_sample(screen, look) for screen in screens.values()))
    return list(dict.fromkeys(row for rows in by_game for row in rows if row))


def _safe_sample(screen: AnyScreen, look: Look) -> Sequence[Row]:
    try:
        return screen.sample(look)
    except Exception:
        return ()
