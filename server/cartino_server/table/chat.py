"""The chat of a table, and the cleaning of text that people type.

Spectators have a channel of their own that players read when the game is over. Lines are dropped first
from the network and person that sent the most, so that nobody can push out a line that others want to report.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import merge

import msgspec
from msgspec.structs import replace

from cartino_protocol.commands import Channel
from cartino_protocol.notices import News, Notice, strip_host_mark
from cartino_protocol.text import is_control, legible
from cartino_protocol.views import ChatLine, ChatView

KEPT = 100
"""Lines kept in each channel."""
WORDS_SHOWN, NOTICES_SHOWN = 20, 10
"""Lines and notices in a view."""
LONGEST = 300
"""Characters in a line, unless configured otherwise."""


class KeptLine(msgspec.Struct, frozen=True):
    """A line of chat, and the network it came from ("" where its author is counted alone)."""

    line: ChatLine
    origin: str = ""


class Chat(msgspec.Struct, frozen=True):
    """The last lines of both channels, and the last notices, which never push each other out.

    `count` is the number of the newest line or notice. Changes return a new value.
    """

    table: tuple[KeptLine, ...] = ()
    spectators: tuple[KeptLine, ...] = ()
    notices: tuple[Notice, ...] = ()
    count: int = 0

    def say(self, name: str, text: str, channel: Channel, who: str = "", origin: str = "") -> "Chat":
        """Add a line of `name`, who has the author mark `who`; `text` is clean already."""
        number = self.count + 1
        line = KeptLine(ChatLine(number, name, text, channel, who), origin)
        if channel == "table":
            return replace(self, table=_bounded((*self.table, line)), count=number)
        return replace(self, spectators=_bounded((*self.spectators, line)), count=number)

    def notice(self, news: News) -> "Chat":
        """Add a notice for everybody at the table."""
        number = self.count + 1
        return replace(self, notices=(*self.notices, Notice(number, news))[-NOTICES_SHOWN:], count=number)

    def reveal(self) -> "Chat":
        """Show players what spectators have said so far: the game is over."""
        return replace(self, table=_bounded(_in_order(self.table, self.spectators)), spectators=())

    def view(self, spectator: bool, channel: Channel) -> ChatView:
        """Return the newest lines for a spectator or a player, who write to `channel`."""
        return ChatView(self._readable(spectator)[-WORDS_SHOWN:], channel, self.notices)

    def up_to(self, number: int, spectator: bool, most: int) -> Sequence[ChatLine]:
        """Return the line `number` after those before it, at most `most`; empty where they may not read it."""
        found = [line for line in self._readable(spectator) if line.n <= number][-most:]
        return found if found and found[-1].n == number else ()

    def erase(self, who: str, names: Collection[str]) -> "Chat":
        """Remove the lines of the author `who`, and notices with one of their `names`."""
        return replace(
            self,
            table=tuple(each for each in self.table if each.line.who != who),
            spectators=tuple(each for each in self.spectators if each.line.who != who),
            notices=tuple(
                each for each in self.notices if not {each.news.name, each.news.other} & set(names)
            ),
        )

    def count_of(self, who: str) -> int:
        """Return how many lines of the author `who` are kept."""
        return sum(each.line.who == who for each in (*self.table, *self.spectators))

    @property
    def last_word(self) -> int:
        """The number of the last line that somebody said, on either channel; 0 before the first."""
        return max((lines[-1].line.n for lines in (self.table, self.spectators) if lines), default=0)

    def words(self, after: int = 0) -> tuple[ChatLine, ...]:
        """Return what people said on both channels, in lines numbered above `after`."""
        return tuple(line for line in self._readable(True) if line.n > after)

    def _readable(self, spectator: bool) -> tuple[ChatLine, ...]:
        lines = _in_order(self.table, self.spectators) if spectator else self.table
        return tuple(each.line for each in lines)


def restored_chat(table: Iterable[ChatLine], spectators: Iterable[ChatLine]) -> Chat:
    """Return the chat with these lines of both channels, which come from a journal."""
    first, second = (_bounded(tuple(KeptLine(line) for line in lines)) for lines in (table, spectators))
    return Chat(first, second, count=max((each.line.n for each in (*first, *second)), default=0))


def _bounded(lines: tuple[KeptLine, ...]) -> tuple[KeptLine, ...]:
    """Drop lines beyond KEPT: from the network with most lines, of its person with most, the oldest first."""
    kept = list(lines)
    while len(kept) > KEPT:
        authors = [each.line.who or each.line.name for each in kept]
        sources = [(each.origin or author, author) for each, author in zip(kept, authors, strict=True)]
        [(network, _)] = Counter(network for network, _ in sources).most_common(1)
        [(source, _)] = Counter(source for source in sources if source[0] == network).most_common(1)
        del kept[sources.index(source)]
    return tuple(kept)


def _in_order(*lines: Iterable[KeptLine]) -> tuple[KeptLine, ...]:
    return tuple(merge(*lines, key=lambda each: each.line.n))


MOST_QUOTED = 64
"""Characters of a word that is quoted to its sender."""


def clean_text(text: str, most: int) -> str | None:
    """Return `text` as others may see it, 1 to `most` characters; None if it has control characters or nothing is left.

    Invisible characters, those that turn or cover others, and the mark of the host's notices are removed.
    """
    if any(is_control(letter) for letter in text):
        return None
    cleaned = strip_host_mark(legible(unicodedata.normalize("NFC", text))).strip()
    return cleaned if 0 < len(cleaned) <= most else None


def quotable(text: str) -> str:
    """Return a word that somebody sent, fit for quoting it to them."""
    return legible(text)[:MOST_QUOTED]
