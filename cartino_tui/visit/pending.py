"""Input the server has not answered yet: keys typed ahead, and the selection (draft move) it stores.

Typed keys wait in order for the answer, so a burst means the same on a slow line as on a fast one. The selection counts
only in the table state in which it was made.
"""

from collections import deque

import msgspec

from cartino_protocol import commands
from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.deals import Daily, Duplicate, League
from cartino_protocol.text import LazyMessage, lazy_ngettext
from cartino_protocol.views import SavedSelection
from cartino_tui.visit.state import StateKey

Query = (
    commands.History
    | commands.Replay
    | commands.Course
    | commands.Review
    | commands.TryTurn
    | commands.Profile
    | commands.Leaders
    | commands.Lesson
    | Keys
    | KeyCode
    | AddKey
    | DropKey
    | Account
    | DeleteAccount
    | Daily
    | Duplicate
    | League
)
"""Commands that are answered by a `QueryAnswer`."""


class Press(msgspec.Struct, frozen=True):
    """A key, by Textual's name, and the character it stands for, if any; the wheel is the key up or down."""

    key: str
    character: str | None = None


class Tap(msgspec.Struct, frozen=True):
    """A click on the cell (x, y), the `chain`-th there in quick succession."""

    x: int
    y: int
    chain: int = 1


TypedInput = Press | Tap


class Typeahead:
    """A queue of keys and clicks behind an answer that is due. Drops what is typed while it is full, and says so."""

    MOST = 32

    def __init__(self) -> None:
        self._held: deque[TypedInput] = deque()
        self._asked_at: StateKey | None = None
        self._asked = ""
        self._asks = False
        """Whether the command is a `Query`."""
        self._dropped = 0
        self._aside: list[TypedInput] = []
        self._in_doubt: StateKey | None = None

    @property
    def waiting(self) -> bool:
        """Whether an answer is due."""
        return self._asked_at is not None

    def record_command(self, moment: StateKey, command: commands.Command) -> None:
        """Note that `command` was sent at `moment`: the next other moment answers it."""
        self._asked_at = moment
        self._asked = type(command).__name__
        self._asks = isinstance(command, Query)

    def stands(self, moment: StateKey) -> None:
        """Stop waiting if `moment` differs from the one at which the command was sent."""
        if self._asked_at is not None and not self._is_still(self._asked_at, moment):
            self._asked_at = None

    def _is_still(self, asked_at: StateKey, moment: StateKey) -> bool:
        """Return whether `moment` is no answer yet: a late page answers no move."""
        return asked_at == (moment if self._asks else msgspec.structs.replace(moment, told=asked_at.told))

    def cancel_command(self, to: str) -> None:
        """Stop waiting for the command called `to`, and drop what was typed in the hope that it succeeds.

        A refusal of another command changes nothing.
        """
        if self._asked_at is not None and to in {"", self._asked}:
            self._asked_at = None
            self._held.clear()
            self._dropped = 0

    def record_answer(self, to: str) -> None:
        """Note the answer to a command called `to`, which doesn't show in the state."""
        if to == self._asked:
            self._asked_at = None

    def suspend(self) -> None:
        """Put the queue aside: the connection is lost, and the command may have arrived or not.

        What is typed from now on concerns this program alone, so it does not wait.
        """
        if self._asked_at is not None:
            self._in_doubt, self._asked_at = self._asked_at, None
            self._aside += self._held
            self._held.clear()

    def resume(self, moment: StateKey | None) -> str:
        """Go on after the connection is back at `moment`; return the command that didn't arrive, "" for none.

        If it did, or is sent again by itself (`moment` None), what was put aside comes first.
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
        """Queue `typed`."""
        if len(self._held) < self.MOST:
            self._held.append(typed)
        else:
            self._dropped += 1

    def dropped(self) -> LazyMessage | None:
        """Return, once, the message about dropped input, when the queue has been worked off; None for nothing."""
        if not self._dropped or self._held or self.waiting:
            return None
        dropped, self._dropped = self._dropped, 0
        return lazy_ngettext(
            "Typed too fast: {n} key was dropped.",
            "Typed too fast: {n} keys were dropped.",
            dropped,
        )

    def next(self) -> TypedInput | None:
        """Take the next input; None while an answer is due or nothing is left."""
        return self._held.popleft() if self._held and not self.waiting else None


_StoredSelection = tuple[int, msgspec.Raw]
"""The number of the table state, and the game screen's encoding of the selection."""

_selection_decoder: msgspec.msgpack.Decoder[_StoredSelection] = msgspec.msgpack.Decoder(_StoredSelection)


class SelectionSync:
    """The selection (draft move) that the server stores for one person at one table.

    It counts only in the table state in which it was made, so a move need not clear it.
    """

    def __init__(self) -> None:
        self._held: tuple[int, bytes] | None = None
        self._seen: SavedSelection | None = None
        self._deaf = False

    def ignore_next_stored(self) -> None:
        """Ignore the next stored selection: it is older than the one here."""
        self._deaf = True

    def forget_stored(self) -> None:
        """Assume that nothing is stored."""
        self._held = None

    def is_news(self, number: int, selection: bytes) -> bool:
        """Return whether the server has to hear of the selection `selection` (b"" for none) in the state `number`."""
        held = (number, selection) if selection else None
        return held != self._held and (held is not None or self._held is None or self._held[0] == number)

    def keep(self, number: int, selection: bytes) -> commands.SaveSelection | None:
        """Return the command that stores `selection` (b"" for none) in the state `number`; None if that is known."""
        news = self.is_news(number, selection)
        self._held = (number, selection) if selection else None
        if not news:
            return None
        held = None if self._held is None else (number, msgspec.Raw(selection))
        return commands.SaveSelection(msgspec.Raw(msgspec.msgpack.encode(held)))

    def recall(self, number: int, kept: SavedSelection | None) -> msgspec.Raw | None:
        """Return the selection in `kept`, once, if it belongs to the state `number`."""
        if kept is None or kept is self._seen:
            return None
        self._seen = kept
        if self._deaf:
            self._deaf = False
            return None
        try:
            state, selection = _selection_decoder.decode(kept.selection)
        except msgspec.DecodeError:
            return None
        if state != number:
            return None
        self._held = (state, bytes(selection))
        return selection
