"""The chat of a table, and the cleaning of text that people type.

Spectators have a channel of their own that players read when the game is over. Lines are dropped first from whoever
sent the most, counted by network, so that nobody can push out a line that others want to read or report.
"""

import unicodedata
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from heapq import merge

import msgspec

from cartino_protocol.commands import Channel
from cartino_protocol.notices import News, Notice, strip_host_mark
from cartino_protocol.text import is_control, legible
from cartino_protocol.views import ChatLine, ChatView

KEPT = 100
"""Words kept, a channel.

Then those give way that came from where most came from; of these those of whoever has said most, the oldest first.
"""
WORDS_SHOWN, NOTICES_SHOWN = 20, 10
"""What people said last, and the last notices, in a view."""
LONGEST = 300
"""Characters in a line, unless the house says otherwise."""


class ChatMark(msgspec.Struct, frozen=True):
    """All that is kept of a chat: of the table, of the spectators, and the notices."""

    table: tuple[ChatLine, ...] = ()
    watchers: tuple[ChatLine, ...] = ()
    notices: tuple[Notice, ...] = ()


class Chat:
    """The last lines of both channels, and the last notices.

    They are kept apart: much talk among spectators never pushes out a line of the players, and people who come and
    go never one that somebody said. Nor does much talk of one the line that somebody else may want to report, nor a
    word each of many who came from one place: keys are made in a moment, and a guest is somebody new each time.
    """

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._table: list[ChatLine] = []
        self._watchers: list[ChatLine] = []
        self._notices: deque[Notice] = deque(maxlen=NOTICES_SHOWN)
        self._count = 0
        self._origins: dict[int, str] = {}
        """Where the lines with these numbers came from."""

    def say(self, name: str, text: str, channel: Channel, who: str = "", origin: str = "") -> None:
        """`name`, who is `who` to readers, says `text` (clean already) on `channel`.

        They came from `origin`, "" where nobody is counted by that: then they are counted by themselves.
        """
        lines = self._table if channel == "table" else self._watchers
        number = self._next()
        lines.append(ChatLine(number, name, text, channel, who))
        # A number may have been another line's, which was taken back.
        self._origins[number] = origin
        self._bound()

    def notice(self, news: News) -> None:
        """Something that nobody says, for the whole table."""
        self._notices.append(Notice(self._next(), news))

    def reveal(self) -> None:
        """The game is over: what spectators said so far is everybody's, and stays so in the next game."""
        self._table = list(_in_order(self._table, self._watchers))
        self._watchers.clear()
        self._bound()

    def view(self, spectator: bool, channel: Channel) -> ChatView:
        """The newest lines that a spectator or a player may read, and the `channel` of their own words."""
        words = _in_order(self._table, self._watchers) if spectator else self._table
        return ChatView(tuple(words)[-WORDS_SHOWN:], channel, tuple(self._notices))

    def up_to(self, number: int, spectator: bool, most: int) -> Sequence[ChatLine]:
        """The line `number` behind those before it, `most` in all, that a spectator or a player may read.

        Empty where they may not read it, or it is no more.
        """
        words = _in_order(self._table, self._watchers) if spectator else self._table
        found = [line for line in words if line.n <= number][-most:]
        return found if found and found[-1].n == number else ()

    def erase(self, who: str, names: Iterable[str]) -> None:
        """Nobody has said what `who` said, and no notice has one of their `names`."""
        self._table = [line for line in self._table if line.who != who]
        self._watchers = [line for line in self._watchers if line.who != who]
        left = [each for each in self._notices if not {each.news.name, each.news.other}.intersection(names)]
        self._notices = deque(left, maxlen=NOTICES_SHOWN)

    def count(self, who: str) -> int:
        """Return how many lines of `who` are kept."""
        return sum(line.who == who for line in (*self._table, *self._watchers))

    def mark(self) -> ChatMark:
        """All that is kept, to come back to."""
        return ChatMark(tuple(self._table), tuple(self._watchers), tuple(self._notices))

    def back_to(self, mark: ChatMark) -> None:
        """Nothing was said after `mark`."""
        self._table, self._watchers = list(mark.table), list(mark.watchers)
        self._bound()
        self._notices = deque(mark.notices, maxlen=NOTICES_SHOWN)
        numbers = (each.n for lines in (mark.table, mark.watchers, mark.notices) for each in lines)
        self._count = max(numbers, default=0)

    @property
    def last_word(self) -> int:
        """The number of the last line that somebody said, on whatever channel; 0 before the first."""
        return max((lines[-1].n for lines in (self._table, self._watchers) if lines), default=0)

    def words(self, after: int = 0) -> tuple[ChatLine, ...]:
        """What people said, on both channels, in lines with a number above `after`."""
        return tuple(line for line in _in_order(self._table, self._watchers) if line.n > after)

    def _bound(self) -> None:
        """Leave as many lines as are kept."""
        for lines in (self._table, self._watchers):
            if len(lines) > KEPT:
                lines[:] = _staying(lines, self._origins)
        if len(self._origins) > 2 * KEPT:
            kept = {line.n for lines in (self._table, self._watchers) for line in lines}
            self._origins = {number: origin for number, origin in self._origins.items() if number in kept}

    def _next(self) -> int:
        self._count += 1
        return self._count


def _staying(lines: Sequence[ChatLine], origins: Mapping[int, str]) -> list[ChatLine]:
    """Those of `lines` that are kept."""
    by = [(origins.get(line.n) or _by(line), _by(line)) for line in lines]
    places, persons, going = Counter(place for place, _ in by), Counter(by), Counter[tuple[str, str]]()
    at: dict[str, dict[tuple[str, str], None]] = {}
    for each in by:
        at.setdefault(each[0], {})[each] = None
    for _ in range(len(lines) - KEPT):
        place = max(places, key=places.__getitem__)
        most = max(at[place], key=persons.__getitem__)
        places[place] -= 1
        persons[most] -= 1
        going[most] += 1
    staying = []
    for line, each in zip(lines, by, strict=True):
        if going[each]:
            going[each] -= 1
        else:
            staying.append(line)
    return staying


def _by(line: ChatLine) -> str:
    return line.who or line.name


def _in_order(*lines: Iterable[ChatLine]) -> Iterable[ChatLine]:
    return merge(*lines, key=lambda line: line.n)


MOST_QUOTED = 64
"""Characters of a word that is said back to whoever sent it."""


def clean_text(text: str, most: int) -> str | None:
    """`text` as others may see it, 1 to `most` characters; None where it holds control characters or nothing is left.

    Characters that only hide, turn or cover others (text direction, zero width) are dropped; blanks are plain ones, and
    nothing in it is the mark of what the host says.
    """
    if any(is_control(letter) for letter in text):
        return None
    cleaned = _visible(text)
    return cleaned if 0 < len(cleaned) <= most else None


def is_too_long(text: str, most: int) -> bool:
    """Whether nothing but its length keeps `text` from being seen by others."""
    return clean_text(text, most) is None and clean_text(text, max(len(_visible(text)), 1)) is not None


def _visible(text: str) -> str:
    return strip_host_mark(legible(unicodedata.normalize("NFC", text))).strip()


def quotable(text: str) -> str:
    """A word that somebody sent, fit for being said back to them in a sentence."""
    return legible(text)[:MOST_QUOTED]
