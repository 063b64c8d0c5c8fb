"""Many keys, of one and several sources, use every command and leave: nothing of the server exceeds its bound."""

import asyncio
import gc
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import apsw
import msgspec
import pytest

from cartino_protocol.accounts import Account, AccountView, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Course,
    Create,
    Cut,
    Decline,
    Hello,
    History,
    Ignore,
    Invite,
    Join,
    Lead,
    Leaders,
    Leave,
    Lesson,
    Pause,
    PlayOn,
    Prefer,
    Preview,
    Profile,
    QuickPlay,
    Rematch,
    Rename,
    Replay,
    Report,
    Review,
    SaveSelection,
    Say,
    Sit,
    Stand,
    Start,
    Summary,
    TryTurn,
    Watch,
)
from cartino_protocol.deals import Daily, Duplicate, League, PlayDaily, Today
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import TableView
from cartino_protocol.wire import VERSION
from cartino_server import environment
from cartino_server.commands.ssh_commands import SSH
from cartino_server.limits import Retention, ServerConfig
from cartino_server.lobby import key_codes, login, moderation
from cartino_server.lobby.people import directory
from cartino_server.rate_limit import MAX_BUCKETS
from cartino_server.review import judging
from cartino_server.store import database_threads
from cartino_server.store.database import scalar
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.people import open_people
from cartino_server.table.restoring import packed_entry
from cartino_server.table.saving import FORMAT
from tests.support.containers import Containers, containers
from tests.support.doorway import NOW, Doorway, doorway
from tests.support.game_server import TIME_LIMIT, Guest
from tests.support.journals import opened

PACKAGES = ("cartino_engine", "cartino_server", "cartino_protocol", "cartino_tui", "cartino_games")
ONE_SOURCE = "192.0.2.1"
UNHURRIED = ServerConfig(
    bot_pause=0,
    lobby_every=0,
    spectators_every=0,
    burst=10**6,
    chat_lines=10**6,
    seats_burst=10**6,
    inbox=10**4,
    refusals=10**4,
)
RAW = msgspec.Raw(msgspec.msgpack.encode({"motion": False}))
SHELL = {
    "join": ["join {code}"],
    "games": ["games", "games --mine", "games --finished"],
    "help": ["help", "help move"],
    "show": ["show {code}"],
    "move": ["move {code} a1"],
    "challenge": ["challenge --game caro"],
    "take": ["take {code}"],
    "withdraw": ["withdraw {code}"],
    "chat": ["chat {code} hello"],
    "profile": ["profile", "profile ann"],
    "top": ["top"],
    "keys": ["keys", "keys code", "keys add ZZZZZ-ZZZZZ", "keys drop SHA256:abcdefgh"],
    "account": ["account"],
    "export": ["export {code}"],
    "review": ["review {code}"],
    "daily": ["daily"],
    "duplicate": ["duplicate {code}"],
    "league": ["league"],
}
"""What is said by each command over SSH; those that need a terminal are refused."""
BOUNDS = {
    "EvictedTables._deals": login.MAX_UNTOLD,
    "EvictedTables._games": login.MAX_UNTOLD,
    "AuthorMarks._persons": environment.MAX_MARKS,
    "KeyCodes._digests": key_codes.MAX_CODES,
    "KeyCodes._waiting": key_codes.MAX_CODES,
    "NameBook._names": directory.MAX_NAMES,
    "NameBook._owners": 2 * directory.MAX_NAMES,
    "NameBook._strangers": directory.MAX_NAMES,
    "RateLimiter._buckets": MAX_BUCKETS,
    "RecentVisitors._found": moderation.MAX_VISITORS,
    "Reviews._due": judging.MOST_DUE,
    # The games of the last transaction.
    "JournalWriter._leaving": 100,
    "JournalWriter._moved": 100,
    # The tables of attempts, until their deal closes.
    "JournalWriter._known": 1000,
    "SharedDeals._codes": 1000,
}
"""What may stay of those who have left, and how much of it. Everything else is as large as before they came."""
VISITS = 40
TURNS, MOST_DAYS = 200, 100
"""Turns of the loop between two looks, and days until all tables have closed."""
BUDGET = {
    **dict.fromkeys(("finished", "packed", "tally", "reviews"), 2.5),
    "seats": 5.0,
    **dict.fromkeys(("guests", "settings", "expired", "names"), 1.0),
    # An attempt at the day's game stays open until the day ends.
    **dict.fromkeys(("attempts", "games"), 1.0),
    "entries": 6.0,
}
"""Rows that a visit with every command may leave in a table, once its games are packed; few in all others."""
FEW = 3
IN_MEMORY = {"Journal._guests", "Journal._settings"}
"""What only the journal of a game at home keeps in memory."""


def table_commands(code: str) -> Iterator[Command]:
    """Yield a visit to a table of one's own, and to the table `code`."""
    yield Create("caro", seats=2)
    yield from (Invite("ann"), Say("hello"), Cut("cut"), Pause(True), Sit(1), Start(), Rematch(), Lead(1))
    yield from (SaveSelection(RAW), Act(1, RAW), Report(1), Prefer(RAW), Stand(), Leave())
    yield from (Watch(code), Say("hello again"), Report(1), Leave())
    yield from (Join(code), Say("here I am"), Act(1, RAW), Leave())
    yield from (QuickPlay("caro"), Leave())


