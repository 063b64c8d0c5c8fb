"""What a table writes is what is new of it: entries, endings, the quota of kept games, and what is counted."""

import asyncio
from collections.abc import Callable, Iterator
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from cartino_engine.port import AnyGame
from cartino_games.cartino.rules.game import Cartino
from cartino_protocol.commands import Create, History, Leave, Rematch, Say
from cartino_protocol.notices import News
from cartino_protocol.views import Bye, ChatLine, ChatView, HistoryView, Left, TableView
from cartino_server.server import Server
from cartino_server.store.personal_data import KNOWN_DAYS
from cartino_server.store.port import NotSaved
from cartino_server.table.saving import JournalEntry, Quota, TableFacts, read_entry, write_entry
from cartino_server.table.seating import Chair
from cartino_server.table.time_control import Substitutes, TimeControl, TurnClock, TurnTiming
from tests.support.game_server import (
    QUICK,
    TIME_LIMIT,
    Guest,
    World,
    a_guest,
    at_a_table,
    connect,
    new_server,
    texts,
)
from tests.support.journal import MemoryJournal
from tests.support.metered import metered, told
from tests.support.race import Add, Boom, Race
from tests.support.race_table import filled, finished
from tests.support.table_storm import Table, looks

GAMES: list[AnyGame] = [Race(), Cartino()]
FULL_DISK = NotSaved("the disk is full")


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
@settings(max_examples=20)
def test_what_was_undone_leaves_no_trace(game: AnyGame, seed: int) -> None:
    async def storm() -> None:
        journals = MemoryJournal(), MemoryJournal()
        tables = [Table(game, Random(seed), journal) for journal in journals]
        chances = [Random(seed + 1), Random(seed + 1)]
        for _ in range(40):
            first, second = (each.deed(chance) for each, chance in zip(tables, chances, strict=True))
            table, time = tables[0].table, tables[0].world.time
            value, before = table.table, looks(table)
            first()
            table.table = value
            tables[0].world.time = time
            assert looks(table) == before
            first()
            second()
            for each in tables:
                if each.saver.is_behind:
                    await each.saver.save()
            assert looks(tables[0].table) == looks(tables[1].table)
        assert journals[0].games == journals[1].games

    asyncio.run(storm())


async def test_an_entry_holds_what_is_new_and_nothing_else() -> None:
    table = filled("ann", "bob", goal="9").play("7s")
    await table.save()
    table.play("eve watches, eve leaves, bob vanishes, bob joins")
    assert not table.saver.is_behind, "who comes to watch or goes writes nothing"
    await table.saver.saver.save(table.table)
    assert len(table.journal.writes) == 1
    table.play("ann adds 1, ann says hello")
    await table.save()
    first, second = (read_entry(body) for body in table.journal.table("AAAA").bodies)
    assert first.facts is not None
    assert (len(first.lines), first.said) == (3, ())
    assert (second.at, second.number, second.facts) == (7.0, table.number, None)
    assert [bytes(line) for line in second.lines] == [b'{"type":"add","seat":0,"n":1}']
    assert [line.text for line in second.said] == ["hello"]


async def test_a_game_that_is_over_is_listed_once_and_the_rematch_is_a_game_of_its_own() -> None:
    table = finished("ann", "bob")
    await table.save()
    table.play("bob says again?")
    await table.save()
    ending = table.journal.table("AAAA").ending
    assert ending is not None
    assert (ending.seats, ending.persons, ending.winners) == (("ann", "bob"), ("ann", "bob"), (0,))
    assert [write.ending is None for (write,) in table.journal.writes] == [False, True]
    table.play("ann agrees, bob agrees").journal.fail = FULL_DISK
    for _ in range(3):
        with pytest.raises(NotSaved):
            await table.save()
    assert table.saver.is_behind, "what could not be saved is still new"
    table.journal.fail = None
    await table.save()
    assert list(table.journal.games) == [1, 2], "it took one number"
    old, new = table.journal.games.values()
    assert (old.state, new.state, new.ending) == ("closed", "open", None)
    entry = read_entry(new.bodies[0])
    assert ([line.text for line in entry.said], len(entry.lines)) == (["again?"], 3)
    assert entry.facts is not None
    # Both are written at once: there is no moment with neither or with two.
    assert [write.state for write in table.journal.writes[-1]] == ["closed", "open"]


