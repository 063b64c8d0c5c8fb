"""Format connections, tables, bans and reports for admins, as text and JSON, with all text cleaned."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.text import N_, legible
from cartino_protocol.views import TableLine
from cartino_server.commands.console import shorten
from cartino_server.commands.parser import HELP_WIDTH
from cartino_server.commands.table_lists import tables_record, tables_text
from cartino_server.lobby.overview import OnlinePerson
from cartino_server.lobby.people.connections import ActiveConnection
from cartino_server.lobby.people.names import GUEST
from cartino_server.store.moderation import Ban, BanKind, ChatReport, format_moment, is_guest
from cartino_server.table.lifetime import TableHolding
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

BAN_KIND_NAMES: Mapping[BanKind, str] = {"person": "key", "source": "source", "name": "name", "voice": "mute"}
"""What bans are called where they are typed."""


NOT_IN_LOBBY: Final = N_(
    "Names in parentheses are the user names of connections that haven't reached the lobby yet."
)
REPORTS_HELP: Final = N_(
    "A report's number stands for the person who wrote the message, even if they have left: `ban key "
    "{report}`, `ban source {report}`, `mute {report}`. When you're done: `reports --done NUMBER`."
)
MAX_PROGRAM_SHOWN: Final = 13
"""Characters that are shown of what somebody's client calls itself."""
_FINGERPRINT: Final = re.compile(r"(SHA256:[A-Za-z0-9+/]{8})[A-Za-z0-9+/]{35}")


class ConnectionRow(msgspec.Struct, frozen=True):
    """A connection as admins see it. `name` is "" for somebody who isn't in the lobby yet."""

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
    """Return the connections as login and lobby know them, with names and programs cleaned for a terminal."""
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


def connections_text(listed: Sequence[ConnectionRow], translator: Translator) -> str:
    """Return the connections, a line each, without keys."""
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
            shorten(each.client.removeprefix("SSH-2.0-"), MAX_PROGRAM_SHOWN)
            + (f" ({translator.gettext('muted')})" if each.muted else ""),
        )
        for each in listed
    ]
    headings = N_("number"), N_("name"), N_("table"), N_("from"), N_("since (UTC)"), N_("program")
    table = _columns([tuple(map(translator.gettext, headings)), *rows])
    if all(each.name for each in listed):
        return table
    return table + "\n" + "".join(f"{line}\n" for line in fold(translator.gettext(NOT_IN_LOBBY), HELP_WIDTH))


def all_tables_text(
    tables: Sequence[TableLine],
    listed: Iterable[str],
    held: Mapping[str, TableHolding],
    translator: Translator,
) -> str:
    """Return the tables, a line each, marked if not `listed` for all; then where each was opened from, by `held`."""
    if not tables:
        return translator.gettext("There are no tables.") + "\n"
    open_to_all = set(listed)
    lines = tables_text(tables, translator).splitlines()
    private = f"({translator.gettext('private')})"
    told = (
        (line, "" if table.code in open_to_all else private, _opened_from(held.get(table.code)))
        for table, line in zip(tables, lines, strict=True)
    )
    return "".join("  ".join(filter(None, facts)) + "\n" for facts in told)


def all_tables_data(
    tables: Sequence[TableLine], listed: Iterable[str], held: Mapping[str, TableHolding]
) -> object:
    """Return the same as data: what `games --json` has, with `listed` and `source`."""
    open_to_all = set(listed)
    return [
        {**record, "listed": table.code in open_to_all, "source": _opened_from(held.get(table.code))}
        for table, record in zip(tables, tables_record(tables), strict=True)
    ]


def bans_text(bans: Sequence[Ban], translator: Translator) -> str:
    """Return the bans, a line each, with by whom it is and why below."""
    if not bans:
        return translator.gettext("Nobody is banned or muted.") + "\n"
    headings = tuple(map(translator.gettext, (N_("number"), N_("kind"), N_("target"), N_("until (UTC)"))))
    rows = [
        (str(ban.id), BAN_KIND_NAMES[ban.kind], ban.name or "-", ban.ends or translator.gettext("permanent"))
        for ban in bans
    ]
    heading, *lines = _columns([headings, *rows]).splitlines()
    begins = max(len(row[0]) for row in (headings, *rows)) + 2
    told = [heading]
    for ban, line in zip(bans, lines, strict=True):
        details = fold(_ban_details(ban, translator), HELP_WIDTH - begins)
        told += [line, *(f"{'':<{begins}}{each}" for each in details)]
    return "".join(f"{line}\n" for line in told)


def bans_data(bans: Sequence[Ban]) -> object:
    """Return the same as data; times in Unix seconds, `until` null for ever."""
    return [
        {
            "number": ban.id,
            "kind": BAN_KIND_NAMES[ban.kind],
            "what": ban.name if ban.kind == "name" else ban.what.replace("\n", " "),
            "name": ban.name,
            "until": ban.until,
            "reason": ban.reason,
            "made": ban.made,
            "by": ban.by,
        }
        for ban in bans
    ]


def reports_text(reports: Mapping[int, ChatReport], translator: Translator) -> str:
    """Return what was said, by whom, where, and the lines before it."""
    if not reports:
        return translator.gettext("There are no reports.") + "\n"
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
    """Return the same as data."""
    return [{"number": number, **msgspec.structs.asdict(report)} for number, report in reports.items()]


def _opened_from(table: TableHolding | None) -> str:
    return table.origin[0] if table is not None and table.origin else ""


def _author_of(report: ChatReport, translator: Translator) -> str:
    """Return who said the line, as far as known."""
    source = legible(report.source)
    if is_guest(report.person):
        return translator.gettext("said by a guest from {source}", source=source or "?")
    if not report.person:
        return translator.gettext("said by someone no longer known")
    return translator.gettext(
        "said by {key} from {source}", key=_shorten_fingerprints(report.person), source=source or "?"
    )


def _ban_details(ban: Ban, translator: Translator) -> str:
    """Return by whom a ban is, why, and of what if its name doesn't say that."""
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


def _shorten_fingerprints(text: str) -> str:
    """Return `text` with its fingerprints cut short; JSON has them whole."""
    return _FINGERPRINT.sub(r"\1…", text)


def _columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )
