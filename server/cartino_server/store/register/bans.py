"""Who may not come in, what nobody may be called, and who isn't heard: until when, why, and by whose word.

All that hold are also kept in memory: each is asked for whenever somebody knocks, comes in or says something.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_network
from math import inf
from typing import Final, Literal

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.networks import Network, read_address, read_network
from cartino_server.parting import unparted
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

    Of a voice it is a person's id and, for a guest, who is somebody else each time, the networks that they came
    from, a line each. Looks that an older house wrote have blanks and dots in them; they hold as if they had none.
    `until` and `made` are Unix seconds, `until` None for ever; `by` is whoever made it, as the
    audit log calls them; `name` is what people call it.
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
        self._lines: dict[tuple[Kind, str], list[Ban]] = {}
        """All of a kind that have that line; of networks there are none."""
        self._networks: dict[tuple[int, int], dict[int, list[Ban]]] = {}
        """Bans of networks, by IP version and length, then by address."""
        self.has_names = False
        """Whether any name is banned: what names look like is only worked out then."""

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
        lines = _lines(kind, what)
        same = {what} | {
            ban.what for ban in self.all() if ban.kind == kind and _lines(kind, ban.what) == lines
        }
        bans = await self._register.do(lambda db: _add(db, row, same, now))
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

    def of(self, kind: Literal["person", "name", "voice"], *lines: str) -> Ban | None:
        """A ban of that kind that has one of `lines` (see `Ban`): of those that hold, one that does so longest."""
        return self._longest(ban for line in lines for ban in self._lines.get((kind, line), ()))

    def of_source(self, address: str) -> Ban | None:
        """A ban of that address, or of a network that it is in; None for what is no address."""
        if not self._networks:
            return None
        network = network_of(address, own=False)
        if network is None:
            return None
        number, bits = int(network.network_address), network.max_prefixlen
        return self._longest(
            ban
            for (version, length), found in self._networks.items()
            if version == network.version
            for ban in found.get(number >> (bits - length), ())
        )

    def _longest(self, bans: Iterable[Ban]) -> Ban | None:
        holding = filter(self._holds, bans)
        return max(holding, key=lambda ban: inf if ban.until is None else ban.until, default=None)

    def _holds(self, ban: Ban) -> bool:
        return ban.until is None or ban.until > self._now()

    def _learn(self, bans: Iterable[Ban]) -> None:
        self._found = {(ban.kind, ban.what): ban for ban in bans}
        self._lines, self._networks, self.has_names = {}, {}, False
        for ban in self._found.values():
            if ban.kind == "source":
                self._learn_source(ban)
                continue
            self.has_names |= ban.kind == "name"
            for line in _lines(ban.kind, ban.what):
                # Two names may look alike in one way; when one ban ends the other goes on.
                self._lines.setdefault((ban.kind, line), []).append(ban)

    def _learn_source(self, ban: Ban) -> None:
        network = network_of(ban.what)
        if network is not None:
            found = self._networks.setdefault((network.version, network.prefixlen), {})
            number = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
            found.setdefault(number, []).append(ban)


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


def is_in(address: str, network: Network) -> bool:
    """Whether that address is in that network; what is no address is in none."""
    found = network_of(address, own=False)
    return found is not None and found.network_address in network


def _lines(kind: Kind, what: str) -> frozenset[str]:
    """Which lines `Bans.of` finds a ban of that by."""
    lines = what.split("\n")
    return frozenset(map(unparted, lines) if kind == "name" else lines)


def _all(connection: apsw.Connection, now: int) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE until <= ?", (now,))
    query = "SELECT id, kind, what, until, reason, made, by, name FROM bans ORDER BY id"
    rows = read_rows(connection.execute(query), tuple[int, Kind, str, int | None, str, int, str, str])
    return [Ban(*row) for row in rows]


def _add(
    connection: apsw.Connection,
    row: tuple[Kind, str, int | None, str, int, str, str],
    same: Iterable[str],
    now: int,
) -> list[Ban]:
    connection.executemany("DELETE FROM bans WHERE kind = ? AND what = ?", [(row[0], what) for what in same])
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
