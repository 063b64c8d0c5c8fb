"""Bans and mutes, chat reports, and whom people ignore, as kept in the people database.

All bans in force are also held in memory, since every connection, login and chat line asks for them.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from ipaddress import ip_network
from math import inf
from typing import Final, Literal

import apsw
import msgspec

from cartino_protocol.text import N_
from cartino_server.networks import parse_address, parse_network
from cartino_server.store.data_directory import DataError
from cartino_server.store.people import PEOPLE_FILE, PeopleDatabase, strip_separators
from cartino_server.store.port import NotSaved
from cartino_server.store.queries import decode_rows

BanKind = Literal["person", "source", "name", "voice"]
"""What is banned: a person with all keys, an address or network, a name, or only a person's chat."""

MAX_BANS: Final = 20_000
"""Maximum number of bans."""


class TooManyBans(Exception):
    """The list of bans is full."""


class Ban(msgspec.Struct, frozen=True):
    """A ban of `what`: a person's id, a network, or the normalised forms of a name, one per line.

    A mute (kind "voice") names a person's id and, for a guest, whose id changes, the networks they came from, one per
    line. `until` and `made` are Unix seconds (`until` None: for ever), `by` is the host as in the audit log, `name` is
    for display. Forms of names stored by older servers contain separators, which are ignored.
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
        """Return the end in UTC like "2026-01-31 12:00"; "" for never."""
        return "" if self.until is None else format_moment(self.until)


class BanList:
    """The bans, answered from memory. Changes raise NotSaved."""

    def __init__(self, people_db: PeopleDatabase, now: Callable[[], float]) -> None:
        """Use the bans in `people_db` after `load`; `now` returns Unix seconds."""
        self._people_db = people_db
        self._now = now
        self._found: dict[tuple[BanKind, str], Ban] = {}
        self._lines: dict[tuple[BanKind, str], list[Ban]] = {}
        """Bans by kind and line."""
        self._lengths: set[tuple[int, int]] = set()
        """The IP versions and prefix lengths of banned networks."""
        self.has_names = False
        """Whether any name is banned; else names needn't be normalised."""

    async def load(self) -> None:
        """Load the bans and delete expired ones. Raises DataError: without bans the server must not start."""
        now = int(self._now())
        try:
            self._learn(await self._people_db.do(lambda db: _load_bans(db, now)))
        except (NotSaved, msgspec.ValidationError) as error:
            raise DataError(
                N_(
                    "The bans in the people database can't be read: {why}. Restore {file} from your last copy."
                ),
                why=str(error),
                file=PEOPLE_FILE,
            ) from error

    async def add(self, kind: BanKind, what: str, until: int | None, reason: str, by: str, name: str) -> Ban:
        """Add a ban, replacing one of the same thing. Raises NotSaved, TooManyBans."""
        now = int(self._now())
        row = (kind, what, until, reason, now, by, name)
        lines = _ban_lines(kind, what)
        same = {what} | {
            ban.what for ban in self.all() if ban.kind == kind and _ban_lines(kind, ban.what) == lines
        }
        bans = await self._people_db.do(lambda db: _insert_ban(db, row, same, now))
        self._learn(bans)
        return self._found[kind, what]

    async def lift(self, number: int) -> Ban | None:
        """Lift the ban of that number; None if there is none. Raises NotSaved."""
        ban = next((ban for ban in self.all() if ban.id == number), None)
        if ban is not None:
            now = int(self._now())
            self._learn(await self._people_db.do(lambda db: _load_bans(db, now, number)))
        return ban

    def all(self) -> tuple[Ban, ...]:
        """Return the bans in force, oldest first."""
        return tuple(sorted(filter(self._holds, self._found.values()), key=lambda ban: ban.id))

    def find_ban(self, kind: Literal["person", "name", "voice"], *lines: str) -> Ban | None:
        """Return the ban of that kind that matches one of `lines`; of several, the one that ends last."""
        return self.longest(ban for line in lines for ban in self.matching(kind, line))

    def matching(self, kind: Literal["person", "name", "voice"], line: str) -> Sequence[Ban]:
        """Return the bans of that kind that match `line`, also some that have ended."""
        return self._lines.get((kind, line), ())

    def of_source(self, address: str) -> Ban | None:
        """Return the ban of an address or of a network around it; None for invalid addresses."""
        found = parse_address(address) if self._lengths else None
        networks = (
            ip_network((found, length), strict=False)
            for version, length in self._lengths
            if found is not None and version == found.version
        )
        return self.longest(ban for each in networks for ban in self._lines.get(("source", str(each)), ()))

    def longest(self, bans: Iterable[Ban]) -> Ban | None:
        """Return the one of `bans` in force that ends last."""
        holding = filter(self._holds, bans)
        return max(holding, key=lambda ban: inf if ban.until is None else ban.until, default=None)

    def _holds(self, ban: Ban) -> bool:
        return ban.until is None or ban.until > self._now()

    def _learn(self, bans: Iterable[Ban]) -> None:
        self._found = {(ban.kind, ban.what): ban for ban in bans}
        self._lines, self._lengths, self.has_names = {}, set(), False
        for ban in self._found.values():
            lines = _ban_lines(ban.kind, ban.what)
            if ban.kind == "source":
                network = parse_network(ban.what)
                lines = frozenset({str(network)})
                if network is not None:
                    self._lengths.add((network.version, network.prefixlen))
            self.has_names |= ban.kind == "name"
            for line in lines:
                # Two banned names may share a form; when one ban ends the other stays.
                self._lines.setdefault((ban.kind, line), []).append(ban)


