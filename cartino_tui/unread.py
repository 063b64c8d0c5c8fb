"""Talk that came while somebody looked elsewhere."""

from typing import Final

import msgspec

from cartino_protocol.views import ChatView

MOST_TABLES: Final = 16
"""Tables of which is known what was read; of those before them nothing counts as new."""


class _Read(msgspec.Struct, frozen=True):
    """Up to which line the talk of a table was read, and how many lines of others came since."""

    last: int
    new: int = 0


class Unread:
    """What one person has read of the talk at each table."""

    def __init__(self) -> None:
        """Nothing was read yet; what is there when one first comes to a table is not new."""
        self._tables: dict[str, _Read] = {}

    def hear(self, code: str, chat: ChatView, name: str, *, seen: bool) -> None:
        """The talk of the table `code` is `chat` now; `seen`: the person looks at it. `name` is what they are called.

        What came unseen stays new until they do something there: it may have scrolled by.
        """
        before = self._tables.pop(code, None)
        if before is None or (seen and not before.new):
            self._tables[code] = _Read(_last(chat))
        else:
            new = sum(line.n > before.last and line.name != name for line in chat.lines)
            self._tables[code] = _Read(before.last, new)
        if len(self._tables) > MOST_TABLES:
            del self._tables[next(iter(self._tables))]

    def read(self, code: str, chat: ChatView) -> None:
        """They have seen all of it."""
        if code in self._tables:
            self._tables[code] = _Read(_last(chat))

    def count(self, code: str) -> int:
        """How many lines of others are new there."""
        table = self._tables.get(code)
        return table.new if table is not None else 0


def _last(chat: ChatView) -> int:
    return chat.lines[-1].n if chat.lines else 0
