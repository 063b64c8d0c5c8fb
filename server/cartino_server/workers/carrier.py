"""Takes the frames of many links to one worker: equal ones together, and only as fast as the worker takes them."""

import asyncio
import contextvars
from collections.abc import Callable, Iterable
from typing import Protocol

from cartino_protocol.outbox import AnswerKind
from cartino_server.workers.messages import Ended, FromHouse, Moved, Shown, code_of


class CarriedLink(Protocol):
    """A link of the house, as whoever carries it further sees it; see `rooms.seat.HouseLink`."""

    @property
    def closed(self) -> bool:
        """Whether nothing more will arrive."""

    def tell(self, listener: "Berth") -> None:
        """From now on `listener` hears at once of what arrives, and takes it."""

    def take(self) -> tuple[AnswerKind, bytes] | None:
        """The next answer's frame behind its kind; None where nothing waits."""

    def send_frame(self, frame: bytes) -> None:
        """Say the command in `frame`."""

    def close(self) -> None:
        """Hang up."""


class Berth:
    """A link's place with its carrier; the link tells it what there is to carry."""

    __slots__ = ("_carrier", "link", "number", "session")

    def __init__(self, number: int, link: CarriedLink, carrier: "Carrier", session: str) -> None:
        """Carry `link` as the one of that `number`, whom the log knows as `session`."""
        self.number = number
        self.link = link
        self.session = session
        self._carrier = carrier

    def arrived(self) -> None:
        """A frame waits to be taken, or the link has ended."""
        self._carrier.arrived(self)

    def left_room(self) -> None:
        """What was taken of the table before is out of date."""
        self._carrier.left_room(self)


class Carrier:
    """Carries once a loop turn, in the order in which links have something.

    So whom the house shows a move first has it first. Frames are taken out of the links' outboxes no sooner than they
    can be sent: of what a slow worker has not read only the newest waits.
    """

    def __init__(
        self, say_all: Callable[[Iterable[FromHouse]], object], ended: Callable[[int], object]
    ) -> None:
        """`say_all(messages)` sends them to the worker; `ended(number)`: that link has ended, and that is said."""
        self._say_all = say_all
        self._ended = ended
        self._ready: dict[Berth, None] = {}
        self._moved: dict[Berth, None] = {}
        self._flowing = True
        self._due: asyncio.Handle | None = None

    def arrived(self, berth: Berth) -> None:
        """The link of `berth` has a frame, or has ended."""
        self._ready[berth] = None
        self._go_on()

    def left_room(self, berth: Berth) -> None:
        """The link of `berth` stands at another table now."""
        self._moved[berth] = None
        self._go_on()

    def forget(self, berth: Berth) -> None:
        """Nothing of the link of `berth` is to be carried any more."""
        self._ready.pop(berth, None)
        self._moved.pop(berth, None)

    def flows(self, flowing: bool) -> None:
        """Whether the worker keeps up."""
        self._flowing = flowing
        self._go_on()

    def _go_on(self) -> None:
        if self._flowing and self._due is None and (self._ready or self._moved):
            # It must not keep alive what belongs to whoever set it off.
            loop = asyncio.get_running_loop()
            self._due = loop.call_soon(self._carry, context=contextvars.Context())

    def _carry(self) -> None:
        self._due = None
        while self._flowing and (self._ready or self._moved):
            messages: list[FromHouse] = [Moved(berth.number) for berth in self._moved]
            self._moved.clear()
            self._say_all([*messages, *self._next_of_each()])

    def _next_of_each(self) -> list[FromHouse]:
        """One frame of each link that has one: so much is more than the line holds, where many have a large one."""
        equal: dict[tuple[AnswerKind, bytes], list[int]] = {}
        ended: list[FromHouse] = []
        for berth in tuple(self._ready):
            taken = berth.link.take()
            if taken is not None:
                equal.setdefault(taken, []).append(berth.number)
                continue
            del self._ready[berth]
            if berth.link.closed:
                ended.append(Ended(berth.number))
                self._ended(berth.number)
        shown = [Shown(code_of(kind), frame, tuple(links)) for (kind, frame), links in equal.items()]
        return [*shown, *ended]
