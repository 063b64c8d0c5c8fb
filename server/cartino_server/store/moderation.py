"""Bans and mutes, chat reports, and whom people ignore, as kept in the people database.

All bans in force are also held in memory, since every connection, login and chat line asks for them.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from math import inf
from typing import Final, Literal

import apsw
import msgspec

from cartino_protocol.text import lazy_gettext
from cartino_server.networks import parse_address, parse_network
from cartino_server.store.data_directory import DataError
from cartino_server.store.people import PEOPLE_FILE, PeopleDatabase, strip_separators
from cartino_server.store.port import NotSaved
from cartino_server.store.queries import decode_rows

BanKind = Literal["person", "source", "name", "voice"]
"""What a ban is of: a person with all their keys, an address or network, a name, or only what a person says."""

MAX_BANS: Final = 20_000
"""Bans that are kept."""


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
    kind: BanKind
    what: str
    until: int | None
    reason: str
    made: int
    by: str
    name: str

    @property
    def ends(self) -> str:
        """When it ends, in UTC, as people write it: "2026-01-31 12:00", "" for never."""
        return "" if self.until is None else format_moment(self.until)


class BanList:
    """The bans in a register. Changes raise NotSaved; what is asked for is answered out of memory."""

    def __init__(self, register: PeopleDatabase, now: Callable[[], float]) -> None:
        """Those of `register`, once they are loaded; `now` is the wall clock in Unix seconds."""
        self._register = register
        self._now = now
        self._found: dict[tuple[BanKind, str], Ban] = {}
        self._lines: dict[tuple[BanKind, str], list[Ban]] = {}
        """All of a kind that have that line; of networks there are none."""
        self._networks: dict[tuple[int, int], dict[int, list[Ban]]] = {}
        """Bans of networks, by IP version and length, then by address."""
        self.has_names = False
        """Whether any name is banned: what names look like is only worked out then."""

    async def load(self) -> None:
        """Know those that still hold; the others are forgotten. Raises DataError: without them nobody may come in."""
        now = int(self._now())
        try:
            self._learn(await self._register.do(lambda db: _load_bans(db, now)))
        except (NotSaved, msgspec.ValidationError) as error:
            raise DataError(
                lazy_gettext(
                    "The bans in the register can't be read: {why}. Put back the {file} of your last copy.",
                    why=str(error),
                    file=PEOPLE_FILE,
                )
            ) from error

    async def add(self, kind: BanKind, what: str, until: int | None, reason: str, by: str, name: str) -> Ban:
        """Ban that from now on; one of the same thing is replaced. Raises NotSaved, TooManyBans."""
        now = int(self._now())
        row = (kind, what, until, reason, now, by, name)
        lines = _ban_lines(kind, what)
        same = {what} | {
            ban.what for ban in self.all() if ban.kind == kind and _ban_lines(kind, ban.what) == lines
        }
        bans = await self._register.do(lambda db: _insert_ban(db, row, same, now))
        self._learn(bans)
        return self._found[kind, what]

    async def lift(self, number: int) -> Ban | None:
        """End the ban of that number; None where there is none. Raises NotSaved."""
        ban = next((ban for ban in self.all() if ban.id == number), None)
        if ban is not None:
            now = int(self._now())
            self._learn(await self._register.do(lambda db: _delete_ban(db, number, now)))
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
        found = parse_address(address)
        if found is None:
            return None
        number, bits = int(found), found.max_prefixlen
        return self._longest(
            ban
            for (version, length), bans in self._networks.items()
            if version == found.version
            for ban in bans.get(number >> (bits - length), ())
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
            for line in _ban_lines(ban.kind, ban.what):
                # Two names may look alike in one way; when one ban ends the other goes on.
                self._lines.setdefault((ban.kind, line), []).append(ban)

    def _learn_source(self, ban: Ban) -> None:
        network = parse_network(ban.what)
        if network is not None:
            found = self._networks.setdefault((network.version, network.prefixlen), {})
            number = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
            found.setdefault(number, []).append(ban)


def format_moment(moment: float) -> str:
    """A moment (Unix seconds) as people write it, in UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def _ban_lines(kind: BanKind, what: str) -> frozenset[str]:
    """Which lines `Bans.of` finds a ban of that by."""
    lines = what.split("\n")
    return frozenset(map(strip_separators, lines) if kind == "name" else lines)


def _load_bans(connection: apsw.Connection, now: int) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE until <= ?", (now,))
    query = "SELECT id, kind, what, until, reason, made, by, name FROM bans ORDER BY id"
    rows = decode_rows(connection.execute(query), tuple[int, BanKind, str, int | None, str, int, str, str])
    return [Ban(*row) for row in rows]


def _insert_ban(
    connection: apsw.Connection,
    row: tuple[BanKind, str, int | None, str, int, str, str],
    same: Iterable[str],
    now: int,
) -> list[Ban]:
    connection.executemany("DELETE FROM bans WHERE kind = ? AND what = ?", [(row[0], what) for what in same])
    connection.execute(
        "INSERT INTO bans (kind, what, until, reason, made, by, name) VALUES (?, ?, ?, ?, ?, ?, ?)", row
    )
    bans = _load_bans(connection, now)
    if len(bans) > MAX_BANS:
        raise TooManyBans
    return bans


def _delete_ban(connection: apsw.Connection, number: int, now: int) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE id = ?", (number,))
    return _load_bans(connection, now)


MAX_REPORTS: Final = 10_000
"""Reports that are kept; then those of whoever has reported the most give way, the oldest first.

Guests are one, and who never played a game to its end goes before others.
"""
HOUR: Final = 3600
MAX_REPORTS_PER_HOUR: Final = 5
"""Reports of one person. How many guests make is measured where they come from, by the house."""
GUEST_PREFIX: Final = "guest:"
"""How the id of a guest begins."""

