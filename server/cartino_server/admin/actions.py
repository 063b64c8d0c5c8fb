"""Run admin commands: list, kick, mute, ban, close tables, prune, drain, reload settings."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Literal

import msgspec
import structlog

from cartino_protocol.exit_status import NOT_FOUND
from cartino_protocol.notices import Announced
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.admin import listings
from cartino_server.admin.lookup import PersonLookup, PersonMatch, report_not_found
from cartino_server.commands.console import CommandError, failure, misuse, not_found, shorten
from cartino_server.deals.deal import date_of
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.overview import Overview
from cartino_server.lobby.people.names import GUEST, LONGEST, looks
from cartino_server.networks import Network, in_network, parse_network
from cartino_server.operations.health import ServerStatus
from cartino_server.operations.login import Removal, ServerAuthenticator
from cartino_server.operations.settings import SettingsChange
from cartino_server.services import Services
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.moderation import (
    Ban,
    BanKind,
    BanList,
    TooManyBans,
    close_report,
    format_moment,
    list_reports,
)
from cartino_server.store.people import PeopleDatabase, PersonKeys
from cartino_server.table.chat import clean_text
from cartino_server.table.lifetime import EvictionLoss
from cartino_tui.i18n import Translator

DRAIN_CHECK_SECONDS: Final = 1.0
"""Seconds between two checks while the server drains."""

_log = structlog.get_logger(__name__)


class Drainer:
    """Ends the server once its games are over."""

    def __init__(
        self,
        moderation: Moderation,
        overview: Overview,
        stop: Callable[[], object],
        every: float = DRAIN_CHECK_SECONDS,
    ) -> None:
        """Call `stop` when the server has drained; look `every` so many seconds."""
        self._moderation = moderation
        self._overview = overview
        self._stop = stop
        self._every = every
        self._waiting: asyncio.Task[None] | None = None

    @property
    def is_on(self) -> bool:
        """Whether the server drains."""
        return self._waiting is not None

    def begin(self, within: float) -> None:
        """Allow no new games; stop after the last one, at the latest in `within` seconds.

        Another call only sets another time.
        """
        if self._waiting is None:
            self._moderation.set_draining(True)
            self._moderation.announce(Announced("ends"))
        else:
            self._waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_task(self._wait(loop.time() + within))
        _log.info("server drains", within=within)

    def end(self) -> bool:
        """Stop draining; return False if the server did not drain."""
        if self._waiting is None:
            return False
        self.close()
        self._moderation.set_draining(False)
        self._moderation.announce(Announced("stays"))
        _log.info("draining cancelled")
        return True

    def close(self) -> None:
        """Stop waiting."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _wait(self, until: float) -> None:
        loop = asyncio.get_running_loop()
        while True:
            # Sleep first, so that the admin gets the reply.
            await asyncio.sleep(max(0.0, min(self._every, until - loop.time())))
            if not self._overview.plays() or loop.time() >= until:
                self._stop()
                return


WIDEST_BANS: Final = {4: 8, 6: 16}
"""The shortest prefix of a network that can be banned, by IP version."""
TABLE_NOT_FOUND: Final = N_("There is no table {code}. `admin tables` lists all tables.")


class ActionResult(msgspec.Struct, frozen=True):
    """The outcome of a command, as data for JSON and as text."""

    data: object
    say: Callable[[Translator], str]


