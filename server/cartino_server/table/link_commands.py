"""Serve the commands of links at a table, and move links between the table and the lobby."""

from collections.abc import Callable
from typing import Protocol

import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Command, Join, Leave, QuickPlay, SaveSelection, Sit, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left
from cartino_server.metrics.definitions import COMMAND_TO_COMMIT
from cartino_server.table import participants
from cartino_server.table.jobs import AGREE, Departed, FromLink, Job
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import TableCommand
from cartino_server.table.saving import SavedTable
from cartino_server.table.state import TableState
from cartino_server.table.views import Broadcast

_log = structlog.get_logger(__name__)


class LinkLobby(Protocol):
    """Where links are while they are not at the table."""

    def name_of(self, link: ServerLink) -> str:
        """Return the name of the link's person."""

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that isn't for this table; False where `link.settled()` will be called when it is done."""

    def entered(self, link: ServerLink, code: str) -> None:
        """Note that the link is at the table `code` now, and nowhere else."""

    def missed(self, link: ServerLink, room: TableState) -> None:
        """Note that the link ended before it could enter; its person may have a seat at this table all the same."""

    def went_home(self, link: ServerLink, left: Left) -> None:
        """Note that the link is back in the lobby."""


class LinkCommands:
    """Serves links at `table` and those that want to come; `broadcast` has the links that are there."""

    def __init__(
        self,
        table: SavedTable,
        broadcast: Broadcast,
        lobby: LinkLobby,
        post: Callable[[Job], object],
    ) -> None:
        """`post` queues a job of the table."""
        self._table = table
        self._broadcast = broadcast
        self._lobby = lobby
        self._post = post

    async def serve(self, job: FromLink, chat_length: int) -> None:
        """Do what the link asks for, or refuse it; a line of chat has at most so many characters."""
        link, command, room = job.link, job.command, self._table.room
        is_here = link in self._broadcast.links
        match command:
            case SaveSelection():
                self._select(job, command)
            case _ if link.closed:
                pass
            case _ if is_here and isinstance(command, TableCommand):
                new = participants.apply(room, link.person.id, command, chat_length, link.origin)
                if await self._answer(job, new) and isinstance(command, Sit):
                    self._leave_other_terminals(link)
                job.settle()
            case Join() | Watch() | QuickPlay() if self._leads_here(command, is_here):
                await self._enter(job, command)
            case Leave() if is_here:
                self._broadcast.remove(link)
                try:
                    await self.depart(link.person.id, cut_off=False)
                finally:
                    self._lobby.went_home(link, Left("left", room.code))
                job.settle()
            case _:
                self.route(job)

    async def depart(self, person: str, *, cut_off: bool) -> None:
        """Let the person go if this was their last link, and then do what all others want, if that can be saved."""
        gone = self._table.room
        if not self._broadcast.links_of(person):
            gone = participants.cut_off(gone, person) if cut_off else participants.leave(gone, person)
            self._post(AGREE)
        await self._table.commit(gone, stands=True)

    def route(self, job: FromLink) -> None:
        """Have the lobby serve a command that isn't for this table."""
        job.is_answered = True
        if self._lobby.route(job.link, job.command):
            job.link.settled()

    def _leads_here(self, command: Join | Watch | QuickPlay, is_here: bool) -> bool:
        if isinstance(command, QuickPlay):
            # At an open table those who want any are right already, else they want another one.
            return not is_here or self._table.room.state == "open"
        return parse_code(command.code) == self._table.room.code

    async def _answer(self, job: FromLink, new: TableState | Refusal) -> bool:
        """Commit `new` and return True; if that fails or it is a refusal, refuse the command."""
        saved = await self._table.commit(self._table.room if isinstance(new, Refusal) else new)
        if saved and not isinstance(new, Refusal):
            COMMAND_TO_COMMIT.end(job.begun)
            return True
        refusal = new if isinstance(new, Refusal) else Refusal("not-saved")
        job.link.refuse(job.asked, refusal.reason, refusal.detail)
        return False

    async def _enter(self, job: FromLink, command: Join | Watch | QuickPlay) -> None:
        link, person, room = job.link, job.link.person, self._table.room
        again = not isinstance(command, QuickPlay) and command.again
        new: TableState | Refusal
        # A seat on a dead connection of the same client may be taken over, one at another terminal may not.
        if again and any(not link.is_line_of(other) for other in self._other_terminals(link)):
            new = Refusal("elsewhere", room.code)
        else:
            come = participants.watch if isinstance(command, Watch) else participants.join
            try:
                new = come(room, person.id, self._lobby.name_of(link), person.guest)
            except Exception:
                # Whose arrival breaks the table at the deal is told so like everybody at it.
                self._admit(link)
                raise
            if isinstance(new, Refusal) and isinstance(command, QuickPlay):
                # Somebody was quicker to the last seat: on to the next table.
                self.route(job)
                return
        if await self._answer(job, new):
            self._admit(link)
        job.settle()

    def _admit(self, link: ServerLink) -> None:
        """Show the table to `link` from now on."""
        room = self._table.room
        if link.closed:
            # It ended while its arrival was being saved.
            self._lobby.missed(link, room)
            self._post(Departed(link.person.id, True))
            return
        self._broadcast.admit(link)
        self._lobby.entered(link, room.code)
        if link.session:
            _log.info("came to a table", room=room.code, session=link.session, connection=link.connection)
        self._leave_other_terminals(link)

    def _other_terminals(self, link: ServerLink) -> tuple[ServerLink, ...]:
        """Return the other links at which the person of `link` has their seat."""
        person = link.person.id
        if self._table.room.seating.seat_of(person) is None:
            return ()
        return tuple(other for other in self._broadcast.links_of(person) if other is not link)

    def _leave_other_terminals(self, link: ServerLink) -> None:
        """Take the person's seat away from their other terminals, if they have one."""
        for other in self._other_terminals(link):
            self._broadcast.remove(other)
            self._lobby.went_home(other, Left("moved", self._table.room.code))

    def _select(self, job: FromLink, command: SaveSelection) -> None:
        """Keep a player's selection, also if their link has ended meanwhile."""
        if self._table.room.seating.seat_of(job.link.person.id) is None:
            job.link.refuse(command, "not-seated")
        elif not self._broadcast.select(job.link.person.id, bytes(command.selection)):
            job.link.refuse(command, "malformed")
        job.settle()