def format_moment(moment: float) -> str:
    """Format a moment (Unix seconds) in UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def _ban_lines(kind: BanKind, what: str) -> frozenset[str]:
    """Return the lines by which `BanList.find_ban` finds a ban."""
    lines = what.split("\n")
    return frozenset(map(strip_separators, lines) if kind == "name" else lines)


def _load_bans(connection: apsw.Connection, now: int, lifted: int = 0) -> list[Ban]:
    connection.execute("DELETE FROM bans WHERE until <= ? OR id = ?", (now, lifted))
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


MAX_REPORTS: Final = 10_000
"""Maximum number of reports. Above it, the reporter with most reports loses the oldest.

Guests count as one reporter, and persons who have never finished a game come first.
"""
HOUR: Final = 3600
MAX_REPORTS_PER_HOUR: Final = 5
"""Reports of one person in an hour. Those of guests are limited by network, in the lobby."""
GUEST_PREFIX: Final = "guest:"
"""Prefix of a guest's id."""


def is_guest(person: str) -> bool:
    """Return whether the person of that id has no key."""
    return person.startswith(GUEST_PREFIX)


_REPORT_FIELDS: Final = "made, reporter, reporter_name, person, name, code, line, text, before, source"


class ChatReport(msgspec.Struct, frozen=True):
    """A report made by `reporter` (an id) at `made` (Unix seconds).

    `person`, called `name`, said `text` as line `line` of the table `code`, after the lines `before` ("name: text").
    `person` and the address `source` are "" if unknown. Names and texts are sanitised.
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
    """Store a report; return its number, or None if the reporter has made too many in this hour.

    Reporting a line twice returns the first report.
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
    """Return up to `most` open reports by number, oldest first."""
    rows = connection.execute(f"SELECT id, {_REPORT_FIELDS} FROM reports ORDER BY id LIMIT ?", (most,))
    return {int(number): _decode_report(fields) for number, *fields in rows}


def find_report(connection: apsw.Connection, number: int) -> ChatReport | None:
    """Return the report of that number, if it is open."""
    rows = connection.execute(f"SELECT {_REPORT_FIELDS} FROM reports WHERE id = ?", (number,))
    return next(map(_decode_report, rows), None)


def close_report(connection: apsw.Connection, number: int) -> bool:
    """Delete a report; return whether there was one. Its number is never used again."""
    connection.execute("DELETE FROM reports WHERE id = ?", (number,))
    return connection.changes() > 0


def _decode_report(fields: Sequence[object]) -> ChatReport:
    values = dict(zip(ChatReport.__struct_fields__, fields, strict=True))
    values["before"] = msgspec.json.decode(str(values["before"]))
    return msgspec.convert(values, ChatReport)


MAX_IGNORED_EACH: Final = 200
"""Persons that one person may ignore."""
MAX_IGNORED: Final = 100_000
"""Maximum number of such pairs. Above it, a hundredth is deleted at once, since finding them is slow.

Persons who have never finished a game lose theirs first, then those with most, each the oldest.
"""

_EVICT_IGNORED: Final = """
    DELETE FROM ignores WHERE (person, other) IN (
        SELECT person, other FROM (
            SELECT person, other, made, row_number() OVER (PARTITION BY person ORDER BY made DESC) AS place
            FROM ignores
        )
        ORDER BY person IN (SELECT person FROM names WHERE played), place DESC, made LIMIT ?
    )
"""


def ignored_by(connection: apsw.Connection, person: str) -> dict[str, str]:
    """Return the marks and then names of those whom `person` ignores, oldest first."""
    rows = connection.execute(
        "SELECT other, name FROM ignores WHERE person = ? ORDER BY made, other", (person,)
    )
    return {str(other): str(name) for other, name in rows}


def ignore(connection: apsw.Connection, person: str, other: str, name: str, now: int) -> bool:
    """Let `person` ignore `other`; False if they ignore too many. `now` is Unix seconds."""
    others = "SELECT COUNT(*) FROM ignores WHERE person = ? AND other <> ?"
    if connection.execute(others, (person, other)).get >= MAX_IGNORED_EACH:
        return False
    connection.execute(
        "INSERT INTO ignores (person, other, name, made) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (person, other) DO UPDATE SET name = excluded.name",
        (person, other, name, now),
    )
    _trim_ignored(connection)
    return True


def copy_ignored(connection: apsw.Connection, who: str, to: str) -> None:
    """Let everybody who ignores `who` ignore `to` as well."""
    connection.execute(
        "INSERT OR IGNORE INTO ignores (person, other, name, made) "
        "SELECT person, ?, name, made FROM ignores WHERE other = ?",
        (to, who),
    )
    _trim_ignored(connection)


def _trim_ignored(connection: apsw.Connection) -> None:
    if connection.execute("SELECT rows FROM counts WHERE what = 'ignores'").get > MAX_IGNORED:
        connection.execute(_EVICT_IGNORED, (max(1, MAX_IGNORED // 100),))


def unignore(connection: apsw.Connection, person: str, other: str) -> None:
    """Stop ignoring `other`."""
    connection.execute("DELETE FROM ignores WHERE person = ? AND other = ?", (person, other))
