"""Connect authentication, admin commands, the admin socket and journal upkeep to one server."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cartino_protocol.text import LazyMessage
from cartino_server.admin.actions import AdminActions, Drainer
from cartino_server.admin.dispatch import AdminDispatcher, AuditLog
from cartino_server.admin.socket import AdminSocket, open_admin_socket
from cartino_server.lobby.server import Server
from cartino_server.networks import wider_networks
from cartino_server.operations.health import HealthSources, ServerStatus, check_health, measure_loop_delay
from cartino_server.operations.login import ServerAuthenticator, find_name_ban
from cartino_server.operations.settings import ServerSettings, SettingsChange
from cartino_server.store.maintenance import Growth, Scrubber, Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys
from cartino_server.visitors import Reply, Visitor
from cartino_tui.i18n import Translator


def provider_network(network: str) -> str:
    """The network that one customer may have around the one of an address (see `Source`); "" around ""."""
    return wider_networks(network.partition("/")[0])[0] if network else ""


def enclosing_networks(network: str) -> tuple[str, ...]:
    """The network of an address (see `Source`) and the wider ones around it, the narrowest first; () around ""."""
    return (network, *wider_networks(network.partition("/")[0])) if network else ()


class Administration:
    """Keeps `house`. Construct it, then `open` it once the door is there; a `Hosts` of its visitors."""

    def __init__(
        self,
        house: Server,
        register: PeopleDatabase,
        bans: BanList,
        settings: ServerSettings,
        *,
        dismiss: Callable[[int, LazyMessage], object],
        reread: Callable[[], SettingsChange],
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
        hand, keys = house.moderation, PersonKeys(register)
        hand.banned_name = lambda name: find_name_ban(bans, name)
        # Of tables that were kept before a ban was, the house may have ended in between.
        hand.take_banned_names()
        self.keeper = ServerAuthenticator(
            keys, bans, hand, settings, dismiss=dismiss, count=count, outside=outside
        )
        house.rate_limits.network_of = self.keeper.network_of
        house.rate_limits.origin_of = lambda connection: provider_network(self.keeper.network_of(connection))
        hand.networks_around = lambda connection: enclosing_networks(self.keeper.network_of(connection))
        hand.address_of = self.keeper.address_of
        hand.silenced = self.keeper.voice_ban
        house.account_data.keys.moved = self.keeper.moved
        self._house = house
        self._upkeep = upkeep
        self._bans = bans
        self._draining = Drainer(hand, stop)
        self._began = time.time()
        self._acts = AdminActions(
            hand, self.keeper, bans, keys, register, self._draining, reread, self._health, time.time, upkeep
        )
        self._subject: HealthSources | None = None
        self._desk: AdminDispatcher | None = None
        self._hatch: AdminSocket | None = None
        self._scrub: Scrubber | None = None

    def configure(self, settings: ServerSettings) -> None:
        """Go by `settings` from now on; who is in stays in."""
        self.keeper.configure(settings)

    def open(self, data: Path, subject: HealthSources, scrub: Scrubber | None = None) -> None:
        """Answer hosts from now on; `data` is the data directory, where their socket and the audit log are.

        `subject` is what is looked at where they ask how the house does; `scrub` proves what is on disk meanwhile.
        """
        self._subject = subject
        self._desk = AdminDispatcher(self._acts, AuditLog(data), time.time, time.monotonic)
        self._hatch = open_admin_socket(data, self._desk.answer)
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

    async def answer(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        """See Hosts."""
        assert self._desk is not None
        who = f"{visitor.key or 'guest'} (connection {visitor.connection})"
        if not self.knows(visitor):
            return await self._desk.refuse_stranger(who, words, translator)
        return await self._desk.answer(who, words, translator, "ssh HOST admin")

    async def _health(self) -> ServerStatus:
        assert self._subject is not None
        health = check_health(self._subject, await measure_loop_delay())
        counts = self._house.stats.count()
        facts = {
            "connections": len(self.keeper.present()),
            "people": counts.people,
            "tables": sum(counts.tables.values()),
            "playing": counts.tables.get("playing", 0),
            "bans": len(self._bans.all()),
            "draining": int(self._draining.is_on),
            "seconds": round(time.time() - self._began),
        }
        return ServerStatus(health, facts)
