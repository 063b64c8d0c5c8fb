"""Input the server has not answered yet: keys typed ahead, and the selection (draft move) it stores.

Typed keys wait in order for the answer, so a burst means the same on a slow line as on a fast one. The selection counts
only in the table state in which it was made.
"""

from collections import deque

import msgspec

from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.commands import Command, Course, History, Keep, Leaders, Lesson, Profile, Replay
from cartino_protocol.text import LazyMessage, lazy_ngettext
from cartino_protocol.views import Kept
from cartino_tui.visit.state import StateKey

Query = (
    History
    | Replay
    | Course
    | Profile
    | Leaders
    | Lesson
    | Keys
    | KeyCode
    | AddKey
    | DropKey
    | Account
    | DeleteAccount
)
"""What is answered by something `Told`."""


class Press(msgspec.Struct, frozen=True):
    """A key, by Textual's name, and the character it stands for, if any; or the `wheel` as the key up or down."""

    key: str
    character: str | None = None
    wheel: bool = False


class Tap(msgspec.Struct, frozen=True):
    """A click on the cell (x, y), the `chain`-th there in quick succession."""

    x: int
    y: int
    chain: int = 1


TypedInput = Press | Tap


class Typeahead:
    """The line of what waits its turn. Bounded: what is typed when it is full is dropped, and that is told."""

    MOST = 32

    def __init__(self) -> None:
        """Nothing waits and nothing is due."""
        self._held: deque[TypedInput] = deque()
        self._asked_at: StateKey | None = None
        self._asked = ""
        self._asks = False
        """Whether that is a question."""
        self._dropped = 0
        self._aside: list[TypedInput] = []
        self._in_doubt: StateKey | None = None

    @property
    def waiting(self) -> bool:
        """Whether an answer is due."""
        return self._asked_at is not None

    def asked(self, moment: StateKey, command: Command) -> None:
        """`command` was said at `moment`: another moment will be its answer."""
        self._asked_at = moment
        self._asked = type(command).__name__
        self._asks = isinstance(command, Query)

    def stands(self, moment: StateKey) -> None:
        """It is `moment` now: if that is another than the one asked at, the answer is here."""
        if self._asked_at is not None and not self._is_still(self._asked_at, moment):
            self._asked_at = None

    def _is_still(self, asked_at: StateKey, moment: StateKey) -> bool:
        """Whether nothing in `moment` can be the answer: what is told late to another screen answers no move."""
        return asked_at == (moment if self._asks else msgspec.structs.replace(moment, told=asked_at.told))

    def refused(self, to: str) -> None:
        """The answer to a command of that kind is no. What was typed behind it was meant for a yes, and is forgotten.

        A refusal of another command (talk, a cut), which nobody waits for, changes nothing here.
        """
        if self._asked_at is not None and to in {"", self._asked}:
            self._asked_at = None
            self._held.clear()
            self._dropped = 0

    def answered(self, to: str) -> None:
        """The answer to a command called `to` is here, though it doesn't show in the state."""
        if to == self._asked:
            self._asked_at = None

    def suspend(self) -> None:
        """The line is lost: what was asked may have been heard or not, what was typed behind it is put aside.

        What is typed from now on is for this program alone, so it does not wait.
        """
        if self._asked_at is not None:
            self._in_doubt, self._asked_at = self._asked_at, None
            self._aside += self._held
            self._held.clear()

    def resume(self, moment: StateKey | None) -> str:
        """The line is back, and it is `moment` now; the name of the command that was not heard, "" for none.

        If it was heard, or is said again by itself (`moment` None), what was put aside comes first.
        """
        in_doubt, self._in_doubt = self._in_doubt, None
        aside, self._aside = self._aside, []
        if in_doubt is None:
            return ""
        if moment is not None and self._is_still(in_doubt, moment):
            return self._asked
        self._held.extendleft(reversed(aside))
        return ""

    def hold(self, typed: TypedInput) -> None:
        """Put `typed` in line."""
        if len(self._held) < self.MOST:
            self._held.append(typed)
        else:
            self._dropped += 1

    def dropped(self) -> LazyMessage | None:
        """What to say, once, of what was dropped behind that which is done now; None where nothing was."""
        if not self._dropped or self._held or self.waiting:
            return None
        dropped, self._dropped = self._dropped, 0
        return lazy_ngettext(
            "The last key was typed too far ahead of the house, and was dropped.",
            "The last {n} keys were typed too far ahead of the house, and were dropped.",
            dropped,
        )

    def next(self) -> TypedInput | None:
        """Take the first in line; None when an answer is due or nothing is left."""
        return self._held.popleft() if self._held and not self.waiting else None


_StoredSelection = tuple[int, msgspec.Raw]
"""The state of the table in which it was in hand, and the plug's words for it."""

_selection_decoder: msgspec.msgpack.Decoder[_StoredSelection] = msgspec.msgpack.Decoder(_StoredSelection)


class SelectionSync:
    """What the house keeps for one person at one table.

    It counts in the state of the table alone in which it was kept, so that a move needs no word about what it took.
    """

    def __init__(self) -> None:
        """The house keeps nothing."""
        self._held: tuple[int, bytes] | None = None
        self._seen: Kept | None = None
        self._deaf = False

    def ignore_next_stored(self) -> None:
        """What the house tells next that it keeps is older than what is in hand here."""
        self._deaf = True

    def forget_stored(self) -> None:
        """Nobody knows what the house keeps."""
        self._held = None

    def is_news(self, number: int, memo: bytes) -> bool:
        """Whether the house does not know yet that `memo` is in hand (b"": nothing) in the state `number`."""
        held = (number, memo) if memo else None
        return held != self._held and (held is not None or self._held is None or self._held[0] == number)

    def keep(self, number: int, memo: bytes) -> Keep | None:
        """What to say when `memo` is in hand (b"": nothing) in the state `number`; None where the house knows it."""
        news = self.is_news(number, memo)
        self._held = (number, memo) if memo else None
        if not news:
            return None
        held = None if self._held is None else (number, msgspec.Raw(memo))
        return Keep(msgspec.Raw(msgspec.msgpack.encode(held)))

    def recall(self, number: int, kept: Kept | None) -> msgspec.Raw | None:
        """The plug's words in `kept`, once, if they are of the state `number`."""
        if kept is None or kept is self._seen:
            return None
        self._seen = kept
        if self._deaf:
            self._deaf = False
            return None
        try:
            state, memo = _selection_decoder.decode(kept.memo)
        except msgspec.DecodeError:
            return None
        if state != number:
            return None
        self._held = (state, bytes(memo))
        return memo
