"""Tables of the race, without a server, and short ways to what they show."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Self

from cartino_protocol.base import Audience
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import TableView
from cartino_protocol.wire import encode
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import restore
from cartino_server.table.seating import Order
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import table_view
from tests.support.game_server import World, texts
from tests.support.journal import MemoryJournal
from tests.support.live_table import LiveSaver, LiveTable
from tests.support.race import Accept, Add, Call, Move, Race

PATIENT = TimeControl("none", "never")


class RaceTable(LiveTable):
    """A table for a race with a clock of its own; it waits for everybody as long as they like by default."""

    def __init__(
        self,
        seats: int = 2,
        *bots: str,
        goal: str = "3",
        turns: str = "one",
        time_control: TimeControl = PATIENT,
        substitutes: Sequence[str] = (),
        game: Race | None = None,
    ) -> None:
        self.world = World()
        order = Order(game or Race(), {"goal": goal, "turns": turns}, seats, bots, True, time_control)
        super().__init__("AAAA", order, self.world.entropy(32), self.world.ports(), substitutes)

    def play(self, script: str) -> Self:
        """Do each step of `script`: "ann adds 1" is a person's, "bob sits 0 -> seat-taken" is refused, "30s" passes."""
        for step in script.split(", "):
            did, _, refused = step.partition(" -> ")
            if re.fullmatch(r"[\d.]+s", did):
                self.skip(float(did[:-1]))
                continue
            person, verb, what = (*did.split(maxsplit=2), "")[:3]
            refusal = self._do(person, verb, what)
            assert (refusal.reason if isinstance(refusal, Refusal) else "") == refused, step
        return self

    def _do(self, person: str, verb: str, what: str) -> object:
        match verb:
            case "joins" | "watches":
                return getattr(self, {"joins": "join"}.get(verb, "watch"))(person, person, what == "guest")
            case "adds" | "calls" | "accepts":
                moves: dict[str, Move] = {"calls": Call(), "accepts": Accept()}
                return self.move(person, moves.get(verb) or Add(int(what)))
            case "pauses" | "resumes":
                return self.vote(person, verb == "pauses")
            case "sits" | "leads":
                return getattr(self, verb[:-1])(person, int(what) if what else None)
            case "says" | "cuts":
                return getattr(self, verb[:-1])(person, what)
            case _:
                return getattr(self, {"vanishes": "cut_off", "agrees": "rematch"}.get(verb, verb[:-1]))(
                    person
                )

    def skip(self, seconds: float) -> None:
        """Let time pass, and look what that means."""
        self.world.time += seconds
        self.look()

    def move(self, person: str, what: Move, number: int | None = None) -> Refusal | None:
        """A person's move as an answer to the newest state, or to `number`."""
        return self.act(person, self.number if number is None else number, encode(what))

    def seen(self, audience: Audience = None) -> TableView:
        """The table as the player on that seat sees it, or as spectators do."""
        return table_view(self.table, audience)

    def lefts(self) -> list[float | None]:
        """The seconds that each seat has."""
        return [seat.left for seat in self.seen().seats]

    def names(self) -> list[str]:
        """What stands on the seats."""
        return [chair.name for chair in self.table.seating.chairs]

    def heard(self, *, spectator: bool = False) -> list[str]:
        """What the chat says."""
        return texts(self.table.chat_view(spectator))

    @cached_property
    def journal(self) -> MemoryJournal:
        """Where the table is saved."""
        return MemoryJournal()

    @cached_property
    def saver(self) -> LiveSaver:
        """What saves it."""
        return LiveSaver(self, self.journal, self.ports.clock)

    async def save(self) -> None:
        """Write what is new to the table's journal."""
        await self.saver.save()

    async def restart(self) -> None:
        """Become the table that the next server makes of the journal."""
        await self.save()
        (kept,) = self.journal.unfinished()
        games, substitutes = {"race": self.order.game}, {"race": self.table.substitutes}
        saved = restore(kept, games, substitutes, self.world.ports())
        self.table = return_from_downtime(saved)
        self.saver = LiveSaver(self, self.journal, self.ports.clock, saved, kept.game)


def filled(
    *people: str,
    goal: str = "3",
    turns: str = "one",
    time_control: TimeControl = PATIENT,
    substitutes: Sequence[str] = (),
    game: Race | None = None,
) -> RaceTable:
    """A table at which these play."""
    table = RaceTable(
        len(people), goal=goal, turns=turns, time_control=time_control, substitutes=substitutes, game=game
    )
    return table.play(", ".join(f"{person} joins" for person in people))


def finished(*people: str) -> RaceTable:
    """A table whose game the first of these won at once."""
    return filled(*people).play(f"{people[0]} adds 3")
