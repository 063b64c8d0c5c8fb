"""What is typed while an answer is due: kept in order, and done after the answer, in the state it made.

So `1`, Enter, `e` in one burst means the same over a slow line as over a fast one.
"""

from collections import deque

import msgspec

from cartino_protocol.account import Account, DeleteAccount
from cartino_protocol.commands import Command, Course, History, Leaders, Lesson, Profile, Replay
from cartino_protocol.marking import Sentence, later_count
from cartino_protocol.own_keys import AddKey, DropKey, KeyCode, Keys
from cartino_tui.known import Moment

Question = (
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


Typed = Press | Tap


class Typeahead:
    """The line of what waits its turn. Bounded: what is typed when it is full is dropped, and that is told."""

    MOST = 32

    def __init__(self) -> None:
        """Nothing waits and nothing is due."""
        self._held: deque[Typed] = deque()
        self._asked_at: Moment | None = None
        self._asked = ""
        self._asks = False
        """Whether that is a question."""
        self._dropped = 0
        self._aside: list[Typed] = []
        self._in_doubt: Moment | None = None

    @property
    def waiting(self) -> bool:
        """Whether an answer is due."""
        return self._asked_at is not None

    def asked(self, moment: Moment, command: Command) -> None:
        """`command` was said at `moment`: another moment will be its answer."""
        self._asked_at = moment
        self._asked = type(command).__name__
        self._asks = isinstance(command, Question)

    def stands(self, moment: Moment) -> None:
        """It is `moment` now: if that is another than the one asked at, the answer is here."""
        if self._asked_at is not None and not self._is_still(self._asked_at, moment):
            self._asked_at = None

    def _is_still(self, asked_at: Moment, moment: Moment) -> bool:
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

    def suspend(self) -> None:
        """The line is lost: what was asked may have been heard or not, what was typed behind it is put aside.

        What is typed from now on is for this program alone, so it does not wait.
        """
        if self._asked_at is not None:
            self._in_doubt, self._asked_at = self._asked_at, None
            self._aside += self._held
            self._held.clear()

    def resume(self, moment: Moment | None) -> str:
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

    def hold(self, typed: Typed) -> None:
        """Put `typed` in line."""
        if len(self._held) < self.MOST:
            self._held.append(typed)
        else:
            self._dropped += 1

    def dropped(self) -> Sentence | None:
        """What to say, once, of what was dropped behind that which is done now; None where nothing was."""
        if not self._dropped or self._held or self.waiting:
            return None
        dropped, self._dropped = self._dropped, 0
        return later_count(
            "The last key was typed too far ahead of the house, and was dropped.",
            "The last {n} keys were typed too far ahead of the house, and were dropped.",
            dropped,
        )

    def next(self) -> Typed | None:
        """Take the first in line; None when an answer is due or nothing is left."""
        return self._held.popleft() if self._held and not self.waiting else None
