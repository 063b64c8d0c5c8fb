"""Lines of chat that people report: found at the table, written down for the host with what was said before."""

from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from cartino_protocol.neighbours import Reported
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatLine
from cartino_server.rooms.authors import Authors
from cartino_server.rooms.people import Person
from cartino_server.rooms.room import Room
from cartino_server.rooms.visitors import Visitor
from cartino_server.store.register.register import Register
from cartino_server.store.register.reports import Report, add_report

BEFORE: Final = 5
"""Lines that are written down with the one that is reported."""

_log = structlog.get_logger(__name__)


class Reporting:
    """Writes reports into the register."""

    def __init__(
        self,
        authors: Authors,
        register: Register | None,
        now: Callable[[], int],
        visitor: Callable[[str], Visitor | None],
    ) -> None:
        """Without a `register` there is no host to read them, and no stranger to report; `now` is Unix time.

        `visitor(person)` is how somebody was here last.
        """
        self._authors = authors
        self._register = register
        self._now = now
        self._visitor = visitor

    async def report(self, person: Person, name: str, room: Room, number: int) -> Reported | Refusal:
        """`person`, called `name` and at the table `room`, reports the line of that number. Raises NotSaved."""
        *before, line = room.talk.up_to(number, room.seating.seat_of(person.id) is None, 1 + BEFORE) or (
            None,
        )
        if line is None or self._register is None:
            return Refusal("no-such-line")
        if self._is_by(line, person, name):
            return Refusal("reported-yourself")
        said_by = self._authors.person(line.who) or ""
        visitor = self._visitor(said_by)
        report = Report(
            made=self._now(),
            reporter=person.id,
            reporter_name=name,
            person=said_by,
            name=line.name,
            code=room.code,
            line=number,
            text=line.text,
            before=tuple(f"{each.name}: {each.text}" for each in before),
            # They may have gone, and a guest is somebody new when they come again.
            source="" if visitor is None else visitor.source,
        )
        kept = await self._register.do(partial(add_report, report=report))
        if kept is None:
            return Refusal("too-many-reports")
        # What was said is for the host's eyes, not for whoever reads the log.
        _log.info("a line of chat was reported", report=kept, room=room.code)
        return Reported(number, line.name)

    def _is_by(self, line: ChatLine, person: Person, name: str) -> bool:
        return line.who == self._authors.mark(person.id) if line.who else line.name == name
