"""The daily game: one attempt a key, the same deal and the same replies for everybody, judged and ranked."""

import hashlib
import json
from random import Random

import msgspec
import pytest

from cartino_crazy_eights import PACKAGE
from cartino_protocol.commands import Create, Join, Rematch
from cartino_protocol.deals import Daily, DealView, Duplicate, PlayDaily, Today, TodayView
from cartino_protocol.views import ChatView, TableView
from cartino_server.commands.context import shell_reader
from cartino_server.table.state import TableState
from cartino_server.visitors import BOT_PERSON_PREFIX
from cartino_tui.pages.deals import DEAL_PAGE, share_line
from cartino_tui.pages.page import Reader, page_json, page_text
from tests.support.deals import NOON, TOMORROW, DealServer, asked, bot_move, first_move, until
from tests.support.game_server import a_guest, decoded_view, texts
from tests.support.games import BOTS

DAILY = PlayDaily("cartino")


async def mine(deals: DealServer, name: str, *more: str) -> str:
    """What `games --mine` prints."""
    return await asked(deals, name, "games", "--mine", *more)


async def test_everybody_gets_the_same_deal_against_the_same_bot(deals: DealServer) -> None:
    ann, bob = await deals.person("ann"), await deals.person("bob")
    hers, his = await ann.ask(DAILY, TableView), await bob.ask(DAILY, TableView)
    assert hers.code != his.code
    assert decoded_view(hers)["hand"] == decoded_view(his)["hand"]
    assert hers.commitment == his.commitment
    assert hers.options == {"edition": "1974", "joker_swap": "later", "bag": "apart"}
    assert [seat.kind for seat in hers.seats] == ["human", "bot"]
    assert not hers.open
    assert hers.sealed == "2026-02-04 00:00"
    chat = await ann.wait(ChatView, lambda chat: chat.notices)
    assert any("until 00:00 UTC" in text for text in texts(chat))


async def test_who_plays_the_same_moves_meets_the_same_replies(deals: DealServer) -> None:
    records = []
    for name in ("ann", "bob"):
        result = await deals.play(name)
        task = deals.server.services.registry.get(result.code)
        assert task is not None
        assert task.table.match is not None
        records.append((result.result, task.table.match.lines[1:-1]))
    assert records[0] == records[1]


@pytest.mark.parametrize("game", ["cartino", "casino"])
async def test_another_day_and_another_game_are_another_deal(deals: DealServer, game: str) -> None:
    ann = await deals.person("ann")
    today = await ann.ask(PlayDaily(game), TableView)
    deals.at(TOMORROW)
    tomorrow = await ann.ask(PlayDaily(game), TableView, lambda table: table.code != today.code)
    assert today.commitment != tomorrow.commitment


async def test_the_hashes_of_the_next_days_are_published_and_kept(deals: DealServer) -> None:
    await deals.know("ann")
    ann, eve = await deals.person("ann"), await deals.person("eve")
    view = await ann.ask(Daily("cartino"), DealView)
    practice = await eve.ask(Daily("cartino"), DealView)
    assert (practice.practice, practice.coming) == (True, view.coming)
    assert practice.commitment != view.commitment
    assert view.number == 34
    assert [each.day for each in view.coming] == ["2026-02-04", "2026-02-05", "2026-02-06"]
    assert view.seed == ""
    await deals.restart()
    deals.at(TOMORROW)
    ann, eve = await deals.person("ann"), await deals.person("eve")
    table = await ann.ask(DAILY, TableView)
    assert table.commitment == view.coming[0].commitment
    assert (await eve.ask(DAILY, TableView)).commitment == view.coming[0].practice
    yesterday = await ann.ask(Daily("cartino", 34), DealView)
    assert hashlib.sha256(bytes.fromhex(yesterday.seed)).hexdigest() == view.commitment
    assert (await ann.refused(Daily("cartino", 36))).reason == "deal-unknown"


