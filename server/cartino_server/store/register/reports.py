"""Lines of chat that somebody reported, for the host to read: what was said, and what stood before it."""

from collections.abc import Sequence
from typing import Final

import apsw
import msgspec

MOST: Final = 10_000
"""Reports that are kept; then those of whoever has reported the most give way, the oldest first.

Guests are one, and who never played a game to its end goes before others.
"""
AN_HOUR: Final = 3600
MOST_AN_HOUR: Final = 5
"""Reports of one person. How many guests make is measured where they come from, by the house."""
GUEST: Final = "guest:"
"""How the id of a guest begins."""

_FIELDS: Final = "made, reporter, reporter_name, person, name, code, line, text, before, source"


class Report(msgspec.Struct, frozen=True):
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


def add_report(connection: apsw.Connection, report: Report) -> int | None:
    """Keep `report`; its number, or None where there are too many by the same person in this hour.

    Who reports a line twice has reported it once.
    """
    known = connection.execute(
        "SELECT id FROM reports WHERE (reporter, code, line, text) = (?, ?, ?, ?)",
        (report.reporter, report.code, report.line, report.text),
    ).get
    if known is not None:
        return int(known)
    since = report.made - AN_HOUR
    recent = "SELECT COUNT(*) FROM reports WHERE made > ? AND reporter = ?"
    if connection.execute(recent, (since, report.reporter)).get >= MOST_AN_HOUR:
        return None
    before = msgspec.json.encode(report.before).decode()
    values = msgspec.structs.astuple(msgspec.structs.replace(report, before=before))
    places = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO reports ({_FIELDS}) VALUES ({places})", values)
    number = connection.last_insert_rowid()
    if connection.execute("SELECT COUNT(*) FROM reports").get > MOST:
        who = (
            f"CASE WHEN reporter >= '{GUEST}' AND reporter < '{GUEST[:-1]};' THEN '{GUEST}' ELSE reporter END"
        )
        connection.execute(
            f"DELETE FROM reports WHERE id = (SELECT id FROM reports WHERE {who} = "
            f"(SELECT {who} AS who FROM reports GROUP BY who ORDER BY "
            "who IN (SELECT person FROM names WHERE played), COUNT(*) DESC LIMIT 1) ORDER BY id LIMIT 1)"
        )
    return number


def list_reports(connection: apsw.Connection, most: int = 100) -> dict[int, Report]:
    """The reports that the host has not closed, by their numbers, oldest first, `most` of them."""
    rows = connection.execute(f"SELECT id, {_FIELDS} FROM reports ORDER BY id LIMIT ?", (most,))
    return {int(number): _read(fields) for number, *fields in rows}


def find_report(connection: apsw.Connection, number: int) -> Report | None:
    """The report `number`; None where there is none."""
    rows = connection.execute(f"SELECT {_FIELDS} FROM reports WHERE id = ?", (number,))
    return next((_read(fields) for fields in rows), None)


def close_report(connection: apsw.Connection, number: int) -> bool:
    """The host has read the report `number`: it is gone, and no other is called so. Whether there was one."""
    connection.execute("DELETE FROM reports WHERE id = ?", (number,))
    return connection.changes() > 0


def _read(fields: Sequence[object]) -> Report:
    values = dict(zip(Report.__struct_fields__, fields, strict=True))
    values["before"] = msgspec.json.decode(str(values["before"]))
    return msgspec.convert(values, Report)
