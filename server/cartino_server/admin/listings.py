"""Format connections, tables, bans and reports for admins, as text and JSON, with all text cleaned."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from cartino_protocol.text import N_, legible
from cartino_protocol.views import RoomLine
from cartino_server.commands import listings
from cartino_server.commands.console import shorten
from cartino_server.commands.parser import HELP_WIDTH
from cartino_server.lobby.moderation import OnlinePerson
from cartino_server.lobby.names import GUEST
from cartino_server.operations.login import ActiveConnection, is_guest
from cartino_server.store.moderation import Ban, BanKind, ChatReport, format_moment
from cartino_server.table.lifetime import TableHolding
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

BAN_KIND_NAMES: Mapping[BanKind, str] = {"person": "key", "source": "source", "name": "name", "voice": "mute"}
"""What bans are called where they are typed."""


NOT_IN_LOBBY: Final = N_("Who is in parentheses is nowhere yet; that is the user name that they came with.")
REPORTS_HELP: Final = N_(
    "Whoever said that is meant by its number, whether they are here or have gone: `ban key {report}`, "
    "`ban source {report}`, `mute {report}`. `reports --done NUMBER` when it is dealt with."
)
MAX_PROGRAM_SHOWN: Final = 13
"""Characters that are shown of what somebody's client calls itself."""
_FINGERPRINT: Final = re.compile(r"(SHA256:[A-Za-z0-9+/]{8})[A-Za-z0-9+/]{35}")


class ConnectionRow(msgspec.Struct, frozen=True):
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


def connection_rows(
    present: Iterable[ActiveConnection], seen: Iterable[OnlinePerson], is_muted: Callable[[str, int], bool]
) -> tuple[ConnectionRow, ...]:
    """Who is connected, as they are known at the door and in the house; a guest may be another one in the house.

    What they call themselves and their program is cleaned once more: this is read at the host's own terminal.
    """
    by_connection = {connection: each for each in seen for connection in each.connections}
    found = []
    for each in present:
        inside = by_connection.get(each.connection)
        person = each.person if inside is None else inside.person
        found.append(
            ConnectionRow(
                connection=each.connection,
                name="" if inside is None else legible(inside.name),
                guest=not each.key,
                person=person,
                key=each.key,
                user=legible(each.user),
                source=each.source,
                client=legible(each.client),
                since=format_moment(each.since),
                tables=() if inside is None else inside.tables,
                muted=is_muted(person, each.connection),
            )
        )
    return tuple(found)


def pretty_json(told: object) -> str:
    """`told` as programs read it."""
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def connections_text(listed: Sequence[ConnectionRow], translator: Translator) -> str:
    """A line a connection; of what is long, as keys are, as much as says which it is, or nothing."""
    if not listed:
        return translator.gettext("Nobody is connected.") + "\n"
    rows = [
        (
            str(each.connection),
            each.name or f"({GUEST if each.guest else ''}{each.user})",
            ",".join(each.tables) or "-",
            each.source,
            # The year goes without saying.
            each.since.partition("-")[2],
            _client_program(each.client) + (f" ({translator.gettext('muted')})" if each.muted else ""),
        )
        for each in listed
    ]
    headings = N_("number"), N_("name"), N_("table"), N_("from"), N_("since (UTC)"), N_("program")
    table = _columns([tuple(map(translator.gettext, headings)), *rows])
    if all(each.name for each in listed):
        return table
    return table + "\n" + "".join(f"{line}\n" for line in fold(translator.gettext(NOT_IN_LOBBY), HELP_WIDTH))


def all_tables_text(
    rooms: Sequence[RoomLine], listed: Iterable[str], held: Mapping[str, TableHolding], translator: Translator
) -> str:
    """A line a table, as everybody reads it; those that are not `listed` for all say so.

    Behind it stands where it was opened from, as far as `held` tells.
    """
    if not rooms:
        return translator.gettext("There are no tables.") + "\n"
    open_to_all = set(listed)
    lines = listings.tables_text(rooms, translator).splitlines()
    private = translator.gettext("private")
    told = []
    for room, line in zip(rooms, lines, strict=True):
        source = _opened_from(held.get(room.code))
        told.append(line if room.code in open_to_all else f"{line}  ({private})")
        told[-1] += f"  {source}\n" if source else "\n"
    return "".join(told)


def all_tables_data(
    rooms: Sequence[RoomLine], listed: Iterable[str], held: Mapping[str, TableHolding]
) -> object:
    """The same as data: what `games --json` has, with `listed`, and the `source` that it was opened from."""
    told: list[dict[str, Any]] = msgspec.json.decode(listings.tables_json(rooms), type=list[dict[str, Any]])
    open_to_all = set(listed)
    return [
        {**room, "listed": room["code"] in open_to_all, "source": _opened_from(held.get(room["code"]))}
        for room in told
    ]


