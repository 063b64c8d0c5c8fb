"""All by which a house is kept: its doorkeeper, what its hosts can do, and the ways on which they are answered."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cartino_protocol.marking import Sentence
from cartino_server.entry.admin.acting import Acts
from cartino_server.entry.admin.audit import Audit
from cartino_server.entry.admin.desk import Desk
from cartino_server.entry.admin.draining import Draining
from cartino_server.entry.admin.hatch import Hatch, open_hatch
from cartino_server.entry.doorkeeping import HouseDoorkeeper, name_ban, rules_of
from cartino_server.entry.health import State, Subject, examine, probe
from cartino_server.entry.rereading import Reread
from cartino_server.entry.settings import Settings
from cartino_server.rooms.house import House
from cartino_server.ssh.client_address import wider_networks
from cartino_server.ssh.ports import Reply, Visitor
from cartino_server.store.growth import Growth
from cartino_server.store.register.bans import Bans
from cartino_server.store.register.keys import Keys
from cartino_server.store.register.register import Register
from cartino_server.store.scrubbing import Scrub
from cartino_server.store.upkeep import Upkeep
from cartino_tui.tongue import Tongue


def wider(network: str) -> str:
    """The network that one customer may have around the one of an address (see `Source`); "" around ""."""
    return wider_networks(network.partition("/")[0])[0] if network else ""


def all_around(network: str) -> tuple[str, ...]:
    """The network of an address (see `Source`) and the wider ones around it, the narrowest first; () around ""."""
    return (network, *wider_networks(network.partition("/")[0])) if network else ()


class Keeping:
    """Keeps `house`. Construct it, then `open` it once the door is there; a `Hosts` of its visitors."""

    def __init__(
        self,
        house: House,
        register: Register,
        bans: Bans,
        settings: Settings,
        *,
        dismiss: Callable[[int, Sentence], object],
        reread: Callable[[], Reread],
        stop: Callable[[], object],
        count: Callable[[str], object] = lambda _: None,
        outside: Callable[[], int] = lambda: 0,
        upkeep: Upkeep | None = None,
    ) -> None:
        """`bans` are those of `register`, and loaded.

        `dismiss(connection, farewell)` ends a connection, `reread()` reads the settings again, `stop()` ends the
        house; `count(kind)` counts who is refused at the door, `outside()` are there who have not logged in.
        `upkeep` is that of the journal, None where there is none.
        """
        hand, keys = house.hand, Keys(register)
        hand.banned_name = lambda name: name_ban(bans, name)
        # Of tables that were kept before a ban was, the house may have ended in between.
        hand.take_banned_names()
        self.keeper = HouseDoorkeeper(
            keys, bans, hand, rules_of(settings), dismiss=dismiss, count=count, outside=outside
        )
        house.paces.network_of = self.keeper.network_of
        house.paces.origin_of = lambda connection: wider(self.keeper.network_of(connection))
        hand.networks_around = lambda connection: all_around(self.keeper.network_of(connection))
        hand.address_of = self.keeper.address_of
        hand.silenced = self.keeper.voice_ban
        house.keyring.moved = self.keeper.moved
        self._house = house
        self._upkeep = upkeep
        self._bans = bans
        self._draining = Draining(hand, stop)
        self._began = time.time()
        self._acts = Acts(
            hand, self.keeper, bans, keys, register, self._draining, reread, self._health, time.time, upkeep
        )
        self._subject: Subject | None = None
        self._desk: Desk | None = None
        self._hatch: Hatch | None = None
        self._scrub: Scrub | None = None

    def configure(self, settings: Settings) -> None:
        """Go by `settings` from now on; who is in stays in."""
        self.keeper.rules = rules_of(settings)

    def open(self, data: Path, subject: Subject, scrub: Scrub | None = None) -> None:
        """Answer hosts from now on; `data` is the data directory, where their socket and the audit log are.

        `subject` is what is looked at where they ask how the house does; `scrub` proves what is on disk meanwhile.
        """
        self._subject = subject
        self._desk = Desk(self._acts, Audit(data), time.time, time.monotonic)
        self._hatch = open_hatch(data, self._desk.answer)
        self._scrub = scrub
        for worker in (self._upkeep, scrub):
            if worker is not None:
                worker.start()

    async def close(self) -> None:
        """Answer nobody any more, and leave the journal alone."""
        for worker in (self._upkeep, self._scrub):
            if worker is not None:
                await worker.close()
        self._draining.close()
        if self._hatch is not None:
            await self._hatch.close()
        if self._desk is not None:
            await self._desk.close()

    def growth(self) -> Growth:
        """Return what the data took at the last look."""
        return Growth() if self._upkeep is None else self._upkeep.growth

    # What visitors are told (see hosting.Hosts).

    def admits(self, visitor: Visitor) -> bool:
        """Whether the connection of `visitor` was let in as that person, and not sent away since."""
        return self.keeper.admits(visitor.connection, visitor.person)

    def knows(self, visitor: Visitor) -> bool:
        """See Hosts."""
        return self._desk is not None and self.keeper.is_admin(visitor.connection)

    async def answer(self, visitor: Visitor, words: Sequence[str], tongue: Tongue) -> Reply:
        """See Hosts."""
        assert self._desk is not None
        who = f"{visitor.key or 'guest'} (connection {visitor.connection})"
        if not self.knows(visitor):
            return await self._desk.turn_away(who, words, tongue)
        return await self._desk.answer(who, words, tongue, "ssh HOST admin")

    async def _health(self) -> State:
        assert self._subject is not None
        health = examine(self._subject, await probe())
        counts = self._house.census.count()
        facts = {
            "connections": len(self.keeper.present()),
            "people": counts.people,
            "tables": sum(counts.tables.values()),
            "playing": counts.tables.get("playing", 0),
            "bans": len(self._bans.all()),
            "draining": int(self._draining.is_on),
            "seconds": round(time.time() - self._began),
        }
        return State(health, facts)
