"""What a link's command comes to at a table: an answer, a seat, a way in or out."""

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

import msgspec
import structlog

from cartino_protocol.commands import Command, Join, Keep, Leave, QuickPlay, Sit, Watch
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Kept, Left
from cartino_server.rooms.answering import RoomCommand, answer
from cartino_server.rooms.chat import LONGEST
from cartino_server.rooms.feed import Feed
from cartino_server.rooms.in_hand import InHand
from cartino_server.rooms.keeper import Keeper
from cartino_server.rooms.outcome import Job, Outcome, nothing
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink

PlaceT = TypeVar("PlaceT")

_log = structlog.get_logger(__name__)


class Service(Generic[PlaceT]):
    """Serves the links at `room`, and those on the way to it. All of it is done by the room's task."""

    def __init__(
        self,
        room: Room,
        feed: Feed,
        in_hand: InHand,
        keeper: Keeper[PlaceT],
        place: PlaceT,
        later: Callable[[Job], object],
        longest: Callable[[], int] = lambda: LONGEST,
    ) -> None:
        """The room is `place` to `keeper`; what `later` is given is done as a job of its own.

        `longest()` is how many characters a line of chat may have.
        """
        self.in_hand = in_hand
        self.is_over = False
        """Whether the table is closed: everything is served as in the lobby then."""
        self._room = room
        self._feed = feed
        self._keeper = keeper
        self._place = place
        self._later = later
        self._longest = longest
        self._admitted: list[HouseLink] = []

    def serve(self, link: HouseLink, command: Command, asked: Command) -> Outcome | None:
        """Serve `command` of `link`; `asked` is the one that a refusal of its way here answers."""
        if isinstance(command, Keep) and not self.is_over:
            return self._kept(link, command)
        if link.closed:
            return None
        if self.is_over or not (link in self._feed.links or self._leads_here(command)):
            return self._elsewhere(link, command)
        refusal: Refusal | None
        match command:
            case Join() | Watch() | QuickPlay():
                return self._way(link, command, asked)
            case Leave():
                return self._let_go(link)
            case _ if isinstance(command, RoomCommand):
                refusal = self._answered(link, command)
            case _:
                return self._elsewhere(link, command)
        if refusal is not None:
            return Outcome(partial(self._refuse, link, command, refusal), given_up=link.settled)
        done = partial(self._sat_down, link) if isinstance(command, Sit) else link.settled
        return Outcome(done, partial(self._refuse, link, command, Refusal("not-saved")), link.settled)

    def departed(self, person: str, cut_off: bool) -> None:
        """A link of `person` has gone from here; so has the person, if that was the last one."""
        if not self.is_over and not self._feed.holds(person):
            (self._room.cut_off if cut_off else self._room.leave)(person)
            self._later(self.agreed)

    def agreed(self) -> Outcome | None:
        """Do what all who are left want. Unlike their going it can wait until it can be saved."""
        if self.is_over:
            return None
        self._room.agree()
        return Outcome(undone=nothing)

    def hand_back(self) -> None:
        """Give those who have come since the last time what they had in hand; they have the table by now."""
        for link in self._admitted:
            memo = self.in_hand.of(link.person.id)
            if memo is not None and self._room.rounds.running is not None:
                link.put(Kept(msgspec.Raw(memo)))
        self._admitted.clear()

    def _answered(self, link: HouseLink, command: RoomCommand) -> Refusal | None:
        try:
            return answer(self._room, link.person.id, command, self._longest(), link.origin)
        except Exception:
            # The table breaks, and its people go on in the lobby.
            link.settled()
            raise

    def _elsewhere(self, link: HouseLink, command: Command) -> Outcome | None:
        if self._keeper.route(link, command):
            link.settled()
        return None

    def _refuse(self, link: HouseLink, command: Command, refusal: Refusal) -> None:
        link.refuse(command, refusal.reason, refusal.detail)
        link.settled()

    def _leads_here(self, command: Command) -> bool:
        match command:
            case QuickPlay():
                return True
            case Join(code=code) | Watch(code=code):
                return read_code(code) == self._room.code
            case _:
                return False

    def _way(self, link: HouseLink, command: Join | Watch | QuickPlay, asked: Command) -> Outcome | None:
        if isinstance(command, QuickPlay) and link in self._feed.links and self._room.state != "open":
            # The house has a table for them that is not this one; at an open table they are right already.
            return self._elsewhere(link, command)
        if not self._leads_here(command):
            return self._elsewhere(link, command)
        if isinstance(command, Join | Watch) and command.again and self._sits_elsewhere(link):
            return Outcome(
                partial(self._refuse, link, asked, Refusal("elsewhere", self._room.code)),
                given_up=link.settled,
            )
        person, name = link.person, self._keeper.name_of(link)
        come = self._room.watch if isinstance(command, Watch) else self._room.join
        try:
            refusal = come(person.id, name, person.guest)
        except Exception:
            # Who takes the last seat of a table that breaks at the deal is told so like everybody at it.
            self._admit(link)
            raise
        if refusal is None:
            refused = partial(self._refuse, link, asked, Refusal("not-saved"))
            return Outcome(partial(self._admit, link), refused, link.settled)
        if isinstance(command, QuickPlay):
            # Somebody was quicker to the last seat: on to the next table.
            return self._elsewhere(link, command)
        return Outcome(partial(self._refuse, link, asked, refusal), given_up=link.settled)

    def _admit(self, link: HouseLink) -> None:
        """Let `link` look on from now on."""
        if link.closed:
            # It went while its coming was being saved.
            self._keeper.missed(link, self._place)
            self._later(partial(self.departed, link.person.id, True))
            return
        self._feed.admit(link)
        self._keeper.entered(link, self._place)
        if link.session:
            _log.info(
                "came to a table", room=self._room.code, session=link.session, connection=link.connection
            )
        self._admitted.append(link)
        self._sat_down(link)

    def _others(self, link: HouseLink) -> tuple[HouseLink, ...]:
        """The other links at which the person of `link` has the seat that they have here."""
        person = link.person.id
        if self._room.seating.seat_of(person) is None:
            return ()
        return tuple(other for other in self._feed.links if other is not link and other.person.id == person)

    def _sits_elsewhere(self, link: HouseLink) -> bool:
        """Whether the person of `link` has a seat here at another terminal, and not at a dead call of the same line."""
        return any(not link.is_line_of(other) for other in self._others(link))

    def _sat_down(self, link: HouseLink) -> None:
        """Where `link` has a seat now, no other terminal of that person has it any more."""
        for other in self._others(link):
            self._feed.remove(other)
            self._keeper.went_home(other, Left("moved", self._room.code))
        link.settled()

    def _let_go(self, link: HouseLink) -> Outcome:
        self._feed.remove(link)
        self.departed(link.person.id, False)
        return Outcome(partial(self._let_gone, link), given_up=partial(self._let_gone, link))

    def _let_gone(self, link: HouseLink) -> None:
        self._keeper.went_home(link, Left("left", self._room.code))
        link.settled()

    def _kept(self, link: HouseLink, command: Keep) -> Outcome:
        """Keep what somebody has in hand, also if their line has gone meanwhile: it is what they come back to.

        Nobody waits for it, so it stands, and is saved when it can be.
        """
        person, refusal = link.person.id, None
        if self._room.seating.seat_of(person) is None:
            refusal = Refusal("not-seated")
        elif not self.in_hand.keep(person, bytes(command.memo)):
            refusal = Refusal("malformed")
        then = link.settled if refusal is None else partial(self._refuse, link, command, refusal)
        return Outcome(then, given_up=link.settled)
