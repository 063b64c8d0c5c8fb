"""Rebuild the first page of a journal, without which SQLite reads none of its tables.

The tables are still there: each is a tree of pages that no other page points to, and the shape of its rows tells which
table it is. Only tables that can't be derived are looked for; the copied rows are verified.
"""

import mmap
import shutil
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw

from cartino_protocol.base import parse_code
from cartino_server.store.database import open_writer, remove_database
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, migrate_journal
from cartino_server.store.queries import GAME_STATES

PAGE_BYTES: Final = 4096
_TABLE_INTERIOR, _TABLE_LEAF, _INDEX_LEAF = 5, 13, 10
_PAGE_HEADER: Final = struct.Struct(">BHHHB")
_POINTER_MAP_INTERVAL: Final = PAGE_BYTES // 5 + 1
"""In a file with incremental vacuum, every such page from page 2 is a pointer map."""


def _has_types(row: tuple[Any, ...], *kinds: type) -> bool:
    return len(row) == len(kinds) and all(map(isinstance, row, kinds))


_STATES: Final = frozenset(GAME_STATES)
_ROW_PATTERNS: Final[dict[str, Callable[[tuple[Any, ...]], bool]]] = {
    "games": lambda row: _has_types(row, str, str, int, bytes) and row[1] in _STATES and len(row[3]) == 32,
    "entries": lambda row: _has_types(row, str, bytes, bytes) and row[0] in _STATES and len(row[1]) == 32,
    "packed": lambda row: _has_types(row, str, int, int, bytes, bytes),
    "finished": lambda row: (
        _has_types(row, str, int, bytes, bytes) or _has_types(row, str, int, bytes, bytes, int)
    ),
    "settings": lambda row: _has_types(row, str, bytes, bytes) and row[0] not in _STATES,
    "guests": lambda row: _has_types(row, bytes, str, str) or _has_types(row, bytes, str, str, bytes),
    # Both are two texts; why a game is damaged, in `lost`, is never a table's code.
    "expired": lambda row: _has_types(row, str, str) and parse_code(row[1]) is not None,
    "lost": lambda row: _has_types(row, str, str),
    "tally": lambda row: _has_types(row, int, int),
    "gone": _has_types,
}
"""Patterns of a table's rows without the row number, up to the last column that isn't NULL."""


