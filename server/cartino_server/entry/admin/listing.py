"""What hosts are shown: lists as text for people and as JSON for programs. All of it is clean."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from cartino_protocol.legible import legible
from cartino_protocol.marking import N_
from cartino_protocol.views import RoomLine
from cartino_server.entry import listing
from cartino_server.entry.doorkeeping import Present, is_guest
from cartino_server.entry.errors import in_one_line
from cartino_server.entry.words import WIDTH
from cartino_server.rooms.giving_way import Holding
from cartino_server.rooms.hand import Seen
from cartino_server.rooms.names import GUEST
from cartino_server.store.register.bans import Ban, Kind, written
from cartino_server.store.register.reports import Report
from cartino_tui.draw.text import fold
from cartino_tui.tongue import Tongue

KINDS: Mapping[Kind, str] = {"person": "key", "source": "source", "name": "name", "voice": "mute"}
"""What bans are called where they are typed."""


NOWHERE_YET: Final = N_("Who is in parentheses is nowhere yet; that is the user name that they came with.")
OF_REPORTS: Final = N_(
    "Whoever said that is meant by its number, whether they are here or have gone: `ban key {report}`, "
    "`ban source {report}`, `mute {report}`. `reports --done NUMBER` when it is dealt with."
)
MOST_OF_A_PROGRAM: Final = 13
"""Characters that are shown of what somebody's client calls itself."""
_FINGERPRINT: Final = re.compile(r"(SHA256:[A-Za-z0-9+/]{8})[A-Za-z0-9+/]{35}")


class Connected(msgspec.Struct, frozen=True):
    """A connection as hosts see it. `name` is "" for somebody who is nowhere yet, `tables` are where they stand."""

    connection: int
    name: str
    guest: bool
    person: str
    key: str
    user: str
    source: str
    client: str
    since: str
    tables: tuple[str, ...]
    muted: bool


def connected(
    present: Iterable[Present], seen: Iterable[Seen], is_muted: Callable[[str, int], bool]
) -> tuple[Connected, ...]:
    """Who is connected, as they are known at the door and in the house; a guest may be another one in the house.

    What they call themselves and their program is cleaned once more: this is read at the host's own terminal.
    """
    by_connection = {connection: each for each in seen for connection in each.connections}
    found = []
    for each in present:
        inside = by_connection.get(each.connection)
        person = each.person if inside is None else inside.person
        found.append(
            Connected(
                connection=each.connection,
                name="" if inside is None else legible(inside.name),
                guest=not each.key,
                person=person,
                key=each.key,
                user=legible(each.user),
                source=each.source,
                client=legible(each.client),
                since=written(each.since),
                tables=() if inside is None else inside.tables,
                muted=is_muted(person, each.connection),
            )
        )
    return tuple(found)


def as_json(told: object) -> str:
    """`told` as programs read it."""
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def who_as_text(listed: Sequence[Connected], tongue: Tongue) -> str:
    """A line a connection; of what is long, as keys are, as much as says which it is, or nothing."""
    if not listed:
        return tongue.say("Nobody is connected.") + "\n"
    rows = [
        (
            str(each.connection),
            each.name or f"({GUEST if each.guest else ''}{each.user})",
            ",".join(each.tables) or "-",
            each.source,
            # The year goes without saying.
            each.since.partition("-")[2],
            _program(each.client) + (f" ({tongue.say('muted')})" if each.muted else ""),
        )
        for each in listed
    ]
    headings = N_("number"), N_("name"), N_("table"), N_("from"), N_("since (UTC)"), N_("program")
    table = _table([tuple(map(tongue.say, headings)), *rows])
    if all(each.name for each in listed):
        return table
    return table + "\n" + "".join(f"{line}\n" for line in fold(tongue.say(NOWHERE_YET), WIDTH))


def rooms_as_text(
    rooms: Sequence[RoomLine], listed: Iterable[str], held: Mapping[str, Holding], tongue: Tongue
) -> str:
    """A line a table, as everybody reads it; those that are not `listed` for all say so.

    Behind it stands where it was opened from, as far as `held` tells.
    """
    if not rooms:
        return tongue.say("There are no tables.") + "\n"
    open_to_all = set(listed)
    lines = listing.as_text(rooms, tongue).splitlines()
    private = tongue.say("private")
    told = []
    for room, line in zip(rooms, lines, strict=True):
        source = _source(held.get(room.code))
        told.append(line if room.code in open_to_all else f"{line}  ({private})")
        told[-1] += f"  {source}\n" if source else "\n"
    return "".join(told)


