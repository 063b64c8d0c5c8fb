"""What is left of shared deals is deleted some days after they close, and nothing before."""

import asyncio

import msgspec
import pytest

from bench.parked import park
from cartino_protocol.base import game_name
from cartino_protocol.commands import Create, Join, Replay
from cartino_protocol.deals import AttemptLine, Daily, DealView, Duplicate, PlayDaily
from cartino_protocol.exit_status import NOT_FOUND
from cartino_protocol.views import ChatView, ReplayView, TableView
from cartino_server.commands.context import shell_reader
from cartino_server.deals import store
from cartino_tui.pages.deals import share_line
from tests.support.deals import TOMORROW, DealServer, bot_move, seconds
from tests.support.game_server import Guest, decoded_view, texts
from tests.support.games import BOTS

DAILY = PlayDaily("cartino")
LATER = "2026-02-11T00:00:01Z"
"""A week after the daily's end."""


async def counts(deals: DealServer) -> tuple[int, int, int]:
    """How many deals, attempts and parked games there are."""
    count = "SELECT (SELECT count(*) FROM deals), (SELECT count(*) FROM attempts)"
    ((dealt, attempts),) = await deals.people_db.do(lambda db: db.execute(count).fetchall())
    return int(str(dealt)), int(str(attempts)), len(await deals.journal.parked())


async def test_unfinished_attempts_go_a_week_after_the_end_and_finished_ones_stay(deals: DealServer) -> None:
    await deals.know("ann", "bob", "cid")
    ended = await deals.play("ann")
    task = deals.server.services.registry.get(ended.code)
    assert task is not None
    game = game_name(ended.code, task.game)
    for name in ("bob", "new"):
        player = await deals.person(name)
        table = await player.ask(DAILY, TableView)
        await deals.home(player)
        await deals.park(table.code)
    assert await counts(deals) == (2, 3, 2)
    deals.at(TOMORROW)
    await deals.server.services.deals.cleanup.run()
    assert await counts(deals) == (2, 3, 2), "the clock may be wrong"
    deals.at(LATER)
    assert await deals.server.services.deals.cleanup.count() == 2
    await deals.server.services.deals.cleanup.run()
    assert await counts(deals) == (1, 1, 0), "the practice deal had no finished attempt"
    ann = await deals.person("ann")
    view = await ann.ask(Daily("cartino", 34), DealView)
    assert [row.name for row in view.rows] == ["ann"]
    assert (await ann.ask(Replay(game), ReplayView)).steps > 0
    await deals.restart()
    assert await counts(deals) == (1, 1, 0)


async def test_an_admin_s_date_deletes_what_closed_before_it(deals: DealServer) -> None:
    bob = await deals.person("bob")
    table = await bob.ask(DAILY, TableView)
    await deals.home(bob)
    await deals.park(table.code)
    cleanup = deals.server.services.deals.cleanup
    deals.at(TOMORROW)
    await cleanup.run(before=deals.server.services.deals.now + 10**6)
    assert await counts(deals) == (1, 1, 1), "it closes now, not before"
    deals.at("2026-02-04T09:00:00Z")
    cleanup.order(deals.server.services.deals.now)
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        while await counts(deals) != (0, 0, 0):
            await asyncio.sleep(0)


async def test_parked_games_without_an_attempt_are_deleted(deals: DealServer) -> None:
    await deals.stop()
    await park(deals.data, 4, now=deals.now)
    await deals.start()
    assert (await counts(deals))[1:] == (4, 3)
    await deals.people_db.do(lambda db: db.execute("DELETE FROM attempts WHERE number = 3"))
    await deals.server.services.deals.cleanup.run()
    assert await deals.journal.parked() == [2, 4]
    await deals.people_db.do(lambda db: db.execute("DELETE FROM attempts"))
    await deals.server.services.deals.cleanup.run()
    assert await deals.journal.parked() == [2, 4], "the people database may be missing"


