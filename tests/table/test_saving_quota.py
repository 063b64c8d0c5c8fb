"""So many finished games are kept a day of each person with a history, and of all strangers of one source."""

import msgspec
import pytest

from cartino_protocol.commands import Create, History, Join
from cartino_protocol.notices import News
from cartino_protocol.views import ChatView, HistoryView, TableView
from cartino_server.server import Server
from cartino_server.store.personal_data import KNOWN_DAYS
from cartino_server.table.saving import Quota
from tests.support.game_server import QUICK, Guest, World, a_guest, connect, new_server
from tests.support.journal import MemoryJournal
from tests.support.race import Add

NETWORK = ("192.0.2.7", "192.0.2.0/24")
DAY = 86_400


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def quota(self, most: int = 2) -> Quota:
        return Quota(lambda: most, lambda: self.now)


def test_a_day_later_there_are_as_many_again() -> None:
    clock = Clock()
    quota = clock.quota(2)
    for _ in range(2):
        quota.count({"ann"})
    clock.now = DAY / 2 - 1
    assert not quota.admits({"ann"})
    clock.now = DAY / 2 + 1
    assert quota.admits({"ann"})
    quota.count({"ann"})
    assert not quota.admits({"ann"})


def test_a_game_is_kept_while_one_of_its_people_may_have_more() -> None:
    quota = Clock().quota(2)
    for _ in range(2):
        quota.count({"ann"})
    assert not quota.admits({"ann"})
    assert quota.admits({"ann", "bob"})
    assert quota.admits({"bob"})


def test_strangers_of_a_source_count_together_and_known_people_alone() -> None:
    quota = Clock().quota()
    strangers = quota.holders((), {"eve"}, "192.0.2.0/24")
    assert strangers == quota.holders((), {"mallory"}, "192.0.2.0/24")
    assert strangers != quota.holders((), {"eve"}, "198.51.100.0/24")
    assert quota.holders({"ann"}, (), "192.0.2.0/24") == {"ann"}
    assert quota.holders({"ann"}, {"eve"}, "192.0.2.0/24") == {"ann", *strangers}


@pytest.mark.parametrize(("most", "source"), [(0, "192.0.2.0/24"), (1, "")])
def test_without_a_limit_or_a_source_that_counts_every_game_is_kept(most: int, source: str) -> None:
    quota = Clock().quota(most)
    for _ in range(5):
        holders = quota.holders((), {"eve"}, source)
        assert quota.admits(holders)
        quota.count(holders)


async def play(server: Server) -> Guest:
    """Ann and Bob finish a game at a table of their own; Ann."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race"), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    await ann.act(Add(3))
    await ann.wait(TableView, lambda view: view.state == "finished")
    return ann


async def test_beyond_the_limit_a_game_is_played_but_not_kept(journal: MemoryJournal) -> None:
    server = new_server(World(), msgspec.structs.replace(QUICK, games_a_day=1), journal=journal)
    connect(server, NETWORK[0], 0)
    await play(server)
    ann = await play(server)
    told = await ann.wait(ChatView, lambda view: bool(view.notices))
    while News("not-kept") not in [notice.news for notice in told.notices]:
        told = await ann.wait(ChatView, lambda view: bool(view.notices))
    games = (await ann.ask(History("all"), HistoryView)).games
    assert len(games) == 1
    assert [game.ending is None for game in journal.games.values()] == [False, True]
    await server.close()


async def test_people_with_a_history_are_not_counted_as_strangers(journal: MemoryJournal) -> None:
    server = new_server(World(), msgspec.structs.replace(QUICK, games_a_day=1), journal=journal)
    connect(server, NETWORK[0], 0)
    await play(server)
    journal.sums.connection.execute(
        "INSERT INTO players (person, name, key, place, days) VALUES ('id-ann', 'ann', 'ann', 1, ?)",
        (KNOWN_DAYS,),
    )
    ann = await play(server)
    assert len((await ann.ask(History("all"), HistoryView)).games) == 2
    await server.close()