class AdminActions(msgspec.Struct):
    """Runs admin commands, a method each. Each may raise CommandError and NotSaved."""

    services: Services
    authenticator: ServerAuthenticator
    bans: BanList
    keys: PersonKeys
    people: PeopleDatabase
    drainer: Drainer
    reload: Callable[[], SettingsChange]
    health: Callable[[], Awaitable[ServerStatus]]
    now: Callable[[], float]
    """The wall clock."""
    upkeep: Upkeep | None = None
    """None if no games are kept."""
    by: str = ""
    """The admin who runs a command."""

    @property
    def lookup(self) -> PersonLookup:
        """Find the persons that admins name."""
        return PersonLookup(self.services, self.keys, self.people)

    async def list_connections(self) -> ActionResult:
        """List connections."""
        services = self.services
        who = listings.connection_rows(
            services.connections, services.overview.list_online(), services.moderation.is_muted
        )
        return ActionResult(who, partial(listings.connections_text, who))

    async def list_tables(self) -> ActionResult:
        """List all tables, private ones too."""
        tables, listed = self.services.overview.tables()
        held = {table.code: table for table in self.services.registry.holdings()}
        return ActionResult(
            listings.all_tables_data(tables, listed, held),
            partial(listings.all_tables_text, tables, listed, held),
        )

    async def list_bans(self) -> ActionResult:
        """List bans and mutes."""
        bans = self.bans.all()
        return ActionResult(listings.bans_data(bans), partial(listings.bans_text, bans))

    async def announce(self, text: str) -> ActionResult:
        """Announce `text` to everybody online."""
        n = self.services.moderation.announce(Announced("says", text))
        return _result({"told": n}, lazy_ngettext("Sent to {n} person.", "Sent to {n} people.", n))

    async def undrain(self) -> ActionResult:
        """Stop draining."""
        if not self.drainer.end():
            raise failure("The server isn't draining.")
        return _result({"draining": False}, lazy_gettext("The server keeps running; new games can start."))

    async def league(self, name: str, game: str = "", first: int = 0, last: int = 0) -> ActionResult:
        """Make a league of `game` over the days `first` to `last` (since 1970), or drop it if there are none."""
        deals = self.services.deal_results
        if not last:
            if not await deals.drop_league(name):
                raise not_found("There is no league {name}.", name=name)
            return _result({"dropped": name}, lazy_gettext("The league {name} is deleted.", name=name))
        catalog = self.services.registry.catalog
        games = catalog.games
        game = game or next(iter(games), "")
        if game not in games:
            raise not_found("There is no game {name} here.", name=game)
        if game not in catalog.judged:
            raise failure(
                "A league adds up the points that turns lost, and no bot judges the turns of {game}.",
                game=games[game].title,
            )
        begins, ends = date_of(first), date_of(last)
        if not await deals.new_league(name, game, first, last):
            raise failure("There is a league {name} already.", name=name)
        return _result(
            {
                "league": name,
                "game": game,
                "days": last - first + 1,
                "first": begins,
                "last": ends,
            },
            lazy_gettext(
                "The league {name} has the daily games of {game} from {first} to {last}. `ssh HOST league {name}` "
                "shows it.",
                name=name,
                game=games[game].title,
                first=begins,
                last=ends,
            ),
        )

    async def show_health(self) -> ActionResult:
        """Show the server's health."""
        state = await self.health()
        facts = "".join(f"{name}: {value}\n" for name, value in state.facts.items())
        health = state.health
        return ActionResult(
            state, lambda translator: f"{health.words(translator)}\n{health.disk_space(translator)}\n{facts}"
        )

    async def reports(self, done: int) -> ActionResult:
        """List the reports, or remove report `done` if it isn't 0."""
        if done:
            if not await self.people.do(partial(close_report, number=done)):
                raise report_not_found(done)
            return _result(
                {"done": done}, lazy_gettext("Report {number} is closed and deleted.", number=done)
            )
        reports = await self.people.do(list_reports)
        return ActionResult(listings.reports_data(reports), partial(listings.reports_text, reports))

    async def close(
        self, codes: tuple[str, ...], reason: str, source: str, *, unplayed: bool
    ) -> ActionResult:
        """Close the tables `codes`; without codes those opened from `source`, or those without a human move."""
        named, codes = codes, codes or await self._meant(source, unplayed=unplayed)
        done = await asyncio.gather(*(self.services.moderation.close(code, reason) for code in codes))
        closed = [code for code, is_closed in zip(codes, done, strict=True) if is_closed]
        missing = [LazyMessage(TABLE_NOT_FOUND, {"code": code}) for code in named if code not in closed]
        if not closed and missing:
            raise CommandError(missing[0], NOT_FOUND)
        if named:
            told = [lazy_gettext("Table {code} is closed.", code=code) for code in closed]
        else:
            told = [lazy_ngettext("{n} table is closed.", "{n} tables are closed.", len(closed))]
        return _result({"closed": closed}, *told, *missing)

    async def _meant(self, source: str, *, unplayed: bool) -> tuple[str, ...]:
        network = await self._network(source) if source else None

        def is_from(origin: tuple[str, ...]) -> bool:
            came = parse_network(origin[0]) if origin else None
            return network is None or (came is not None and came.overlaps(network))

        return tuple(
            table.code
            for table in self.services.registry.holdings()
            if not (unplayed and table.loss > EvictionLoss.DEAL) and is_from(table.origin)
        )

    async def _network(self, where: str) -> Network:
        network = parse_network(await self.lookup.source_of(where) or where)
        if network is None:
            raise misuse(
                "{text} isn't an address, a network or a connection number.", text=repr(shorten(where, 60))
            )
        return network

    async def prune(self, before: int | None, *, dry: bool) -> ActionResult:
        """Remove the games that ended `before` then (Unix seconds, None: by the settings); `dry`: only count them."""
        if self.upkeep is None:
            raise failure("No games are kept here.")
        n = await self.upkeep.count(before)
        cleanup = self.services.deals.cleanup
        parked = await cleanup.count(before)
        data = {"games": n, "parked": parked, "dry_run": dry}
        if dry:
            would = lazy_ngettext(
                "{n} finished game would be removed.", "{n} finished games would be removed.", n
            )
            more = lazy_ngettext(
                "{n} parked game would be removed.", "{n} parked games would be removed.", parked
            )
            return _result({**data, "done": False}, would, *([more] if parked else []))
        cleanup.order(before)
        also = [lazy_ngettext("Removing {n} parked game.", "Removing {n} parked games.", parked)][
            : bool(parked)
        ]
        if await self.upkeep.order(before):
            gone = lazy_ngettext("Removed {n} finished game.", "Removed {n} finished games.", n)
            return _result({**data, "done": not parked}, gone, *also)
        goes = lazy_ngettext("Removing {n} finished game.", "Removing {n} finished games.", n)
        return _result({**data, "done": False}, goes, *also)

    async def kick(self, who: str, reason: str) -> ActionResult:
        """Disconnect `who`."""
        found = await self.lookup.find(who)
        if not found.connections:
            raise failure("{name} isn't connected.", name=found.called)
        self.authenticator.send_away(found.connections, Removal("kicked", reason))
        n = len(found.connections)
        return _result(
            {"ended": n},
            lazy_ngettext(
                "{name} was disconnected ({n} connection).",
                "{name} was disconnected ({n} connections).",
                n,
                name=found.called,
            ),
        )

    async def mute(self, who: str, until: int | None, reason: str) -> ActionResult:
        """Mute `who` until then (Unix seconds, None for ever)."""
        found = await self.lookup.find(who)
        # Guests get a new id at each visit, and a new key is made in a moment; their network stays.
        networks = self.lookup.networks_of(found)
        what = "\n".join((found.person, *networks))
        ban = await self._add("voice", what, until, reason, found.name)
        self.services.moderation.announce(Announced("muted", ban.reason, ban.ends), [found.person])
        told = [_until_message(MUTED, MUTED_UNTIL, ban, found.called)]
        if networks:
            told.append(
                lazy_gettext(
                    "So is everyone from {networks} who has no key or finished no game before today.",
                    networks=", ".join(networks),
                )
            )
        return _result({**_ban_data(ban), "networks": networks}, *told)

    async def unmute(self, who: str) -> ActionResult:
        """Unmute `who`."""
        found = await self.lookup.find(who)
        networks = self.lookup.networks_of(found)
        lifted = None
        while (ban_now := self.services.moderation.mute_from(found.person, networks)) is not None:
            await self.unban(ban_now.id)
            lifted = ban_now
        if lifted is None:
            raise failure("{name} isn't muted.", name=found.called)
        return _result(_ban_data(lifted), lazy_gettext("{name} is no longer muted.", name=found.called))

    async def ban(
        self, kind: Literal["key", "source", "name"], what: str, until: int | None, reason: str
    ) -> ActionResult:
        """Ban `what` until then (Unix seconds, None for ever)."""
        stored, target, name = await self._what_to_ban(kind, what)
        ban = await self._add(stored, target, until, reason, name)
        ended = self.authenticator.apply_bans()
        self.services.moderation.take_banned_names()
        told = _until_message(BANNED, BANNED_UNTIL, ban, name or target)
        ends = lazy_ngettext("{n} connection was closed.", "{n} connections were closed.", ended)
        return _result({**_ban_data(ban), "ended": ended}, told, ends)

    async def _what_to_ban(
        self, kind: Literal["key", "source", "name"], what: str
    ) -> tuple[BanKind, str, str]:
        match kind:
            case "key":
                found = await self._person_to_ban(what)
                return "person", found.person, found.name
            case "source":
                network = await self._network(what)
                self._check_network(network)
                return "source", str(network), str(network)
            case "name":
                name = (clean_text(await self.lookup.name_of(what), LONGEST) or "").removeprefix(GUEST)
                if not name:
                    raise misuse("A name has 2 to {n} characters.", n=LONGEST)
                return "name", "\n".join(sorted(looks(name))), name

    def _check_network(self, network: Network) -> None:
        """Raise CommandError for a network that is too wide or has an admin in it."""
        if network.prefixlen < WIDEST_BANS[network.version]:
            raise misuse(
                "{network} is too large for one ban. The largest allowed is /{v4}, or /{v6} for IPv6.",
                network=str(network),
                v4=WIDEST_BANS[4],
                v6=WIDEST_BANS[6],
            )
        for each in self.services.connections:
            if each.key in self.services.connections.admins and in_network(each.source, network):
                raise failure(
                    "Not banned: an admin is connected from there ({number}) and would be locked out.",
                    number=each.connection,
                )

    async def _person_to_ban(self, who: str) -> PersonMatch:
        found = await self.lookup.find(who)
        if found.is_guest:
            networks = ", ".join(self.lookup.networks_of(found))
            places = {"name": found.called, "networks": networks}
            raise CommandError(LazyMessage(GUEST_BAN_HINT if networks else GUEST_BAN_HINT_UNKNOWN, places))
        keys = await self.keys.keys_of(found.person)
        if any(key.fingerprint in self.services.connections.admins for key in keys):
            raise failure(
                "{name} is an admin. Remove their key from the admins setting first.", name=found.called
            )
        return found

    async def unban(self, number: int) -> ActionResult:
        """End the ban of that number."""
        ban = await self.bans.lift(number)
        if ban is None:
            raise not_found("There is no ban {number}. `admin bans` lists them.", number=number)
        name = ban.name or ban.what
        if ban.kind == "voice":
            self.services.moderation.announce(Announced("heard"), ban.what.split("\n"))
            return _result(_ban_data(ban), lazy_gettext("{name} is no longer muted.", name=name))
        return _result(_ban_data(ban), lazy_gettext("{name} is no longer banned.", name=name))

    async def _add(self, kind: BanKind, what: str, until: int | None, reason: str, name: str) -> Ban:
        try:
            return await self.bans.add(kind, what, until, reason, self.by, name)
        except TooManyBans:
            raise failure("There are too many bans. Remove some first.") from None

    async def drain(self, within: float) -> ActionResult:
        """Stop the server after its games, at the latest in `within` seconds."""
        self.drainer.begin(within)
        n, latest = self.services.overview.plays(), format_moment(self.now() + within)
        data = {"draining": True, "games": n, "latest": latest}
        if not n:
            return _result(
                data,
                lazy_gettext(
                    "No games to wait for, so the server stops now. Games in progress resume when it's back."
                ),
            )
        return _result(
            data,
            lazy_ngettext(
                "The server stops when {n} game is over, at {latest} UTC at the latest.",
                "The server stops when {n} games are over, at {latest} UTC at the latest.",
                n,
                latest=latest,
            ),
        )

    async def reload_settings(self) -> ActionResult:
        """Read the settings again."""
        reread = self.reload()
        changed, late = ", ".join(reread.changed), ", ".join(reread.late)
        told = [
            lazy_gettext("Changed: {settings}.", settings=changed)
            if changed
            else lazy_gettext("Settings reloaded. Nothing changed.")
        ]
        if late:
            told.append(lazy_gettext("These need a restart: {settings}.", settings=late))
        return _result({"changed": reread.changed, "late": reread.late}, *told)


GUEST_BAN_HINT: Final = N_(
    "{name} is a guest, without a key and with a new identity each time. Ban their address instead "
    "({networks})."
)
GUEST_BAN_HINT_UNKNOWN: Final = N_(
    "{name} is a guest, without a key and with a new identity each time. Ban their address instead."
)
MUTED: Final = N_("{name} is muted permanently.")
MUTED_UNTIL: Final = N_("{name} is muted until {until} UTC.")
BANNED: Final = N_("{name} is banned permanently.")
BANNED_UNTIL: Final = N_("{name} is banned until {until} UTC.")


def _until_message(forever: str, until: str, ban: Ban, name: str) -> LazyMessage:
    return LazyMessage(until if ban.ends else forever, {"name": name, "until": ban.ends})


def _ban_data(ban: Ban) -> dict[str, object]:
    return {"number": ban.id, "kind": listings.BAN_KIND_NAMES[ban.kind], "until": ban.until}


def _result(data: dict[str, object], *told: LazyMessage) -> ActionResult:
    return ActionResult(data, lambda translator: "".join(f"{translator.render(each)}\n" for each in told))
