"""Does what hosts say, in the house and at its door."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.hosts_words import Announced
from cartino_protocol.marking import N_, Sentence, later, later_count
from cartino_server.entry.admin import listing
from cartino_server.entry.admin.draining import Draining
from cartino_server.entry.admin.finding import Finder, Found, no_report
from cartino_server.entry.admin.verbs import (
    CloseRoom,
    Drain,
    Health,
    Help,
    Kick,
    ListBans,
    MakeBan,
    Mute,
    Prune,
    Reload,
    Reports,
    Rooms,
    SayAll,
    Unban,
    Undrain,
    Unmute,
    Verb,
    Who,
)
from cartino_server.entry.doorkeeping import Expelled, HouseDoorkeeper
from cartino_server.entry.errors import MISUSE, NO_TABLE, CommandError, in_one_line
from cartino_server.entry.health import State
from cartino_server.entry.rereading import Reread
from cartino_server.networks import Network
from cartino_server.rooms.giving_way import Loss
from cartino_server.rooms.hand import Hand
from cartino_server.rooms.lookalikes import looks
from cartino_server.rooms.names import GUEST, LONGEST
from cartino_server.rooms.text import clean_text
from cartino_server.store.register.bans import Ban, Bans, Kind, TooManyBans, is_in, network_of, written
from cartino_server.store.register.keys import Keys
from cartino_server.store.register.register import Register
from cartino_server.store.register.reports import close_report, list_reports
from cartino_server.store.upkeep import Upkeep
from cartino_tui.tongue import Tongue

WIDEST: Final = {4: 8, 6: 16}
"""The shortest length of a network that can be banned, by IP version."""
NO_TABLE_THERE: Final = N_("There is no table {code}; `admin rooms` lists them.")


class Told(msgspec.Struct, frozen=True):
    """What a host is told: as data for programs, and how it is said to people."""

    data: object
    say: Callable[[Tongue], str]


class Acts:
    """All that hosts can do. Each call raises CommandError where it can't be done, and NotSaved."""

    def __init__(
        self,
        hand: Hand,
        keeper: HouseDoorkeeper,
        bans: Bans,
        keys: Keys,
        register: Register,
        draining: Draining,
        reread: Callable[[], Reread],
        health: Callable[[], Awaitable[State]],
        now: Callable[[], float],
        upkeep: Upkeep | None = None,
    ) -> None:
        """`reread()` reads the settings again, `health()` tells how the house does, `now` is the wall clock.

        `upkeep` is that of the journal, None where no games are kept.
        """
        self._upkeep = upkeep
        self._hand = hand
        self._keeper = keeper
        self._bans = bans
        self._keys = keys
        self._register = register
        self._draining = draining
        self._reread = reread
        self._health = health
        self._now = now
        self._finder = Finder(hand, keeper, keys, register)

    async def do(self, verb: Verb, by: str) -> Told:
        """Do what `verb` says; `by` is whoever says it."""
        match verb:
            case Health():
                return await self._how_it_is()
            case Who() | Rooms() | ListBans():
                return self._list(verb)
            case Reports(done):
                return await self._reports(done)
            case CloseRoom():
                return await self._close(verb)
            case SayAll(text):
                n = self._hand.announce(Announced("says", text))
                return _done({"told": n}, later_count("{n} person was told.", "{n} people were told.", n))
            case Kick(who, reason):
                return self._kick(await self._finder.find(who), reason)
            case Mute() | Unmute():
                return await self._voice(verb, by)
            case MakeBan():
                return await self._ban(verb, by)
            case Unban(number):
                return await self._unban(number)
            case Drain() | Undrain() | Reload():
                return self._run(verb)
            case Prune():
                return await self._prune(verb)
            case Help():
                raise AssertionError("help is no act")

    # What is listed.

    def _list(self, verb: Who | Rooms | ListBans) -> Told:
        match verb:
            case Who():
                muted = lambda *whom: self._keeper.voice_ban(*whom) is not None  # noqa: E731
                who = listing.connected(self._keeper.present(), self._hand.seen(), muted)
                return Told(who, partial(listing.who_as_text, who))
            case Rooms():
                rooms, listed = self._hand.rooms()
                held = {table.code: table for table in self._hand.holdings()}
                return Told(
                    listing.rooms_as_data(rooms, listed, held),
                    partial(listing.rooms_as_text, rooms, listed, held),
                )
            case ListBans():
                bans = self._bans.all()
                return Told(listing.bans_as_data(bans), partial(listing.bans_as_text, bans))

    async def _how_it_is(self) -> Told:
        state = await self._health()
        facts = "".join(f"{name}: {value}\n" for name, value in state.facts.items())
        health = state.health
        return Told(state, lambda tongue: f"{health.words(tongue)}\n{health.room(tongue)}\n{facts}")

    async def _reports(self, done: int) -> Told:
        if done:
            if not await self._register.do(partial(close_report, number=done)):
                raise no_report(done)
            return _done({"done": done}, later("Report {number} is dealt with, and gone.", number=done))
        reports = await self._register.do(list_reports)
        return Told(listing.reports_as_data(reports), partial(listing.reports_as_text, reports))

    # What is done.

    async def _close(self, verb: CloseRoom) -> Told:
        named, reason = verb.named(frozenset(table.code for table in self._hand.holdings()))
        codes = named or await self._meant(verb)
        done = await asyncio.gather(*(self._hand.close(code, reason) for code in codes))
        closed = [code for code, is_closed in zip(codes, done, strict=True) if is_closed]
        missing = [Sentence(NO_TABLE_THERE, {"code": code}) for code in named if code not in closed]
        if not closed and missing:
            raise CommandError(missing[0], NO_TABLE)
        if named:
            told = [later("The table {code} is closed.", code=code) for code in closed]
        else:
            told = [later_count("{n} table is closed.", "{n} tables are closed.", len(closed))]
        return _done({"closed": closed}, *told, *missing)

    async def _meant(self, verb: CloseRoom) -> tuple[str, ...]:
        """The codes of the tables that a host means who names none."""
        network = await self._network(verb.source) if verb.source else None
        return tuple(
            table.code
            for table in self._hand.holdings()
            if not (verb.unplayed and table.loss > Loss.DEAL)
            and (network is None or (table.origin and _is_from(table.origin[0], network)))
        )

    async def _network(self, where: str) -> Network:
        """The network that a host calls `where`. Raises CommandError."""
        network = network_of(await self._finder.source_of(where) or where)
        if network is None:
            raise CommandError(
                later(
                    "{text} is no address, network, or number of a connection.",
                    text=repr(in_one_line(where, 60)),
                ),
                MISUSE,
            )
        return network

    async def _prune(self, verb: Prune) -> Told:
        if self._upkeep is None:
            raise CommandError(later("No games are kept here."))
        n = await self._upkeep.count(verb.before)
        data = {"games": n, "dry_run": verb.dry}
        if verb.dry:
            would = later_count("{n} finished game would go.", "{n} finished games would go.", n)
            return _done({**data, "done": False}, would)
        if await self._upkeep.order(verb.before):
            gone = later_count("{n} finished game is removed.", "{n} finished games are removed.", n)
            return _done({**data, "done": True}, gone)
        goes = later_count("{n} finished game is being removed.", "{n} finished games are being removed.", n)
        return _done({**data, "done": False}, goes)

    def _kick(self, found: Found, reason: str) -> Told:
        if not found.connections:
            raise CommandError(later("{name} is not connected.", name=found.called))
        self._keeper.send_away(found.connections, Expelled("kicked", reason))
        n = len(found.connections)
        return _done(
            {"ended": n},
            later_count(
                "The visit of {name} is over ({n} connection).",
                "The visit of {name} is over ({n} connections).",
                n,
                name=found.called,
            ),
        )

    async def _voice(self, verb: Mute | Unmute, by: str) -> Told:
        found = await self._finder.find(verb.who)
        # A guest is somebody new as soon as they come again; what stays is where they come from.
        networks = self._finder.networks_of(found) if found.is_guest else ()
        if isinstance(verb, Mute):
            what = "\n".join((found.person, *networks))
            ban = await self._add("voice", what, verb.until, verb.reason, by, found.name)
            self._hand.announce(Announced("muted", ban.reason, ban.ends), [found.person])
            told = [_until(MUTED, MUTED_UNTIL, ban, found.called)]
            if networks:
                told.append(
                    later("So is everybody without a key from {networks}.", networks=", ".join(networks))
                )
            return _done({**_as_data(ban), "networks": networks}, *told, *_assumed(verb))
        lifted = None
        while (ban_now := self._bans.of("voice", found.person, *networks)) is not None:
            await self._unban(ban_now.id)
            lifted = ban_now
        if lifted is None:
            raise CommandError(later("{name} is not muted.", name=found.called))
        return _done(_as_data(lifted), later("{name} is no longer muted.", name=found.called))

    async def _ban(self, verb: MakeBan, by: str) -> Told:
        kind, what, name = await self._what_to_ban(verb)
        ban = await self._add(kind, what, verb.until, verb.reason, by, name)
        ended = self._keeper.apply_bans()
        self._hand.take_banned_names()
        told = _until(BANNED, BANNED_UNTIL, ban, name or what)
        ends = later_count("{n} connection was ended.", "{n} connections were ended.", ended)
        return _done({**_as_data(ban), "ended": ended}, told, *_assumed(verb), ends)

    async def _what_to_ban(self, verb: MakeBan) -> tuple[Kind, str, str]:
        """The kind, what is banned, and what people call it."""
        match verb.kind:
            case "key":
                found = await self._person_to_ban(verb.what)
                return "person", found.person, found.name
            case "source":
                network = await self._network(verb.what)
                self._check_network(network)
                return "source", str(network), str(network)
            case "name":
                name = (clean_text(await self._finder.name_of(verb.what), LONGEST) or "").removeprefix(GUEST)
                if not name:
                    raise CommandError(later("A name has 2 to {n} characters.", n=LONGEST), MISUSE)
                return "name", "\n".join(sorted(looks(name))), name

    def _check_network(self, network: Network) -> None:
        """Raises CommandError for a network that no ban may be of."""
        if network.prefixlen < WIDEST[network.version]:
            raise CommandError(
                later(
                    "{network} is too much of the internet for one ban; the widest are /{v4}, and of IPv6 /{v6}.",
                    network=str(network),
                    v4=WIDEST[4],
                    v6=WIDEST[6],
                ),
                MISUSE,
            )
        for each in self._keeper.present():
            if each.key in self._keeper.rules.admins and is_in(each.source, network):
                raise CommandError(
                    later(
                        "Connection {number} comes from there, and is a host's: nobody could come from there any more.",
                        number=each.connection,
                    )
                )

    async def _person_to_ban(self, who: str) -> Found:
        found = await self._finder.find(who)
        if found.is_guest:
            networks = ", ".join(self._finder.networks_of(found))
            places = {"name": found.called, "networks": networks}
            raise CommandError(Sentence(GUEST_FROM if networks else GUEST_FROM_WHERE, places))
        keys = await self._keys.of(found.person)
        if not keys:
            # They still sit where they sat when their key was added to somebody: that is who it is.
            found = await self._finder.find(found.person)
            keys = await self._keys.of(found.person)
        if any(key.fingerprint in self._keeper.rules.admins for key in keys):
            raise CommandError(
                later("{name} is a host; take their key off the setting admins first.", name=found.called)
            )
        return found

    async def _unban(self, number: int) -> Told:
        ban = await self._bans.lift(number)
        if ban is None:
            raise CommandError(later("There is no ban {number}; `admin bans` lists them.", number=number))
        name = ban.name or ban.what
        if ban.kind == "voice":
            self._hand.announce(Announced("heard"), ban.what.split("\n"))
            return _done(_as_data(ban), later("{name} is no longer muted.", name=name))
        return _done(_as_data(ban), later("{name} is no longer banned.", name=name))

    async def _add(self, kind: Kind, what: str, until: int | None, reason: str, by: str, name: str) -> Ban:
        try:
            return await self._bans.add(kind, what, until, reason, by, name)
        except TooManyBans:
            raise CommandError(later("There are too many bans; end some first.")) from None

    def _run(self, verb: Drain | Undrain | Reload) -> Told:
        match verb:
            case Drain(within):
                return self._drain(within)
            case Undrain():
                if not self._draining.end():
                    raise CommandError(later("The house does not drain."))
                return _done({"draining": False}, later("The house goes on; new games may begin."))
            case Reload():
                return self._reload()

    def _drain(self, within: float) -> Told:
        self._draining.begin(within)
        n, latest = self._hand.plays(), written(self._now() + within)
        data = {"draining": True, "games": n, "latest": latest}
        if not n:
            return _done(
                data,
                later(
                    "No game has to be waited for, so the house ends now; those that still run go on when it is back."
                ),
            )
        return _done(
            data,
            later_count(
                "The house ends when {n} game is over, at the latest at {latest} UTC.",
                "The house ends when {n} games are over, at the latest at {latest} UTC.",
                n,
                latest=latest,
            ),
        )

    def _reload(self) -> Told:
        reread = self._reread()
        changed, late = ", ".join(reread.changed), ", ".join(reread.late)
        told = [
            later("Changed: {settings}.", settings=changed)
            if changed
            else later("The settings were read again; nothing has changed.")
        ]
        if late:
            told.append(later("Only a restart changes these: {settings}.", settings=late))
        return _done({"changed": reread.changed, "late": reread.late}, *told)