async def test_the_oldest_results_go_beyond_the_most(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_ATTEMPTS", 1)
    await deals.know("ann", "bob")
    await deals.play("ann")
    await deals.play("new")
    deals.at("2026-02-04T12:00:00Z")
    await deals.play("bob")
    await deals.server.services.deals.cleanup.run()
    left = await deals.people_db.do(lambda db: db.execute("SELECT name FROM attempts").fetchall())
    assert left == [("bob",)], "practice first, then the oldest"


async def test_a_match_is_deleted_with_its_unfinished_attempt(deals: DealServer) -> None:
    ann = await deals.person("ann")
    table = await ann.ask(Create("cartino", seats=2, bots=("greedy",), duplicate=True), TableView)
    code = (await ann.ask(Duplicate(table.code), DealView)).code
    await deals.home(ann)
    await deals.park(table.code)
    deals.at("2026-02-17T12:00:02Z")
    await deals.server.services.deals.cleanup.run()
    assert await counts(deals) == (0, 0, 0)
    assert (await ann.refused(Duplicate(code))).reason == "deal-unknown"


NEW = Create("cartino", {"edition": "1974"}, 3, ("greedy", "greedy"), duplicate=True)
GOOD = bot_move(BOTS["cartino", "careful"])


async def opened(deals: DealServer) -> tuple[Guest, TableView, str]:
    """ann, at her table of a new match, and its code."""
    ann = await deals.person("ann")
    table = await ann.ask(NEW, TableView)
    chat = await ann.wait(ChatView, lambda chat: any(text.startswith("Code ") for text in texts(chat)))
    (said,) = [text for text in texts(chat) if text.startswith("Code ")]
    return ann, table, said.removeprefix("Code ").split(":")[0]


async def test_each_plays_the_same_deal_alone(deals: DealServer) -> None:
    _, hers, code = await opened(deals)
    bob = await deals.person("bob")
    his = await bob.ask(Join(code), TableView)
    assert hers.code != his.code != code
    assert decoded_view(hers)["hand"] == decoded_view(his)["hand"]
    assert his.options["bag"] == "apart"
    assert [seat.kind for seat in his.seats] == ["human", "bot", "bot"]
    again = await bob.ask(Join(code), TableView)
    assert again.code == his.code, "one attempt each"


async def test_the_turns_are_compared_when_all_have_played(deals: DealServer) -> None:
    ann, hers, code = await opened(deals)
    bob = await deals.person("bob")
    his = await bob.ask(Join(code), TableView)
    await deals.finish(ann)
    said = f"Code {code}: the results of this duplicate match."
    await ann.wait(ChatView, lambda chat: said in texts(chat))
    meanwhile = await deals.results(ann, Duplicate(code))
    assert meanwhile.is_open
    assert [(row.name, row.total, row.turns) for row in meanwhile.rows] == [
        ("ann", None, ()),
        ("bob", None, ()),
    ]
    assert meanwhile.own is not None
    assert meanwhile.own.turns
    task = deals.server.services.registry.get(hers.code)
    assert task is not None
    game = game_name(hers.code, task.game)
    assert "when everybody has played it" in (await bob.refused(Replay(game))).sentence()
    await deals.finish(bob, GOOD)
    await bob.wait(ChatView, lambda chat: "results are complete" in "".join(texts(chat)))
    view = await deals.results(bob, Duplicate(code))
    assert not view.is_open
    assert [row.name for row in view.rows] == ["bob", "ann"]
    assert all(row.turns and row.game for row in view.rows)
    assert view.seed
    await bob.ask(Replay(game), ReplayView)
    eve = await deals.person("eve")
    assert (await eve.refused(Join(code))).reason == "deal-over"
    assert his.code == bob.code


async def test_a_match_closes_after_seven_days_and_survives_a_restart(deals: DealServer) -> None:
    ann, _, code = await opened(deals)
    await deals.home(ann)
    await deals.restart()
    bob = await deals.person("bob")
    await bob.ask(Join(code), TableView)
    view = await bob.ask(Duplicate(code), DealView)
    assert seconds(view.closes) - seconds(deals.now) == 7 * 86_400
    deals.at("2026-02-10T12:00:01Z")
    eve = await deals.person("eve")
    assert (await eve.refused(Join(code))).reason == "deal-over"
    view = await eve.ask(Duplicate(code), DealView)
    assert {row.state for row in view.rows} == {"unfinished"}


async def test_one_s_own_table_names_its_match_also_when_it_is_over(deals: DealServer) -> None:
    ann, hers, code = await opened(deals)
    eve = await deals.person("eve")
    assert (await ann.ask(Duplicate(hers.code), DealView)).code == code
    assert (await eve.refused(Duplicate(hers.code))).reason == "deal-unknown"
    await deals.finish(ann)
    deals.at("2026-02-10T12:00:01Z")
    await deals.restart()
    ann = await deals.person("ann")
    assert (await ann.ask(Duplicate(hers.code), DealView)).code == code


@pytest.mark.parametrize("code", ["ABCDEFGZ", "nonsense"])
async def test_an_unknown_code_is_said_to_be_one(deals: DealServer, code: str) -> None:
    ann = await deals.person("ann")
    assert (await ann.refused(Duplicate(code))).reason == "deal-unknown"


async def test_a_match_is_against_bots_and_with_a_key(deals: DealServer) -> None:
    ann, guest = await deals.person("ann"), await deals.person("guest", guest=True)
    assert (await guest.refused(NEW)).reason == "deal-needs-key"
    assert (await ann.refused(Create("cartino", duplicate=True))).reason == "bad-seats"


async def test_every_face_names_the_code_that_works(deals: DealServer) -> None:
    _, hers, code = await opened(deals)
    assert hers.duplicate == code
    assert (await deals.told("ann", f"show {hers.code}")).splitlines()[-1] == (
        f"Others play this deal with: ssh -t HOST join {code}"
    )
    told = (
        f"{code} is a duplicate match: play it with `ssh -t HOST join {code}`, see its results with `ssh HOST "
        f"duplicate {code}`.\n"
    )
    for typed in (code, code.lower()):
        reply = await deals.run("eve", f"show {typed}")
        assert (reply.status, reply.stderr) == (NOT_FOUND, told)
    bob = await deals.person("bob")
    assert (await bob.ask(Join(code), TableView)).duplicate == code
    view = await bob.ask(Duplicate(code), DealView)
    own = msgspec.structs.replace(view.own or AttemptLine("bob", "played"), total=7)
    assert share_line(msgspec.structs.replace(view, own=own), shell_reader()).startswith(f"Cartino {code}")