_REPORT_FIELDS: Final = "made, reporter, reporter_name, person, name, code, line, text, before, source"


class ChatReport(msgspec.Struct, frozen=True):
    """What `reporter` (a person's id, called `reporter_name`) reported at `made` (Unix time).

    `person`, called `name`, said `text` at the table `code` as line number `line`; their id is "" where the house did
    not know it any more. `before` are the lines before, as "name: text". Names and text are clean.
    `source` is the address that they came from last, "" where the house did not know it.
    """

    made: int
    reporter: str
    reporter_name: str
    person: str
    name: str
    code: str
    line: int
    text: str
    before: tuple[str, ...] = ()
    source: str = ""


def add_report(connection: apsw.Connection, report: ChatReport) -> int | None:
    """Keep `report`; its number, or None where there are too many by the same person in this hour.

    Who reports a line twice has reported it once.
    """
    known = connection.execute(
        "SELECT id FROM reports WHERE (reporter, code, line, text) = (?, ?, ?, ?)",
        (report.reporter, report.code, report.line, report.text),
    ).get
    if known is not None:
        return int(known)
    since = report.made - HOUR
    recent = "SELECT COUNT(*) FROM reports WHERE made > ? AND reporter = ?"
    if connection.execute(recent, (since, report.reporter)).get >= MAX_REPORTS_PER_HOUR:
        return None
    before = msgspec.json.encode(report.before).decode()
    values = msgspec.structs.astuple(msgspec.structs.replace(report, before=before))
    places = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO reports ({_REPORT_FIELDS}) VALUES ({places})", values)
    number = connection.last_insert_rowid()
    if connection.execute("SELECT COUNT(*) FROM reports").get > MAX_REPORTS:
        is_guest = f"reporter >= '{GUEST_PREFIX}' AND reporter < '{GUEST_PREFIX[:-1]};'"
        who = f"CASE WHEN {is_guest} THEN '{GUEST_PREFIX}' ELSE reporter END"
        connection.execute(
            f"DELETE FROM reports WHERE id = (SELECT id FROM reports WHERE {who} = "
            f"(SELECT {who} AS who FROM reports GROUP BY who ORDER BY "
            "who IN (SELECT person FROM names WHERE played), COUNT(*) DESC LIMIT 1) ORDER BY id LIMIT 1)"
        )
    return number


def list_reports(connection: apsw.Connection, most: int = 100) -> dict[int, ChatReport]:
    """The reports that the host has not closed, by their numbers, oldest first, `most` of them."""
    rows = connection.execute(f"SELECT id, {_REPORT_FIELDS} FROM reports ORDER BY id LIMIT ?", (most,))
    return {int(number): _decode_report(fields) for number, *fields in rows}


def find_report(connection: apsw.Connection, number: int) -> ChatReport | None:
    """The report `number`; None where there is none."""
    rows = connection.execute(f"SELECT {_REPORT_FIELDS} FROM reports WHERE id = ?", (number,))
    return next((_decode_report(fields) for fields in rows), None)


def close_report(connection: apsw.Connection, number: int) -> bool:
    """The host has read the report `number`: it is gone, and no other is called so. Whether there was one."""
    connection.execute("DELETE FROM reports WHERE id = ?", (number,))
    return connection.changes() > 0


def _decode_report(fields: Sequence[object]) -> ChatReport:
    values = dict(zip(ChatReport.__struct_fields__, fields, strict=True))
    values["before"] = msgspec.json.decode(str(values["before"]))
    return msgspec.convert(values, ChatReport)


MAX_IGNORED_EACH: Final = 200
"""Persons that one person may ignore."""
MAX_IGNORED: Final = 100_000
"""Such pairs in the register; then those of whoever has the most give way, longest ago first.

Those of people who never played a game to its end go before others. A hundredth goes at once, since it takes a while
to find out which.
"""


def ignored_by(connection: apsw.Connection, person: str) -> dict[str, str]:
    """The marks of those whom `person` ignores, longest ago first, and what each was called then."""
    rows = connection.execute(
        "SELECT other, name FROM ignores WHERE person = ? ORDER BY made, other", (person,)
    )
    return {str(other): str(name) for other, name in rows}


def ignore(connection: apsw.Connection, person: str, other: str, name: str, now: int) -> bool:
    """From now on (Unix time) `person` ignores `other`, called `name`; False where they ignore too many already."""
    others = "SELECT COUNT(*) FROM ignores WHERE person = ? AND other <> ?"
    if connection.execute(others, (person, other)).get >= MAX_IGNORED_EACH:
        return False
    connection.execute(
        "INSERT INTO ignores (person, other, name, made) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (person, other) DO UPDATE SET name = excluded.name",
        (person, other, name, now),
    )
    if connection.execute("SELECT rows FROM counts WHERE what = 'ignores'").get > MAX_IGNORED:
        _evict_ignores(connection)
    return True


def unignore(connection: apsw.Connection, person: str, other: str) -> None:
    """`person` ignores `other` no more."""
    connection.execute("DELETE FROM ignores WHERE person = ? AND other = ?", (person, other))


def _evict_ignores(connection: apsw.Connection) -> None:
    connection.execute(
        """
        DELETE FROM ignores WHERE (person, other) IN (
            SELECT person, other FROM (
                SELECT person, other, made, row_number() OVER (PARTITION BY person ORDER BY made DESC) AS place
                FROM ignores
            )
            ORDER BY person IN (SELECT person FROM names WHERE played), place DESC, made LIMIT ?
        )
        """,
        (max(1, MAX_IGNORED // 100),),
    )