def rebuild_first_page(path: Path, target: Path) -> bool:
    """Copy the database to `target` with a new first page; return whether its games were found.

    The copy has no indexes, and only tables that can't be derived. Raises apsw.Error, OSError.
    """
    remove_database(target)
    shutil.copyfile(path, target)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copyfile(log, target.with_name(f"{target.name}-wal"))
    pages = target.stat().st_size // PAGE_BYTES
    if pages < 2:
        return False
    with target.open("r+b") as file:
        file.write(_empty_first_page(pages))
    with closing(open_writer(target)) as connection:
        # Apply the log first; it may have a first page, too.
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    with target.open("r+b") as file:
        file.write(_empty_first_page(target.stat().st_size // PAGE_BYTES))
    roots = _find_roots(target)
    with closing(open_writer(target)) as connection:
        found = _name_tables(connection, roots)
    return {"games", "entries"} <= found


def _empty_first_page(pages: int) -> bytes:
    header = struct.pack(
        ">16sHBBBBBBIIIIIIIIIIII20sII",
        *(b"SQLite format 3\0", PAGE_BYTES, 2, 2, 0, 64, 32, 32),
        # The change counter, the size, no free pages, the schema's cookie and format.
        *(1, pages, 0, 0, 1, 4),
        # The cache's size, no page is given back, UTF-8, our version, not incremental, no application.
        *(0, 0, 1, len(JOURNAL_MIGRATIONS), 0, 0),
        bytes(20),
        # For which change the size holds, and who says so.
        *(1, apsw.SQLITE_VERSION_NUMBER),
    )
    return (header + struct.pack(">BHHHB", _TABLE_LEAF, 0, 0, PAGE_BYTES, 0)).ljust(PAGE_BYTES, b"\0")


def _find_roots(file: Path) -> dict[int, int]:
    """Return the root pages of all trees, and their kinds."""
    kinds: dict[int, int] = {}
    led_to: set[int] = set()
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        count = len(content) // PAGE_BYTES
        is_mapped = content[PAGE_BYTES] in range(1, 6)
        for number in range(2, count + 1):
            if is_mapped and (number - 2) % _POINTER_MAP_INTERVAL == 0:
                continue
            page = content[(number - 1) * PAGE_BYTES : number * PAGE_BYTES]
            kind, _, cells, _, _ = _PAGE_HEADER.unpack_from(page)
            if kind in {_TABLE_INTERIOR, _TABLE_LEAF, _INDEX_LEAF} and cells * 2 + 12 <= PAGE_BYTES:
                kinds[number] = kind
                if kind == _TABLE_INTERIOR:
                    led_to.update(_child_pages(page, cells))
    return {number: kind for number, kind in kinds.items() if number not in led_to}


def _child_pages(page: bytes, cells: int) -> Iterator[int]:
    yield int.from_bytes(page[8:12], "big")
    for (place,) in struct.iter_unpack(">H", page[12 : 12 + 2 * cells]):
        yield int.from_bytes(page[place : place + 4], "big")


def _name_tables(connection: apsw.Connection, roots: dict[int, int]) -> set[str]:
    """Name the tables that can be recognised by their rows; return the names."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.pragma("writable_schema", "on")
    sql = _table_statements()
    found: dict[str, int] = {}
    for root, kind in sorted(roots.items(), key=lambda each: (each[1] != _TABLE_INTERIOR, each[0])):
        name = _identify_table(connection, root, kind)
        if name in sql and name not in found:
            found[name] = root
    _replace_schema(connection, {name: (root, sql[name]) for name, root in found.items()})
    for name, statement in sql.items():
        if name not in found:
            connection.execute(statement)
    return set(found)


def _identify_table(connection: apsw.Connection, root: int, kind: int) -> str:
    """Return the name of the table with that root; "" if it is unknown or empty."""
    if kind == _INDEX_LEAF:
        _replace_schema(
            connection, {"one": (root, "CREATE TABLE one (key PRIMARY KEY, value) WITHOUT ROWID")}
        )
        query = "SELECT key, value FROM one LIMIT 9"
    else:
        columns = ", ".join(f"c{number}" for number in range(1, 10))
        _replace_schema(
            connection, {"one": (root, f"CREATE TABLE one (number INTEGER PRIMARY KEY, {columns})")}
        )
        query = f"SELECT {columns} FROM one LIMIT 9"
    try:
        rows = connection.execute(query).fetchall()
    except (apsw.Error, UnicodeDecodeError):
        return ""
    if kind == _INDEX_LEAF:
        return "meta" if any(row[0] in {"id", "time", "entries"} for row in rows) else ""
    for name, looks in _ROW_PATTERNS.items():
        if rows and all(looks(_without_nulls(row)) for row in rows):
            return name
    return ""


def _replace_schema(connection: apsw.Connection, tables: dict[str, tuple[int, str]]) -> None:
    """Make these the only tables of the schema."""
    with connection:
        connection.execute("DELETE FROM sqlite_schema")
        connection.executemany(
            "INSERT INTO sqlite_schema VALUES ('table', ?1, ?1, ?2, ?3)",
            [(name, root, sql) for name, (root, sql) in tables.items()],
        )
    connection.pragma("writable_schema", "reset")
    connection.pragma("writable_schema", "on")


def _table_statements() -> dict[str, str]:
    with closing(apsw.Connection(":memory:")) as fresh:
        migrate_journal(fresh)
        rows = fresh.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {str(name): str(sql) for name, sql in rows}


def _without_nulls(row: tuple[Any, ...]) -> tuple[Any, ...]:
    columns = list(row)
    while columns and columns[-1] is None:
        columns.pop()
    return tuple(columns)