@pytest.mark.parametrize("fail", [None, FULL_DISK])
async def test_a_game_that_runs_as_the_server_closes_stays_open(
    server: Server, journal: MemoryJournal, fail: NotSaved | None
) -> None:
    _, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "9"}))
    before = [len(game.bodies) for game in journal.games.values()]
    journal.fail = fail
    with capture_logs() as logs:
        await server.close()
    assert (await bob.end())[-1] == Bye("shutdown")
    lost = [("end_not_saved", "AAAA", "open")] if fail else []
    assert [(line["event"], line["table"], line["end"]) for line in logs if "end" in line] == lost
    (game,) = journal.games.values()
    assert (game.state, game.ending, not fail or [len(game.bodies)] == before) == ("open", None, True)
    written = len(journal.writes)
    await server.close()
    assert len(journal.writes) == written


ANN = Chair("human", "ann", "id-ann", cut="here", guest=True)
FACTS = TableFacts(
    *(
        "K7QP",
        "race",
        {"goal": "3"},
        {"goal": "9"},
        (ANN, Chair("bot", "steady", bot="steady")),
        "id-ann",
        "id-eve",
    ),
    *(False, TimeControl("day", "10m"), "playing", 3, "00" * 32, "11" * 32),
)
WAITING = TurnTiming(
    TurnClock(30.0, 4, ((1, 12.5),), 3.0),
    Substitutes(30.0, ((0, 2.0),), ((0, "away"), (1, "time")), 4),
    paused=True,
)
LINE, SAID = msgspec.Raw(b'{"type":"add","seat":0,"n":1}'), ChatLine(4, "ann", "héllo \u2603", "watchers")
FULL = JournalEntry(12.5, 7, FACTS, (LINE,), (SAID,), WAITING, {"id-ann": b"\x00\xff"})


def test_an_entry_is_read_as_it_was_written_and_takes_space_for_what_is_new() -> None:
    assert read_entry(write_entry(FULL)) == FULL
    assert write_entry(JournalEntry(1.5, 2)) == b'{"at":1.5,"number":2}'


