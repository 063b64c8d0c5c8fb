"""A journal that keeps nothing: for a house in the player's own process, and for tests of rooms."""

from collections.abc import Callable, Container, Mapping, Sequence

from cartino_protocol.views import LeadersView, PastGame, ProfileView
from cartino_server.store.port import Damaged, Due, Guest, Kept, Wanted, Write
from cartino_server.store.standing import Asking, Rating, Tally


class NoJournal:
    """Takes everything and forgets it, but for the words of guests who are here. Implements `port.Journal`."""

    def __init__(self) -> None:
        """Nothing was ever written."""
        self._last = 0
        self._guests: dict[str, Guest] = {}
        self._settings: dict[str, bytes] = {}

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

    async def known(self, persons: Sequence[str]) -> frozenset[str]:
        """See Journal: nobody."""
        return frozenset()

    async def pruned(self) -> bool:
        """See Journal: none were."""
        return False

    async def due(self, most: int) -> Sequence[Due]:
        """See Journal: none."""
        return ()

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        """See Journal: none."""
        return {}

    async def tally(self, games: Sequence[Tally]) -> None:
        """See Journal."""

    async def profile(self, asking: Asking) -> ProfileView | None:
        """See Journal: none."""
        return None

    async def leaders(self, game: str, person: str) -> LeadersView:
        """See Journal: nobody."""
        return LeadersView(game, ())

    async def person_called(self, name: str) -> str | None:
        """See Journal: nobody."""
        return None

    async def count_games(self, person: str) -> int:
        """See Journal: none."""
        return 0

    async def erase(self, person: str, mark: str, rewrite: Callable[..., Sequence[bytes]]) -> None:
        """See Journal."""
        self._settings.pop(person, None)

    async def erased(self, person: str) -> None:
        """See Journal."""
        self._settings.pop(person, None)

    async def erasing(self) -> Sequence[tuple[str, str]]:
        """See Journal: nobody's."""
        return ()

    async def settings(self, person: str) -> bytes:
        """See Journal."""
        return self._settings.get(person, b"")

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """See Journal."""
        self._settings[person] = settings

    async def give_word(self, word: str, guest: Guest, seated: Container[str] = ()) -> None:
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
