"""Those who only watch a table: they are shown it in portions, so that nobody waits behind five hundred of them."""

import asyncio
import contextvars
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from cartino_protocol.outbox import ViewKind
from cartino_server.rooms.seat import HouseLink

PORTION: Final = 16
"""Links that are shown something in one turn of the loop: some milliseconds of drawing, then it is others' turn."""


class Gallery:
    """What is still to be shown to whom. The first get it in the loop's next turn, when the players have it."""

    def __init__(self) -> None:
        """Nothing is to be shown."""
        self._waiting: dict[HouseLink, dict[ViewKind, bytes]] = {}
        self._next: asyncio.Handle | None = None

    def show(self, links: Iterable[HouseLink], views: Mapping[ViewKind, bytes]) -> None:
        """Show all of `links` these `views`, instead of older ones that they still wait for."""
        for link in links:
            self._waiting.setdefault(link, {}).update(views)
        self._go_on()

    def forget(self, link: HouseLink) -> None:
        """`link` is shown nothing more from here."""
        self._waiting.pop(link, None)

    def finish(self) -> None:
        """Show everybody now what they wait for."""
        self._serve(len(self._waiting))

    def _go_on(self) -> None:
        if self._waiting and self._next is None:
            # It is the room's: it must not keep alive what belongs to whoever set it off.
            loop = asyncio.get_running_loop()
            self._next = loop.call_soon(self._serve_portion, context=contextvars.Context())

    def _serve_portion(self) -> None:
        self._next = None
        self._serve(PORTION)
        self._go_on()

    def _serve(self, most: int) -> None:
        for link in tuple(islice(self._waiting, most)):
            for kind, frame in self._waiting.pop(link).items():
                link.put_view(kind, frame)
