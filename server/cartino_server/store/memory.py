"""A journal that keeps nothing: for a house in the player's own process, and for tests of rooms."""

from collections.abc import Sequence

from cartino_protocol.views import PastGame
from cartino_server.store.port import Damaged, Guest, Kept, Wanted, Write


class NoJournal:
    """Takes everything and forgets it, but for the words of guests who are here. Implements `port.Journal`."""

    def __init__(self) -> None:
        """Nothing was ever written."""
        self._last = 0
        self._guests: dict[str, Guest] = {}

    def number(self, code: str) -> int:
        """See Journal."""
        self._last += 1
        return self._last

    async def write(self, writes: Sequence[Write], time: float) -> None:
        """See Journal."""

    async def past(self, wanted: Wanted) -> Sequence[PastGame]:
        """See Journal: none."""
        return ()

    async def kept(self, game: int) -> Kept | Damaged | None:
        """See Journal: nothing."""
        return None

    async def latest(self, code: str) -> int | None:
        """See Journal: none."""
        return None

    async def give_word(self, word: str, guest: Guest) -> None:
        """See Journal."""
        self._put(guest, word)

    async def take_word(self, word: str, fresh: str) -> Guest | None:
        """See Journal."""
        guest = self._guests.get(word)
        if guest is not None:
            self._put(guest, word, fresh)
        return guest

    def _put(self, guest: Guest, *words: str) -> None:
        others = {word: known for word, known in self._guests.items() if known.person != guest.person}
        self._guests = others | dict.fromkeys(words, guest)