GUEST_FROM: Final = N_(
    "{name} is a guest, who has no key and is somebody new each time: ban where they come from ({networks})."
)
GUEST_FROM_WHERE: Final = N_(
    "{name} is a guest, who has no key and is somebody new each time: ban where they come from."
)
MUTED: Final = N_("{name} is muted for good.")
MUTED_UNTIL: Final = N_("{name} is muted until {until} UTC.")
BANNED: Final = N_("{name} is banned for good.")
BANNED_UNTIL: Final = N_("{name} is banned until {until} UTC.")


def _until(for_good: str, until: str, ban: Ban, name: str) -> Sentence:
    return Sentence(until if ban.ends else for_good, {"name": name, "until": ban.ends})


def _assumed(verb: Mute | MakeBan) -> tuple[Sentence, ...]:
    """That it is a day because no time was said, where that is so."""
    return () if verb.said else (later("No time was said, so it is for a day; say `for good` for no end."),)


def _as_data(ban: Ban) -> dict[str, object]:
    return {"number": ban.id, "kind": listing.KINDS[ban.kind], "until": ban.until}


def _done(data: dict[str, object], *told: Sentence) -> Told:
    return Told(data, lambda tongue: "".join(f"{tongue.tell(each)}\n" for each in told))


def _is_from(origin: str, network: Network) -> bool:
    """Whether what a table's opener came from is in that network, or around it."""
    came = network_of(origin)
    return came is not None and came.overlaps(network)
