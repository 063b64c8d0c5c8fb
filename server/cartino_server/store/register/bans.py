"""Who may not come in, what nobody may be called, and who isn't heard: until when, why, and by whose word.

All that hold are also kept in memory: each is asked for whenever somebody knocks, comes in or says something.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_network
from typing import Final, Literal

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.networks import Network, read_address, read_network
from cartino_server.store.datadir import DataError
from cartino_server.store.port import NotSaved
from cartino_server.store.queries import read_rows
from cartino_server.store.register.register import FILE, Register

Kind = Literal["person", "source", "name", "voice"]
"""What a ban is of: a person with all their keys, an address or network, a name, or only what a person says."""

MOST: Final = 20_000
"""Bans that are kept."""

_OWN_NETWORK: Final = 64
"""Bits of an IPv6 address that are somebody's network, all of which is theirs to choose from."""


class TooManyBans(Exception):
    """There are as many as can be kept."""


class Ban(msgspec.Struct, frozen=True):
    """A ban: `what` by `kind` is a person's id, a network, or the ways in which a name looks, a line each.

    `until` and `made` are Unix seconds, `until` None for ever; `by` is whoever made it, as the audit log calls them;
    `name` is what people call it.
    """

    id: int
    kind: Kind
    what: str
    until: int | None
    reason: str
    made: int
    by: str
    name: str

    @property
    def ends(self) -> str:
        """When it ends, in UTC, as people write it: "2026-01-31 12:00", "" for never."""
        return "" if self.until is None else written(self.until)


class Bans:
    """The bans in a register. Changes raise NotSaved; what is asked for is answered out of memory."""

    def __init__(self, register: Register, now: Callable[[], float]) -> None:
        """Those of `register`, once they are loaded; `now` is the wall clock in Unix seconds."""
        self._register = register
        self._now = now
        self._found: dict[tuple[Kind, str], Ban] = {}
        self._names: dict[str, Ban] = {}
        """Bans of names, by each way in which such a name looks."""
        self._networks: dict[tuple[int, int], dict[int, Ban]] = {}
        """Bans of networks, by IP version and length, then by address."""

    async def load(self) -> None:
        """Know those that still hold; the others are forgotten. Raises DataError: without them nobody may come in."""
        now = int(self._now())
        try:
            self._learn(await self._register.do(lambda db: _all(db, now)))
        except (NotSaved, msgspec.ValidationError) as error:
            raise DataError(
                later(
                    "The bans in the register can't be read: {why}. Put back the {file} of your last copy.",
                    why=str(error),
                    file=FILE,
                )
            ) from error

    async def add(self, kind: Kind, what: str, until: int | None, reason: str, by: str, name: str) -> Ban:
        """Ban that from now on; one of the same thing is replaced. Raises NotSaved, TooManyBans."""
        now = int(self._now())
        row = (kind, what, until, reason, now, by, name)
        bans = await self._register.do(lambda db: _add(db, row, now))
        self._learn(bans)
        return self._found[kind, what]

    async def lift(self, number: int) -> Ban | None:
        """End the ban of that number; None where there is none. Raises NotSaved."""
        ban = next((ban for ban in self.all() if ban.id == number), None)
        if ban is not None:
            now = int(self._now())
            self._learn(await self._register.do(lambda db: _lift(db, number, now)))
        return ban

    def all(self) -> tuple[Ban, ...]:
        """Those that hold, oldest first."""
        return tuple(sorted(filter(self._holds, self._found.values()), key=lambda ban: ban.id))

    def of(self, kind: Kind, what: str) -> Ban | None:
        """The ban of that person, name or voice, if it holds."""
        ban = self._found.get((kind, what))
        return ban if ban is not None and self._holds(ban) else None

    @property
    def has_names(self) -> bool:
        """Whether any name is banned: what names look like is only worked out then."""
        return bool(self._names)

    def of_name(self, looks: Iterable[str]) -> Ban | None:
        """A ban of a name that looks like one of `looks`."""
        bans = (self._names.get(look) for look in looks)
        return next((ban for ban in bans if ban is not None and self._holds(ban)), None)

    def of_source(self, address: str) -> Ban | None:
        """A ban of that address, or of a network that it is in; None for what is no address."""
        if not self._networks:
            return None
        network = network_of(address, own=False)
        if network is None:
            return None
        number, bits = int(network.network_address), network.max_prefixlen
        for (version, length), found in self._networks.items():
            if version == network.version:
                ban = found.get(number >> (bits - length))
                if ban is not None and self._holds(ban):
                    return ban
        return None

    def _holds(self, ban: Ban) -> bool:
        return ban.until is None or ban.until > self._now()

    def _learn(self, bans: Iterable[Ban]) -> None:
        self._found = {(ban.kind, ban.what): ban for ban in bans}
        self._networks = {}
        self._names = {
            look: ban for ban in self._found.values() if ban.kind == "name" for look in ban.what.split("\n")
        }
        for ban in self._found.values():
            network = network_of(ban.what) if ban.kind == "source" else None
            if network is not None:
                found = self._networks.setdefault((network.version, network.prefixlen), {})
                number = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
                found[number] = ban


def written(moment: float) -> str:
    """A moment (Unix seconds) as people write it, in UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def network_of(text: str, *, own: bool = True) -> Network | None:
    """The address or network that `text` is, None where it is none.

    IPv4 that came as IPv6 is what it is (see `networks`). An IPv6 address without a length stands, with `own`, for
    the 64 bits of its network: the rest is chosen by whoever has it.
    """
    try:
        if "/" in text:
            return read_network(text)
        found = read_address(text)
        if own and not isinstance(found, IPv4Address):
            return ip_network((found, _OWN_NETWORK), strict=False)
        return ip_network(found)
    except ValueError:
        return None


def _all(connection: apsw.Connection, now: int) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE until <= ?", (now,))
    query = "SELECT id, kind, what, until, reason, made, by, name FROM bans ORDER BY id"
    rows = read_rows(connection.execute(query), tuple[int, Kind, str, int | None, str, int, str, str])
    return [Ban(*row) for row in rows]


def _add(
    connection: apsw.Connection, row: tuple[Kind, str, int | None, str, int, str, str], now: int
) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE kind = ? AND what = ?", row[:2])
    connection.execute(
        "INSERT INTO bans (kind, what, until, reason, made, by, name) VALUES (?, ?, ?, ?, ?, ?, ?)", row
    )
    bans = _all(connection, now)
    if len(bans) > MOST:
        raise TooManyBans
    return bans


def _lift(connection: apsw.Connection, number: int, now: int) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE id = ?", (number,))
    return _all(connection, now)
