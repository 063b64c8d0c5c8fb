"""Journals for tests: opened for a while, filled, and looked into afterwards."""

import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import apsw

from cartino_server.store.database import JOURNAL_FILE
from cartino_server.store.journal import Journal, OpenedJournal, open_journal
from cartino_server.store.port import FinishedGame, GameState, NewEntry


@contextlib.asynccontextmanager
async def opened(data: Path, vfs: str | None = None, entries: int = 1) -> AsyncIterator[OpenedJournal]:
    """A journal that must not die, and is closed at the end."""
    deaths: list[str] = []
    journal = open_journal(data, deaths.append, entries=entries, vfs=vfs)
    try:
        yield journal
    finally:
        await journal.journal.close()
    assert deaths == []


async def add(journal: Journal, game: int, *bodies: bytes, state: GameState = "open") -> None:
    """Write entries to a game, all at once."""
    await journal.write([NewEntry(game, body, state) for body in bodies], 0.0)


async def fill(
    data: Path, games: int = 5, entries: int = 20, size: int = 300
) -> dict[int, tuple[bytes, ...]]:
    """Make a journal with that many open games and close it; the bodies by game."""
    bodies: dict[int, tuple[bytes, ...]] = {}
    async with opened(data) as found:
        for _ in range(games):
            number = found.journal.number("K7QP")
            bodies[number] = tuple(body_of(number, seq, size) for seq in range(entries))
        # Turn by turn, so that the games lie between each other as they do in a server.
        for turn in zip(*bodies.values(), strict=True):
            await found.journal.write(
                [NewEntry(game, body) for game, body in zip(bodies, turn, strict=True)], 1.0
            )
    return bodies


def change(data: Path, statement: str, values: tuple[object, ...] = ()) -> None:
    """Change the journal in `data`, which no server has open."""
    connection = apsw.Connection(str(data / JOURNAL_FILE))
    connection.execute(statement, values).fetchall()
    connection.close()


def overwrite_page(data: Path, part: bytes | int, fill: bytes = b"\xff") -> None:
    """Overwrite a page of the journal in `data`: that number (from 0), or the one that contains `part`."""
    path = data / JOURNAL_FILE
    page = part if isinstance(part, int) else path.read_bytes().index(part) // 4096
    with path.open("r+b") as file:
        os.pwrite(file.fileno(), fill * 4096, page * 4096)


def body_of(game: int, seq: int, size: int = 300) -> bytes:
    """Something that stands nowhere else."""
    return f"game {game} entry {seq} ".encode().ljust(size, b".")


def ended(
    code: str = "K7QP",
    seats: tuple[str, ...] = ("Ann", "bot:greedy"),
    persons: tuple[str, ...] = ("p1", ""),
    listed: bool = True,
) -> FinishedGame:
    """How a game of two ended."""
    return FinishedGame(
        code,
        "cartino",
        {"edition": "1974"},
        seats,
        persons,
        (12, 9),
        (0,),
        "",
        "2026-01-01T12:30:00Z",
        listed,
    )