def lobby_commands(code: str, name: str) -> Iterator[Command]:
    """Yield every command of the lobby."""
    yield Rename(f"{name} x")
    yield from (Prefer(RAW), Back("batiko-nuvaro-zeline"), History("mine"), History("all"))
    yield from (Replay(f"{code}-1"), Course(f"{code}-1"), Review(f"{code}-1"), TryTurn(f"{code}-1"))
    yield from (PlayOn(f"{code}-1"), Profile("ann"), Leaders(), Decline("AAAA"), Ignore(name="ann"))
    yield from (Summary(), Preview(code), Lesson("caro"), Keys(), KeyCode(), AddKey("ZZZZZ-ZZZZZ"))
    yield from (DropKey("SHA256:abcdefgh"), Daily(), Duplicate(code), League(), Today(), PlayDaily(), Leave())
    yield Ignore(name="ann", on=False)


def test_every_command_is_used() -> None:
    used = {type(each) for each in (*table_commands("AAAA"), *lobby_commands("AAAA", "ann"))}
    assert used | {Hello, Account, DeleteAccount} == set(get_args(Command))
    in_a_terminal = {"watch", "new", "back", "learn", "plain", "replay", "bot"}
    assert {*SHELL, *in_a_terminal} == set(SSH.commands)


async def visit(door: Doorway, number: int, codes: list[str]) -> None:
    """Log in, use every command, and leave: every other one is cut off in a game."""
    name, code = f"p{number}", codes[-1] if codes else "AAAA"
    source = ONE_SOURCE if number % 2 else f"198.51.{number % 250}.{number // 250}"
    key = "" if number % 5 == 0 else f"SHA256:{number:_<43}"
    visitor = await door.visitor(name, source, key)
    if number % 7 == 1:
        await door.run(visitor, f"account bot {name}")
        door.leave(visitor.connection)
        visitor = await door.visitor(name, source, key)
    for words in itertools.chain(*SHELL.values()) if number % 4 == 0 else ():
        await door.run(visitor, words.format(code=code))
    guest = door.call(visitor)
    guest.say(Hello(VERSION), *table_commands(code), *lobby_commands(code, name))
    await guest.ask(Account(), AccountView)
    if number % 3 == 0:
        guest.say(Create("caro", bots=("random",), clock="60s"))
        while not isinstance(answer := await guest.next(), TableView | Refusal):
            pass
        codes.extend([answer.code] if isinstance(answer, TableView) else [])
    elif number % 3 == 1:
        guest.say(DeleteAccount(guest_name(guest)))
        await door.run(visitor, "games")
    door.leave(visitor.connection)


def guest_name(guest: Guest) -> str:
    found = [answer.name for answer in guest.heard if isinstance(answer, AccountView)]
    return found[-1]


async def visits(door: Doorway, numbers: Sequence[int]) -> None:
    """Let them come, twenty at a time, and let time pass until their tables have closed."""
    codes: list[str] = []
    for first in range(0, len(numbers), 20):
        await asyncio.gather(*(visit(door, number, codes) for number in numbers[first : first + 20]))
    # A timeout would go by the time that is skipped.
    for _ in range(MOST_DAYS):
        if not tuple(door.server.services.registry):
            break
        door.world.skip(86_400.0)
        for _ in range(TURNS):
            await asyncio.sleep(0)


async def grown_since(before: Containers, door: Doorway) -> Containers:
    """Return what has grown beyond its bound, once what still runs has ended."""
    loop = asyncio.get_running_loop()
    until = loop.time() + TIME_LIMIT
    while True:
        await asyncio.to_thread(gc.collect)
        grown = {
            place: n
            for place, n in held(door).items()
            if n > BOUNDS.get(place, before.get(place, 0)) and place not in IN_MEMORY
        }
        if not grown or loop.time() > until:
            return grown


def held(door: Doorway) -> Containers:
    return containers(PACKAGES, door.server, door.administration, door.backend)


@pytest.mark.soak
async def test_nothing_stays_of_those_who_have_left(long_run: bool) -> None:
    people = open_people(None)
    async with doorway(people, None, UNHURRIED) as door:
        await visits(door, range(12))
        before = held(door)
        await visits(door, range(100, 300 if long_run else 180))
        assert await grown_since(before, door) == {}
    await people.close()


def rows_of(db: apsw.Connection) -> Counter[str]:
    names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return Counter(
        {str(name): int(db.execute(f"SELECT count(*) FROM {name}").get or 0) for (name,) in names.fetchall()}
    )


async def test_a_visit_leaves_few_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is removed is forgotten once the log is in the database.
    monkeypatch.setattr(database_threads, "CHECKPOINT_PAGES", 1)
    people = open_people(tmp_path)
    async with opened(tmp_path, entries=FORMAT) as found, doorway(people, found.journal, UNHURRIED) as door:
        upkeep = Upkeep(found.journal, packed_entry, Retention, lambda: NOW)
        upkeep.rest = 0

        async def rows() -> Counter[str]:
            # The games that ended last are counted in the background, and then packed.
            async with asyncio.timeout(TIME_LIMIT):
                while await found.journal.query(
                    scalar, "SELECT EXISTS (SELECT 1 FROM games WHERE state = 'closed')"
                ):
                    await upkeep.once()
                await upkeep.once()
            return await found.journal.query(rows_of) + await people.do(rows_of)

        await visits(door, range(12))
        before, held_before = await rows(), held(door)
        await visits(door, range(100, 100 + VISITS))
        after = await rows()
        assert await grown_since(held_before, door) == {}
        after.subtract(before)
        most = {table: FEW + BUDGET.get(table, 0) * VISITS for table in after}
        assert {table: n for table, n in after.items() if n > most[table]} == {}
    await people.close()