async def test_a_key_has_one_attempt(deals: DealServer) -> None:
    ann, again = await deals.person("ann"), await deals.person("ann")
    ann.say(DAILY)
    again.say(DAILY)
    table = await again.wait(TableView, lambda table: table.you == 0)
    await deals.finish(again)
    assert sum(1 for _ in deals.server.services.registry) == 1
    assert (await again.refused(Rematch())).reason == "played-once"
    assert again.table is not None
    assert again.table.once
    await deals.home(again)
    assert (await again.ask(DAILY, TableView)).code == table.code, "the result, while its table is open"


async def test_a_guest_is_told_to_use_a_key(deals: DealServer) -> None:
    guest = await deals.person("guest", guest=True)
    refusal = await guest.refused(DAILY)
    assert "need an SSH key" in refusal.sentence()


async def test_a_bot_account_has_no_attempt(deals: DealServer) -> None:
    bot = await a_guest(deals.server, "robo", person=f"{BOT_PERSON_PREFIX}robo")
    ann = await deals.person("ann")
    duplicate = Create("cartino", seats=2, bots=("greedy",), duplicate=True)
    await ann.ask(duplicate, TableView)
    match = await deals.people_db.do(lambda db: str(db.execute("SELECT name FROM deals").get))
    for command in (DAILY, duplicate, Join(match)):
        assert (await bot.refused(command)).reason == "bot-clock"
    stored = await deals.people_db.do(lambda db: db.execute("SELECT person FROM attempts").fetchall())
    assert stored == [("SHA256:ann",)]
    assert sum(1 for _ in deals.server.services.registry) == 1
    assert await bot.ask(Today(), TodayView) == TodayView()
    told = page_text(DEAL_PAGE, await bot.ask(Daily("cartino"), DealView), shell_reader())
    assert "Bot accounts only take seats at tables with a clock." in told
    assert "One attempt" not in told


async def test_an_attempt_waits_for_its_player(deals: DealServer) -> None:
    await deals.know("ann")
    ann = await deals.person("ann")
    await ann.ask(DAILY, TableView)
    await deals.finish(ann, most=5)
    assert ann.table is not None
    number = ann.table.number
    await deals.home(ann)
    task = next(iter(deals.server.services.registry))
    code = task.table.code
    assert await mine(deals, "ann") == f"Your turn: {code}.\n"
    deals.server.services.registry.close(code, "")
    await until(lambda: deals.server.services.registry.get(code) is None)
    assert await mine(deals, "ann") == "Not finished: Daily Cartino 1974, no. 34.\n"
    (told,) = json.loads(await mine(deals, "ann", "--json"))
    assert (told["state"], told["daily"], told["waits"]) == ("put-away", 34, False)
    assert not await mine(deals, "bob")
    back = await ann.ask(DAILY, TableView)
    assert back.code == code
    assert back.number >= number
    await deals.restart()
    ann = await deals.person("ann")
    assert (await ann.ask(DAILY, TableView)).number >= number
    await deals.finish(ann)


async def test_attempts_are_judged_and_ranked(deals: DealServer) -> None:
    await deals.know("ann", "bob", "cid", "dan")
    deals.at(TOMORROW)
    good = bot_move(BOTS["cartino", "careful"])
    await deals.play("ann")
    await deals.play("bob", choose=good)
    await deals.play("dan")
    cid = await deals.person("cid")
    assert (await cid.ask(Daily("cartino"), DealView)).rows == (), "who hasn't played sees no results"
    bob = await deals.person("bob")
    view = await deals.results(bob, Daily("cartino"))
    today = await bob.ask(Today(), TodayView)
    assert view.own is not None
    assert (today.state, today.place, today.lost) == ("played", view.own.place, view.own.lost)
    assert await cid.ask(Today(), TodayView) == TodayView("cartino", 35)
    assert [(row.name, row.place) for row in view.rows] == [("bob", 1), ("ann", 2), ("dan", 2)]
    assert view.own is not None
    assert (view.own.place, view.streak) == (1, 1)
    assert view.own.lost is not None
    assert view.own.lost < (view.rows[1].lost or 0)
    assert view.own.turns
    lost = f"{sum(round(10 * turn.lost) for turn in view.own.turns) / 10:.1f}"
    assert lost == f"{view.own.lost:.1f}"
    assert f" · {lost} lost · {view.own.total} · " in share_line(view, shell_reader())
    assert all(not row.turns and not row.game for row in view.rows), "not before the day is over"
    assert view.own.total is not None
    deals.at(NOON.replace("02-03", "02-05"))
    closed = await deals.results(bob, Daily("cartino", view.number))
    assert closed.own is not None
    assert f"bob: {lost} in " in await asked(deals, "bob", "review", closed.own.game), "the same figure"


