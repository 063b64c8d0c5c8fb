"""Guests who have a seat, and the words by which they come back to it."""

from collections.abc import Callable, Container

from cartino_server.rooms.words import new_word, read_word
from cartino_server.store.port import Guest, Journal


class Guests:
    """The words of guests who are in the house. What the journal keeps of a word is not enough to say it again."""

    def __init__(
        self, journal: Journal, entropy: Callable[[int], bytes], seated: Container[str] = ()
    ) -> None:
        """Words are kept in `journal` and made of `entropy`; those of `seated` persons (ids) are kept before others."""
        self._seated = seated
        self._journal = journal
        self._entropy = entropy
        self._words: dict[str, str] = {}

    def word_of(self, person: str) -> str:
        """The word that brings the guest of that id back; "" for none, and as long as it is not saved."""
        return self._words.get(person, "")

    def knows(self, person: str) -> bool:
        """Whether the person has a word, or will have one."""
        return person in self._words

    async def give(self, guest: Guest) -> None:
        """Give `guest` a word. Raises NotSaved, JournalDead: then they have none."""
        word = new_word(self._entropy)
        self._words[guest.person] = ""
        try:
            await self._journal.give_word(word, guest, self._seated)
        except BaseException:
            self.forget(guest.person)
            raise
        self._words[guest.person] = word

    async def take(self, typed: str) -> Guest | None:
        """Whom the word that was `typed` brings back, with a new word from now on. Raises NotSaved, JournalDead."""
        fresh = new_word(self._entropy)
        guest = await self._journal.take_word(read_word(typed), fresh)
        if guest is not None:
            self._words[guest.person] = fresh
        return guest

    def forget(self, person: str) -> None:
        """The person has gone; their word is good all the same."""
        self._words.pop(person, None)