def rooms_as_data(rooms: Sequence[RoomLine], listed: Iterable[str], held: Mapping[str, Holding]) -> object:
    """The same as data: what `games --json` has, with `listed`, and the `source` that it was opened from."""
    told: list[dict[str, Any]] = msgspec.json.decode(listing.as_json(rooms), type=list[dict[str, Any]])
    open_to_all = set(listed)
    return [
        {**room, "listed": room["code"] in open_to_all, "source": _source(held.get(room["code"]))}
        for room in told
    ]


def bans_as_text(bans: Sequence[Ban], tongue: Tongue) -> str:
    """A line a ban; below it by whom it is and why, which may be long."""
    if not bans:
        return tongue.say("Nobody is banned or muted.") + "\n"
    headings = N_("number"), N_("kind"), N_("of"), N_("until (UTC)")
    rows = [
        (str(ban.id), KINDS[ban.kind], ban.name or "-", ban.ends or tongue.say("for good")) for ban in bans
    ]
    heading, *lines = _table([tuple(map(tongue.say, headings)), *rows]).splitlines()
    begins = max(len(row[0]) for row in (tuple(map(tongue.say, headings)), *rows)) + 2
    told = [heading]
    for ban, line in zip(bans, lines, strict=True):
        told += [line, *(f"{'':<{begins}}{each}" for each in fold(_details(ban, tongue), WIDTH - begins))]
    return "".join(f"{line}\n" for line in told)


def bans_as_data(bans: Sequence[Ban]) -> object:
    """The same as data; times in Unix seconds, `until` null for ever."""
    return [
        {
            "number": ban.id,
            "kind": KINDS[ban.kind],
            "what": ban.name if ban.kind == "name" else _in_a_line(ban.what),
            "name": ban.name,
            "until": ban.until,
            "reason": ban.reason,
            "made": ban.made,
            "by": ban.by,
        }
        for ban in bans
    ]


def reports_as_text(reports: Mapping[int, Report], tongue: Tongue) -> str:
    """What was said, by whom, where, and what stood before it."""
    if not reports:
        return tongue.say("Nothing was reported.") + "\n"
    told = []
    for number, report in reports.items():
        told += [
            tongue.say(
                "{number}: at {code}, {when} UTC, reported by {reporter}:",
                number=number,
                code=report.code,
                when=written(report.made),
                reporter=legible(report.reporter_name),
            ),
            *(f"      {legible(line)}" for line in report.before),
            f"    > {legible(report.name)}: {legible(report.text)}",
            f"      {_said_by(report, tongue)}",
        ]
    told += ["", *fold(tongue.say(OF_REPORTS, report=f"report:{next(iter(reports))}"), WIDTH)]
    return "".join(f"{line}\n" for line in told)


def reports_as_data(reports: Mapping[int, Report]) -> object:
    """The same as data."""
    return [{"number": number, **msgspec.structs.asdict(report)} for number, report in reports.items()]


def _source(table: Holding | None) -> str:
    """The address or network that a table was opened from, "" where that isn't known."""
    return table.origin[0] if table is not None and table.origin else ""


def _said_by(report: Report, tongue: Tongue) -> str:
    """Whose line it is, as far as that is known: names are others' too."""
    source = legible(report.source)
    if is_guest(report.person):
        return tongue.say("said by a guest from {source}", source=source or "?")
    if not report.person:
        return tongue.say("said by somebody who is not known any more")
    return tongue.say("said by {key} from {source}", key=_short(report.person), source=source or "?")


def _details(ban: Ban, tongue: Tongue) -> str:
    """By whom a ban is and why, and of what, where its name doesn't say that."""
    places = {"what": _short(", ".join(ban.what.split("\n"))), "by": _short(ban.by), "reason": ban.reason}
    if ban.kind in {"name", "source"}:
        return tongue.say("by {by}: {reason}", **places) if ban.reason else tongue.say("by {by}", **places)
    if ban.reason:
        return tongue.say("{what}, by {by}: {reason}", **places)
    return tongue.say("{what}, by {by}", **places)


def _program(client: str) -> str:
    """What a client calls itself, without the version of SSH that all have."""
    return in_one_line(client.removeprefix("SSH-2.0-"), MOST_OF_A_PROGRAM)


def _short(text: str) -> str:
    """`text` with the fingerprints in it cut short, to be told apart at a glance; JSON has them whole."""
    return _FINGERPRINT.sub(r"\1…", text)


def _in_a_line(what: str) -> str:
    """A muted guest's id and networks, or what has one line only."""
    return what.replace("\n", " ")


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what stands in them; the last one ends as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )
