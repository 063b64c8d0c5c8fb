"""Sees to it that what somebody sat down or had themselves called by stays their name, and is written down."""

from collections.abc import Callable, Iterable
from functools import partial

from cartino_server.rooms.namebook import NameBook
from cartino_server.rooms.people import Person
from cartino_server.rooms.seating import Chair
from cartino_server.store.register.names import KeptName, drop_name, put_name
from cartino_server.store.register.register import Register


class Naming:
    """Keeps names in the `book` at once, and behind play in the register. A guest's goes with the guest's word."""

    def __init__(self, book: NameBook, register: Register | None, now: Callable[[], int]) -> None:
        """Without a `register` the book alone knows; `now` is Unix seconds."""
        self._book = book
        self._register = register
        self._now = now

    def arrived(self, person: Person) -> None:
        """Somebody is here: their name, if it is kept, is so for another year."""
        used = self._book.use(person.id, self._now())
        if used is not None:
            self._write(used)

    def sat(
        self, chairs: Iterable[Chair], is_free: Callable[[str, str], bool], *, over: bool = False
    ) -> None:
        """Those with keys among who sit in `chairs` are called so from now on, unless they chose another name before.

        `is_free(name, person)` says whether it is nobody else's; `over`: they have played a game to its end.
        """
        for chair in chairs:
            new = chair.person and not chair.guest and not self._book.name_of(chair.person)
            if new and is_free(chair.name, chair.person):
                self.keep(chair.person, chair.name)
            played = self._book.played(chair.person) if over else None
            if played is not None:
                self._write(played)

    def keep(self, person: str, name: str) -> None:
        """The person of that id, who has a key, is called `name`, which is nobody else's."""
        kept = self._book.keep(person, name, self._now())
        if kept is not None:
            self._write(*kept)

    def name_of(self, person: str) -> str:
        """The name that is kept of the person of that id; "" for none."""
        return self._book.name_of(person)

    def forget(self, person: str) -> None:
        """There is no such person any more."""
        if self._book.name_of(person):
            self._book.forget(person)
            if self._register is not None:
                self._register.post(partial(drop_name, person=person))

    def _write(self, kept: KeptName, gone: tuple[str, ...] = ()) -> None:
        if self._register is not None:
            self._register.post(partial(put_name, kept=kept, gone=gone))
