"""Handle the commands of links at a table, and of links on their way to it.

A handler returns an `Outcome`: what to do once the change is saved, if it cannot be saved, or if the table breaks.
The lobby is reached through `LobbyPort` alone. What a player has selected is kept in memory only, as the client encoded
it, and goes to nobody else.
"""

from collections.abc import Callable
from functools import partial
from typing import Generic, Literal, Protocol, TypeVar

import msgspec
import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import (
    Act,
    Command,
    Cut,
    Join,
    Keep,
    Leave,
    Pause,
    QuickPlay,
    Rematch,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Kept, Left, RoomLine
from cartino_server.table.chat import LONGEST
from cartino_server.table.link import ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.views import Broadcast


class Outcome(msgspec.Struct, frozen=True):
    """What is still to be done for a job: `then` once its effects are saved, `undone` where they can't be.

    Without `undone` the effects stay as they are, and are saved with the next ones. `given_up` is done instead of
    both where the table broke meanwhile.
    """

    then: Callable[[], object] | None = None
    undone: Callable[[], object] | None = None
    given_up: Callable[[], object] | None = None


Job = Callable[[], Outcome | None]

TableEnd = Literal["closed", "broken", "left open"]
"""How a room's task ends; what is left open is rebuilt at the next start of the house."""


def nothing() -> None:
    """A job that only has the room looked after."""


TableT_contra = TypeVar("TableT_contra", contravariant=True)


class LobbyPort(Protocol[TableT_contra]):
    """What a room's task needs of the house; a place is a room as the house holds it."""

    def name_of(self, link: ServerLink) -> str:
        """What the link's person is called."""

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that is not this room's; False where `link.settled()` will be called when it is done."""

    def entered(self, link: ServerLink, place: TableT_contra) -> None:
        """The link stands in this room now, and nowhere else."""

    def missed(self, link: ServerLink, place: TableT_contra) -> None:
        """The link ended before it could enter: whoever it was may have a seat in this room all the same."""

    def went_home(self, link: ServerLink, left: Left) -> None:
        """The link is back in the lobby."""

    def changed(self, place: TableT_contra, line: RoomLine) -> None:
        """Lists of rooms show `line` for this room from now on."""

    def closed(self, place: TableT_contra) -> None:
        """This room is no more."""


RoomCommand = Act | Say | Cut | Sit | Stand | Start | Rematch | Pause


def answer(
    room: TableState, person: str, command: RoomCommand, longest: int = LONGEST, origin: str = ""
) -> Refusal | None:
    """Do what `person`, who is at the table, asks for; or say why not, with nothing changed.

    `longest` is how many characters a line of chat may have, `origin` where they came from (see Chat).
    """
    match command:
        case Act(number=number, move=move):
            return room.act(person, number, bytes(move))
        case Say(text=text):
            return room.say(person, text, longest, origin)
        case Cut(text=text):
            return room.cut(person, text)
        case Sit(seat=seat):
            return room.sit(person, seat)
        case Stand():
            return room.stand(person)
        case Start():
            return room.start(person)
        case Rematch():
            return room.rematch(person)
        case Pause(on=on):
            return room.vote(person, on)


MAX_SELECTION_BYTES = 256
"""Bytes of what a player has selected."""


TableT = TypeVar("TableT")

_log = structlog.get_logger(__name__)


class CommandHandler(Generic[TableT]):
    """Serves the links at `room`, and those on the way to it. All of it is done by the room's task."""

    def __init__(
        self,
        room: TableState,
        feed: Broadcast,
        keeper: LobbyPort[TableT],
        place: TableT,
        later: Callable[[Job], object],
        longest: Callable[[], int] = lambda: LONGEST,
    ) -> None:
        """The room is `place` to `keeper`; what `later` is given is done as a job of its own.

        `longest()` is how many characters a line of chat may have.
        """
        self.selections: dict[str, bytes] = {}
        """What each player has selected, by person."""
        self.is_over = False
        """Whether the table is closed: everything is served as in the lobby then."""
        self._room = room
        self._feed = feed
        self._keeper = keeper
        self._place = place
        self._later = later
        self._longest = longest
        self._admitted: list[ServerLink] = []

    def serve(self, link: ServerLink, command: Command, asked: Command) -> Outcome | None:
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

    def send_selections(self) -> None:
        """Give those who have come since the last time what they had in hand; they have the table by now."""
        for link in self._admitted:
            memo = self.selections.get(link.person.id)
            if memo is not None and self._room.rounds.running is not None:
                link.put(Kept(msgspec.Raw(memo)))
        self._admitted.clear()

    def _answered(self, link: ServerLink, command: RoomCommand) -> Refusal | None:
        try:
            return answer(self._room, link.person.id, command, self._longest(), link.origin)
        except Exception:
            # The table breaks, and its people go on in the lobby.
            link.settled()
            raise

    def _elsewhere(self, link: ServerLink, command: Command) -> Outcome | None:
        if self._keeper.route(link, command):
            link.settled()
        return None

    def _refuse(self, link: ServerLink, command: Command, refusal: Refusal) -> None:
        link.refuse(command, refusal.reason, refusal.detail)
        link.settled()

    def _leads_here(self, command: Command) -> bool:
        match command:
            case QuickPlay():
                return True
            case Join(code=code) | Watch(code=code):
                return parse_code(code) == self._room.code
            case _:
                return False

    def _way(self, link: ServerLink, command: Join | Watch | QuickPlay, asked: Command) -> Outcome | None:
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

    def _admit(self, link: ServerLink) -> None:
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

    def _others(self, link: ServerLink) -> tuple[ServerLink, ...]:
        """The other links at which the person of `link` has the seat that they have here."""
        person = link.person.id
        if self._room.seating.seat_of(person) is None:
            return ()
        return tuple(other for other in self._feed.links if other is not link and other.person.id == person)

    def _sits_elsewhere(self, link: ServerLink) -> bool:
        """Whether the person of `link` has a seat here at another terminal, and not at a dead call of the same line."""
        return any(not link.is_line_of(other) for other in self._others(link))

    def _sat_down(self, link: ServerLink) -> None:
        """Where `link` has a seat now, no other terminal of that person has it any more."""
        for other in self._others(link):
            self._feed.remove(other)
            self._keeper.went_home(other, Left("moved", self._room.code))
        link.settled()

    def _let_go(self, link: ServerLink) -> Outcome:
        self._feed.remove(link)
        self.departed(link.person.id, False)
        return Outcome(partial(self._let_gone, link), given_up=partial(self._let_gone, link))

    def _let_gone(self, link: ServerLink) -> None:
        self._keeper.went_home(link, Left("left", self._room.code))
        link.settled()

    def _kept(self, link: ServerLink, command: Keep) -> Outcome:
        """Keep what somebody has selected, also if their link has ended meanwhile: they come back to it."""
        person, memo, refusal = link.person.id, bytes(command.memo), None
        if self._room.seating.seat_of(person) is None:
            refusal = Refusal("not-seated")
        elif len(memo) > MAX_SELECTION_BYTES:
            refusal = Refusal("malformed")
        else:
            self.selections[person] = memo
        then = link.settled if refusal is None else partial(self._refuse, link, command, refusal)
        return Outcome(then, given_up=link.settled)