def test_an_entry_of_an_earlier_server_is_read() -> None:
    """What the first server wrote: a field that comes later needs a default."""
    facts = (
        b'{"code":"K7QP","game":"race","ordered":{},"options":{},"chairs":[{"kind":"human","name":"ann"},{}],'
        b'"owner":"","opener":"","open":true,"patience":{},"state":"open","round":0,"seed":"","next_seed":""}'
    )
    entry = read_entry(b'{"at":1,"number":0,"facts":' + facts + b',"waiting":{}}')
    assert entry.facts is not None
    assert (entry.facts.chairs, entry.waiting) == ((Chair("human", "ann"), Chair()), TurnTiming())


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"null", b"{}", b'{"at":"now","number":1}', b'{"at":1,"number":1'),
        b'{"at":1,"number":1,"unknown":2}',
    ],
)
def test_what_is_no_entry_is_refused(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_entry(body)


class TestQuota:
    NETWORK = "192.0.2.0/24"

    def test_a_day_later_there_are_as_many_again(self) -> None:
        now = 0.0
        quota = Quota(lambda: 2, lambda: now)
        for _ in range(2):
            quota.count({"ann"})
        now = 86_400 / 2 - 1
        assert [quota.admits(people) for people in ({"ann"}, {"ann", "bob"}, {"bob"})] == [False, True, True]
        now += 2
        assert quota.admits({"ann"})
        quota.count({"ann"})
        assert not quota.admits({"ann"})

    def test_strangers_of_a_source_count_together_and_known_people_alone(self) -> None:
        quota = Quota(lambda: 2, float)
        strangers = quota.holders((), {"eve"}, self.NETWORK)
        assert strangers == quota.holders((), {"mallory"}, self.NETWORK)
        assert strangers != quota.holders((), {"eve"}, "198.51.100.0/24")
        assert quota.holders({"ann"}, (), self.NETWORK) == {"ann"}
        assert quota.holders((), (), self.NETWORK) == strangers, "bots alone"
        assert quota.holders({"ann"}, {"eve"}, self.NETWORK) == {"ann", *strangers}

    @pytest.mark.parametrize(("most", "source"), [(0, NETWORK), (1, "")])
    def test_without_a_limit_or_a_source_that_counts_every_game_is_kept(self, most: int, source: str) -> None:
        quota = Quota(lambda: most, float)
        for _ in range(5):
            holders = quota.holders((), {"eve"}, source)
            assert quota.admits(holders)
            quota.count(holders)

    async def play(self, server: Server) -> Guest:
        """Ann and Bob finish a game at a table of their own; Ann."""
        ann, _ = await at_a_table(server, "ann", "bob")
        await ann.act(Add(3))
        await ann.wait(TableView, lambda view: view.state == "finished")
        return ann

    @pytest.mark.parametrize("is_known", [False, True])
    async def test_beyond_it_a_game_of_strangers_is_played_but_not_kept(
        self, journal: MemoryJournal, servers: Callable[[Server], Server], is_known: bool
    ) -> None:
        config = msgspec.structs.replace(QUICK, games_a_day=1)
        server = servers(new_server(World(), config, journal=journal))
        connect(server, "192.0.2.7", 0)
        await self.play(server)
        if is_known:
            journal.connection.execute(
                "INSERT INTO players (person, name, key, place, days) VALUES ('id-ann', 'ann', 'ann', 1, ?)",
                (KNOWN_DAYS,),
            )
        ann = await self.play(server)
        if not is_known:
            lost = News("not-kept")
            await ann.wait(ChatView, lambda view: lost in [notice.news for notice in view.notices])
        assert len((await ann.ask(History("all"), HistoryView)).games) == 1 + is_known
        assert [game.ending is None for game in journal.games.values()] == [False, not is_known]


class TestMetrics:
    @pytest.fixture(autouse=True)
    def watched(self) -> Iterator[None]:
        with metered():
            yield

    async def test_moves_and_games_are_counted_once_and_what_bots_take_is_timed(self, server: Server) -> None:
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race", {"goal": "3"}, seats=2, bots=("steady",)), TableView)
        assert (told("cartino_games_begun_total"), told("cartino_moves_total")) == ({("race",): 1}, {})
        for number, moves in ((3, 2), (5, 4), (6, 5)):
            await ann.act(Add(1))
            await ann.wait(TableView, lambda view, number=number: view.number >= number)  # type: ignore[misc]
            assert told("cartino_moves_total") == {("race",): moves}
        assert told("cartino_games_over_total") == {("race", "points"): 1}
        assert told("cartino_bot_choice_seconds") == {("steady",): 2}
        await ann.ask(Rematch(), TableView, lambda view: view.state == "playing")
        assert told("cartino_games_begun_total") == {("race",): 2}
        assert told("cartino_games_over_total") == {("race", "points"): 1}

    async def test_commands_are_timed_that_change_something_and_are_saved(
        self, server: Server, journal: MemoryJournal
    ) -> None:
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race", {"goal": "3"}, seats=2), TableView)
        before = told("cartino_command_to_commit_seconds").get((), 0)
        await ann.ask(Say("hello"), ChatView, lambda chat: "hello" in texts(chat))
        refused = await ann.refused(Rematch())
        assert told("cartino_refusals_total") == {(refused.reason,): 1}
        journal.fail = FULL_DISK
        assert (await ann.refused(Say("hello"))).reason == "not-saved"
        assert told("cartino_command_to_commit_seconds").get((), 0) == before + 1

    async def test_a_table_that_breaks_is_a_crash_and_one_that_closes_ends_its_game(
        self, world: World, servers: Callable[[Server], Server]
    ) -> None:
        server = servers(new_server(world, msgspec.structs.replace(QUICK, unfinished_after=0)))
        ann = await a_guest(server, "ann")
        alone = Create("race", {"goal": "9"}, seats=2, bots=("steady",))
        await ann.ask(alone, TableView)
        await ann.act(Boom())
        await ann.wait(Left)
        assert told("cartino_crashes_total") == {("table",): 1}
        await ann.ask(alone, TableView)
        await ann.ask(Leave(), Left)
        async with asyncio.timeout(TIME_LIMIT):
            while not told("cartino_games_over_total"):
                await asyncio.sleep(0)
        assert told("cartino_games_over_total") == {("race", "abandoned"): 1}