async def test_an_attempt_that_the_day_ends_is_not_finished(deals: DealServer) -> None:
    ann = await deals.person("ann")
    await ann.ask(DAILY, TableView)
    await deals.finish(ann, most=3)
    await deals.home(ann)
    deals.at(TOMORROW)
    view = await ann.ask(Daily("cartino", 34), DealView)
    assert view.own is not None
    assert (view.own.state, view.own.place, view.streak) == ("unfinished", 0, 0)


async def test_what_a_crash_left_out_is_read_from_the_journal(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deals.server.services.deals, "record_attempt_end", lambda _: None)
    result = await deals.play("ann")
    await deals.restart()
    ann = await deals.person("ann")
    view = await deals.results(ann, Daily("cartino"))
    assert view.own is not None
    assert result.result is not None
    assert view.own.total == result.result.totals[0]
    assert view.own.lost is not None


async def test_an_attempt_of_which_nothing_was_saved_begins_again(deals: DealServer) -> None:
    ann = await deals.person("ann")
    ann.say(DAILY)
    ann.link.close()
    await until(lambda: any(True for _ in deals.server.services.registry))
    await until(lambda: not any(True for _ in deals.server.services.registry))
    ann = await deals.person("ann")
    assert (await ann.ask(DAILY, TableView)).you == 0


async def test_a_clock_that_jumps_loses_nothing(deals: DealServer) -> None:
    ann = await deals.person("ann")
    table = await ann.ask(DAILY, TableView)
    await deals.finish(ann, first_move, most=2)
    await deals.home(ann)
    for wrong in ("2026-02-04T20:00:00Z", "1999-01-01T00:00:00Z"):
        deals.at(wrong)
        assert (await ann.ask(Daily("cartino"), DealView)).own is None
    deals.at(NOON)
    assert (await ann.ask(DAILY, TableView)).code == table.code
    await deals.finish(ann)
    view = await deals.results(ann, Daily("cartino"))
    assert view.own is not None
    assert view.own.state == "played"


async def test_what_nobody_finishes_is_deleted_a_week_later(deals: DealServer) -> None:
    ann = await deals.person("ann")
    await ann.ask(DAILY, TableView)
    await deals.home(ann)
    await deals.restart()
    assert sum(1 for _ in deals.server.services.registry) == 1
    await deals.stop()
    deals.at("2026-02-12T12:00:00Z")
    await deals.start()
    await deals.server.services.deals.cleanup.run()
    await until(lambda: not any(True for _ in deals.server.services.registry))
    await deals.restart()
    assert not any(True for _ in deals.server.services.registry)