def bans_text(bans: Sequence[Ban], translator: Translator) -> str:
    """A line a ban; below it by whom it is and why, which may be long."""
    if not bans:
        return translator.gettext("Nobody is banned or muted.") + "\n"
    headings = N_("number"), N_("kind"), N_("of"), N_("until (UTC)")
    rows = [
        (str(ban.id), BAN_KIND_NAMES[ban.kind], ban.name or "-", ban.ends or translator.gettext("for good"))
        for ban in bans
    ]
    heading, *lines = _columns([tuple(map(translator.gettext, headings)), *rows]).splitlines()
    begins = max(len(row[0]) for row in (tuple(map(translator.gettext, headings)), *rows)) + 2
    told = [heading]
    for ban, line in zip(bans, lines, strict=True):
        told += [
            line,
            *(f"{'':<{begins}}{each}" for each in fold(_ban_details(ban, translator), HELP_WIDTH - begins)),
        ]
    return "".join(f"{line}\n" for line in told)


def bans_data(bans: Sequence[Ban]) -> object:
    """The same as data; times in Unix seconds, `until` null for ever."""
    return [
        {
            "number": ban.id,
            "kind": BAN_KIND_NAMES[ban.kind],
            "what": ban.name if ban.kind == "name" else _on_one_line(ban.what),
            "name": ban.name,
            "until": ban.until,
            "reason": ban.reason,
            "made": ban.made,
            "by": ban.by,
        }
        for ban in bans
    ]


def reports_text(reports: Mapping[int, ChatReport], translator: Translator) -> str:
    """What was said, by whom, where, and what stood before it."""
    if not reports:
        return translator.gettext("Nothing was reported.") + "\n"
    told = []
    for number, report in reports.items():
        told += [
            translator.gettext(
                "{number}: at {code}, {when} UTC, reported by {reporter}:",
                number=number,
                code=report.code,
                when=format_moment(report.made),
                reporter=legible(report.reporter_name),
            ),
            *(f"      {legible(line)}" for line in report.before),
            f"    > {legible(report.name)}: {legible(report.text)}",
            f"      {_author_of(report, translator)}",
        ]
    told += ["", *fold(translator.gettext(REPORTS_HELP, report=f"report:{next(iter(reports))}"), HELP_WIDTH)]
    return "".join(f"{line}\n" for line in told)


def reports_data(reports: Mapping[int, ChatReport]) -> object:
    """The same as data."""
    return [{"number": number, **msgspec.structs.asdict(report)} for number, report in reports.items()]


def _opened_from(table: TableHolding | None) -> str:
    """The address or network that a table was opened from, "" where that isn't known."""
    return table.origin[0] if table is not None and table.origin else ""


def _author_of(report: ChatReport, translator: Translator) -> str:
    """Whose line it is, as far as that is known: names are others' too."""
    source = legible(report.source)
    if is_guest(report.person):
        return translator.gettext("said by a guest from {source}", source=source or "?")
    if not report.person:
        return translator.gettext("said by somebody who is not known any more")
    return translator.gettext(
        "said by {key} from {source}", key=_shorten_fingerprints(report.person), source=source or "?"
    )


def _ban_details(ban: Ban, translator: Translator) -> str:
    """By whom a ban is and why, and of what, where its name doesn't say that."""
    places = {
        "what": _shorten_fingerprints(", ".join(ban.what.split("\n"))),
        "by": _shorten_fingerprints(ban.by),
        "reason": ban.reason,
    }
    if ban.kind in {"name", "source"}:
        return (
            translator.gettext("by {by}: {reason}", **places)
            if ban.reason
            else translator.gettext("by {by}", **places)
        )
    if ban.reason:
        return translator.gettext("{what}, by {by}: {reason}", **places)
    return translator.gettext("{what}, by {by}", **places)


def _client_program(client: str) -> str:
    """What a client calls itself, without the version of SSH that all have."""
    return shorten(client.removeprefix("SSH-2.0-"), MAX_PROGRAM_SHOWN)


def _shorten_fingerprints(text: str) -> str:
    """`text` with the fingerprints in it cut short, to be told apart at a glance; JSON has them whole."""
    return _FINGERPRINT.sub(r"\1…", text)


def _on_one_line(what: str) -> str:
    """A muted guest's id and networks, or what has one line only."""
    return what.replace("\n", " ")


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what stands in them; the last one ends as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )
