"""Format connections, tables, bans and reports for admins, as text and JSON, with all text cleaned."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.text import N_, legible
from cartino_protocol.views import TableLine
from cartino_server.commands.console import shorten
from cartino_server.commands.game_commands import tables_record, tables_text
from cartino_server.commands.parser import HELP_WIDTH
from cartino_server.lobby.moderation import OnlinePerson
from cartino_server.lobby.people.connections import ActiveConnection
from cartino_server.lobby.people.names import GUEST
from cartino_server.store.moderation import Ban, BanKind, ChatReport, format_moment, is_guest
from cartino_server.table.lifetime import TableHolding
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import PageCell, PageColumn, R, Reader, row_record

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
) -> Iterator[ConnectionRow]:
    """Yield the connections as login and lobby know them, with names and programs cleaned for a terminal."""
    inside = {connection: each for each in seen for connection in each.connections}
    for each in present:
        online = inside.get(each.connection)
        person = (online or each).person
        yield ConnectionRow(
            connection=each.connection,
            name="" if online is None else legible(online.name),
            guest=not each.key,
            person=person,
            key=each.key,
            user=legible(each.user),
            source=each.source,
            client=legible(each.client),
            since=format_moment(each.since),
            tables=() if online is None else online.tables,
            muted=is_muted(person, each.connection),
        )


def _column(
    heading: str, text: Callable[[R, Translator], str], record: Callable[[R], Mapping[str, object]] | str
) -> PageColumn[R]:
    return PageColumn(heading, lambda row, reader: (PageCell(text(row, reader.translator)),), record)


def _program(row: ConnectionRow, translator: Translator) -> str:
    program = shorten(row.client.removeprefix("SSH-2.0-"), MAX_PROGRAM_SHOWN)
    return program + (f" ({translator.gettext('muted')})" if row.muted else "")


CONNECTIONS: Final[tuple[PageColumn[ConnectionRow], ...]] = (
    _column(N_("number"), lambda row, _: str(row.connection), "connection"),
    _column(
        N_("name"),
        lambda row, _: row.name or f"({GUEST if row.guest else ''}{row.user})",
        "name guest person key user",
    ),
    _column(N_("table"), lambda row, _: ",".join(row.tables) or "-", "tables"),
    _column(N_("from"), lambda row, _: row.source, "source"),
    # The year goes without saying.
    _column(N_("since (UTC)"), lambda row, _: row.since.partition("-")[2], "since"),
    _column(N_("program"), _program, "client muted"),
)
BANS: Final[tuple[PageColumn[Ban], ...]] = (
    _column(N_("number"), lambda ban, _: str(ban.id), lambda ban: {"number": ban.id}),
    _column(
        N_("kind"),
        lambda ban, _: BAN_KIND_NAMES[ban.kind],
        lambda ban: {
            "kind": BAN_KIND_NAMES[ban.kind],
            "what": ban.name if ban.kind == "name" else ban.what.replace("\n", " "),
        },
    ),
    _column(N_("target"), lambda ban, _: ban.name or "-", "name"),
    _column(
        N_("until (UTC)"),
        lambda ban, translator: ban.ends or translator.gettext("permanent"),
        "until reason made by",
    ),
)
"""In JSON, times are in Unix seconds, `until` null for ever."""


def records(columns: Sequence[PageColumn[R]], rows: Iterable[R]) -> Sequence[dict[str, object]]:
    """Return `rows` for programs, by `columns`."""
    return [row_record(columns, row) for row in rows]


def connections_text(rows: Sequence[ConnectionRow], translator: Translator) -> str:
    """Return the connections, a line each, without keys."""
    if not rows:
        return translator.gettext("Nobody is connected.") + "\n"
    table = _aligned(CONNECTIONS, rows, translator)
    if not all(row.name for row in rows):
        table += ["", *fold(translator.gettext(NOT_IN_LOBBY), HELP_WIDTH)]
    return _joined(table)


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
    heading, *lines = _aligned(BANS, bans, translator)
    begins = 2 + max(len(translator.gettext("number")), *(len(str(ban.id)) for ban in bans))
    told = [heading]
    for ban, line in zip(bans, lines, strict=True):
        details = fold(_ban_details(ban, translator), HELP_WIDTH - begins)
        told += [line, *(f"{'':<{begins}}{each}" for each in details)]
    return _joined(told)


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
    return _joined(told)


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


def _aligned(columns: Sequence[PageColumn[R]], rows: Iterable[R], translator: Translator) -> list[str]:
    """Return a line of headings and one for each row."""
    reader = Reader(translator)
    cells = [
        [translator.gettext(column.heading) for column in columns],
        *([column.cells(row, reader)[0].text for column in columns] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