async def test_the_end_of_a_day_is_told_at_its_tables_and_in_the_lobby(deals: DealServer) -> None:
    await deals.know("ann", "bob", "cid")
    ann, bob, cid = [await deals.person(name) for name in ("ann", "bob", "cid")]
    assert await cid.ask(Today(), TodayView) == TodayView("cartino", 34)
    await ann.ask(DAILY, TableView)
    await bob.ask(DAILY, TableView)
    await deals.finish(bob)
    judged = await bob.wait(
        TableView, lambda table: table.result is not None and table.result.lost is not None
    )
    assert judged.result is not None
    own = (await deals.results(bob, Daily("cartino"))).own
    assert own is not None
    assert (judged.result.lost, judged.result.place) == (own.lost, own.place)
    assert judged.result.missed is None, "the best turns stay secret"
    assert (await bob.ask(Duplicate(judged.code), DealView)).number == 34, "by the code of one's own table"
    assert (await cid.refused(Duplicate(judged.code))).reason == "deal-unknown"
    assert bob.table is not None
    assert bob.table.sealed
    deals.at(TOMORROW)
    deals.server.services.deals.look_at_clock()
    assert await cid.wait(TodayView) == TodayView("cartino", 35)
    chat = await ann.wait(ChatView, lambda chat: "you can play on" in "".join(texts(chat)))
    assert "no longer counts" in texts(chat)[-1]
    await bob.wait(ChatView, lambda chat: "results are complete" in "".join(texts(chat)))
    while bob.table.sealed:
        await bob.next()
    assert bob.table.seed
    assert ann.table is not None
    code = ann.table.code
    await deals.restart()
    ann = await deals.person("ann")
    await ann.ask(Join(code), TableView)
    chat = await ann.wait(ChatView, lambda chat: chat.notices)
    assert any("no longer counts" in text for text in texts(chat)), "after a restart, too"
    await deals.finish(ann)
    view = await ann.ask(Daily("cartino", 34), DealView)
    assert view.own is not None
    assert (view.own.state, view.own.total) == ("unfinished", None)


async def test_without_a_judge_the_highest_total_wins(deals: DealServer) -> None:
    """A random bot tells nothing about a turn, so nothing is lost; a league has nothing to add up."""
    await deals.stop()
    deals.games, deals.bots = {"crazy-eights": PACKAGE.rules}, {("crazy-eights", "random"): PACKAGE.bots[-1]}
    await deals.start()
    # The same deal in each run, for totals that differ.
    await deals.people_db.do(lambda db: db.execute("UPDATE secrets SET secret = ?", (bytes(32),)))
    await deals.restart()
    await deals.know("ann", "bob", "cid")
    deals.at(TOMORROW)
    daily, dice = PlayDaily("crazy-eights"), Random(7)

    def any_move(table: TableState) -> msgspec.Struct:
        assert table.match is not None
        move: msgspec.Struct = dice.choice([*table.match.game.legal(table.match.state, 0)])
        return move

    totals = {}
    for name in ("ann", "bob", "cid"):
        result = (await deals.play(name, daily, any_move)).result
        assert result is not None
        assert (result.lost, result.missed) == (None, None)
        totals[name] = result.totals[0]
    assert len(set(totals.values())) > 1
    await deals.restart()
    ann = await deals.person("ann")
    view = await ann.ask(Daily("crazy-eights"), DealView)
    assert view.by_total
    assert {row.name: row.total for row in view.rows} == totals
    assert [row.total for row in view.rows] == sorted(totals.values(), reverse=True)
    assert view.rows[0].place == 1
    assert all(row.place and row.lost is None and not row.turns for row in view.rows)
    today = await ann.ask(Today(), TodayView)
    assert view.own is not None
    assert (today.place, today.total, today.lost) == (view.own.place, totals["ann"], None)
    told = page_text(DEAL_PAGE, view, Reader())
    assert "rank, total, player\n" in told
    assert f"Rank {today.place}: the highest total wins.\n" in told
    assert "lost" not in told
    assert json.loads(page_json(DEAL_PAGE, view, Reader()))["ranked_by"] == "total"


async def test_show_says_how_others_play_it_and_when_it_counts_no_more(deals: DealServer) -> None:
    await deals.know("ann")
    ann, new = await deals.person("ann"), await deals.person("new")
    hers, practice = await ann.ask(DAILY, TableView), await new.ask(DAILY, TableView)
    code, command = hers.code, "ssh -t HOST daily --game cartino"
    assert (hers.practice, practice.practice) == (False, True)
    assert f"\nOthers play the day's game with: {command}" in await asked(deals, "ann", "show", code)
    told = await asked(deals, "new", "show", practice.code)
    assert f"\nThis is practice; others play the day's game with: {command}" in told
    deals.at(TOMORROW)
    told = await asked(deals, "ann", "show", code)
    assert "This deal is over: you can play on, but the game no longer counts." in told
    assert "Others" not in told
