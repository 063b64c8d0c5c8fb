"""Dailies: who plays which deal, how they are judged, and that nobody learns of them before the day is over."""

import hashlib
import json
from random import Random

import apsw
import msgspec
import pytest

from bench.parked import park
from cartino_crazy_eights import PACKAGE
from cartino_protocol.base import game_name
from cartino_protocol.commands import (
    Act,
    Course,
    Create,
    History,
    Invite,
    Join,
    Preview,
    Profile,
    Rematch,
    Replay,
    Summary,
    Watch,
)
from cartino_protocol.deals import Daily, DealView, Duplicate, PlayDaily, Today, TodayView, TurnPoints
from cartino_protocol.views import (
    ChatView,
    HistoryView,
    LobbyView,
    PreviewView,
    ProfileView,
    ReplayView,
    SummaryView,
    TableView,
)
from cartino_protocol.wire import MAX_ANSWER_BYTES, encode, encode_raw
from cartino_server.commands.context import shell_reader
from cartino_server.deals.deal import Deal
from cartino_server.deals.limits import MAX_ROWS
from cartino_server.deals.results import DealFacts, deal_view
from cartino_server.deals.store import Attempt
from cartino_server.store.database import JOURNAL_FILE, read_disk_usage
from cartino_server.store.port import GameState
from cartino_server.store.repair.doctor import check_data
from cartino_server.table.saving import FORMAT
from cartino_server.table.state import TableState
from cartino_server.visitors import BOT_PERSON_PREFIX
from cartino_tui.i18n import ENGLISH
from cartino_tui.pages.deals import DEAL_PAGE, share_line, today_sentence
from cartino_tui.pages.page import Reader, page_json, page_text
from cartino_tui.preferences import Settings
from cartino_tui.visit.messages import hints_allowed, why_no_hint
from tests.support.deals import (
    DAILY_SENTENCE,
    NOON,
    TOMORROW,
    DealServer,
    bot_move,
    first_move,
    until,
)
from tests.support.game_server import Guest, a_guest, decoded_view, texts
from tests.support.games import BOTS

DAILY = PlayDaily("cartino")


async def test_a_new_key_learns_nothing_of_the_deal_that_an_old_one_plays(deals: DealServer) -> None:
    await deals.know("ann")
    ann, new = await deals.person("ann"), await deals.person("new")
    hers, practice = await ann.ask(DAILY, TableView), await new.ask(DAILY, TableView)
    assert decoded_view(hers)["hand"] != decoded_view(practice)["hand"]
    assert hers.commitment != practice.commitment
    assert (await ann.ask(Daily("cartino"), DealView)).commitment == hers.commitment
    view = await new.ask(Daily("cartino"), DealView)
    assert (view.commitment, view.practice, view.players) == (practice.commitment, True, 1)
    assert (await new.ask(Today(), TodayView)).practice
    assert not (await ann.ask(Today(), TodayView)).practice


async def test_who_finished_a_game_on_an_earlier_day_is_ranked(deals: DealServer) -> None:
    today = await deals.person("ann")
    assert today_sentence(await today.ask(Today(), TodayView), shell_reader()) == (
        "Daily Cartino, no. 34 (practice): not played yet"
    )
    await deals.play("ann")
    ann = await deals.person("ann")
    view, own = await deals.judged(ann, Daily("cartino"))
    assert (own.ranked, own.place, view.streak) == (False, 0, 1)
    told = page_text(DEAL_PAGE, view, shell_reader())
    assert "Ranked from tomorrow: today was practice." in told
    assert share_line(view, shell_reader()).startswith("Cartino 34 (practice) · ")
    deals.at(TOMORROW)
    await deals.play("ann")
    ann = await deals.person("ann")
    view, own = await deals.judged(ann, Daily("cartino"))
    assert (own.ranked, own.place, view.streak) == (True, 1, 2)
    before = await ann.ask(Daily("cartino", 34), DealView)
    assert before.practice
    assert "No rank: this was practice." in page_text(DEAL_PAGE, before, shell_reader())
    assert hashlib.sha256(bytes.fromhex(before.seed)).hexdigest() == before.commitment


async def test_a_person_meets_one_of_the_two_deals(deals: DealServer) -> None:
    new = await deals.person("new")
    practice = await new.ask(DAILY, TableView)
    await deals.home(new)
    # A profile that changes on the day is no reason for another deal.
    await deals.know("new")
    assert (await new.ask(DAILY, TableView)).commitment == practice.commitment


async def test_everybody_who_did_not_play_sees_the_ranked_results_of_a_day_that_is_over(
    deals: DealServer,
) -> None:
    await deals.know("ann")
    await deals.play("ann")
    await deals.play("new")
    deals.at(TOMORROW)
    eve, new = await deals.person("eve"), await deals.person("new")
    assert [row.name for row in (await eve.ask(Daily("cartino", 34), DealView)).rows] == ["ann"]
    assert [row.name for row in (await new.ask(Daily("cartino", 34), DealView)).rows] == ["new"]


@pytest.mark.parametrize("state", ["parked", "open"])
async def test_parked_games_are_restored_when_their_players_return(
    deals: DealServer, state: GameState
) -> None:
    """A game that is `open` is one that the second release parked: its journal had no word for it."""
    await deals.stop()
    for name in (JOURNAL_FILE, "people.db"):
        (deals.data / name).unlink()
    (deals.data / "journal.heads").unlink()
    await park(deals.data, 5, state, now=deals.now)
    if state == "open":
        with apsw.Connection(str(deals.data / JOURNAL_FILE)) as journal:
            journal.execute("DROP INDEX games_parked")
            journal.pragma("user_version", 10)
        journal.close()
    for _ in range(2):
        await deals.start()
        tables = [task.table.seating.chairs[0].person for task in deals.server.services.registry]
        assert tables == ([] if state == "open" else [f"SHA256:{'A' * 43}"])
        assert len(await deals.journal.parked()) == 5 - len(tables)
        assert (await deals.journal.query(read_disk_usage)).parked == 5 - len(tables)
        await deals.stop()
        report = check_data(deals.data, entries=FORMAT)
        assert (report.games["parked"], report.damaged) == (5 - len(tables), ())
    await deals.start()
    player = await deals.person(f"{3:043}")
    reply = await deals.run(f"{3:043}", "games --mine --json")
    (waiting,) = json.loads(reply.stdout)
    assert (waiting["state"], waiting["practice"]) == ("put-away", True)
    table = await player.ask(DAILY, TableView)
    assert table.number > 0
    task = deals.server.services.registry.get(table.code)
    assert task is not None
    player.say(Act(table.number, encode_raw(first_move(task.table))))
    await player.wait(TableView, lambda view: view.number > table.number)
    assert task.game not in await deals.journal.parked()
    await deals.restart()
    assert deals.server.services.registry.get(table.code) is not None, (
        "a table at which somebody played stays open"
    )


async def test_an_end_that_the_people_database_missed_is_noted_when_the_deal_closes(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await deals.know("ann")
    monkeypatch.setattr(deals.server.services.deals, "record_attempt_end", lambda _: None)
    result = await deals.play("ann")
    await deals.park(result.code)
    ann = await deals.person("ann")
    assert (await ann.refused(DAILY)).reason == "played-once"
    deals.at(TOMORROW)
    _, own = await deals.judged(ann, Daily("cartino", 34))
    assert (own.state, own.place) == ("played", 1)


async def test_results_show_the_best_rows_and_count_all(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.serving.MAX_ROWS", 2)
    ann = await deals.person("ann")
    await ann.ask(Create("cartino", seats=2, bots=("greedy",), duplicate=True), TableView)
    match = await deals.match()
    for name in ("bob", "cid"):
        await (await deals.person(name)).ask(Join(match), TableView)
    view = await ann.ask(Duplicate(match), DealView)
    assert (view.players, len(view.rows)) == (3, 2)


@pytest.mark.parametrize("closed", [False, True])
def test_results_fit_in_a_frame_however_many_have_played(closed: bool) -> None:
    deal = Deal("cartino-2026-02-03", "cartino", {}, ("greedy",), 10**9, "00" * 32, 20487)
    turns = tuple(TurnPoints(12, 3.3) for _ in range(120))
    attempts = [
        Attempt(
            deal.name, f"SHA256:{number}", "n" * 16, "ABCDEFGH", 10**6 + number, 1, True, 2, 200, 9.9, turns
        )
        for number in range(MAX_ROWS)
    ]
    facts = DealFacts(deal, attempts[0], 1, 10**5, attempts)
    view = deal_view(facts, lambda attempt: attempt.name, 10**9 if closed else 10**8)
    assert (len(view.rows), view.rows[0].turns) == (MAX_ROWS, turns if closed else ())
    assert {row.place for row in view.rows} == {1}
    assert len(encode(view)) <= MAX_ANSWER_BYTES


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


async def test_the_hashes_of_the_next_days_are_published_and_kept(deals: DealServer) -> None:
    await deals.know("ann")
    ann, eve = await deals.person("ann"), await deals.person("eve")
    view = await ann.ask(Daily("cartino"), DealView)
    practice = await eve.ask(Daily("cartino"), DealView)
    assert (practice.practice, practice.coming) == (True, view.coming)
    assert practice.commitment != view.commitment
    assert len({view.commitment, *(each.commitment for each in view.coming)}) == 4, "each day is another deal"
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


async def test_a_bot_account_has_no_attempt(deals: DealServer) -> None:
    bot = await a_guest(deals.server, "robo", person=f"{BOT_PERSON_PREFIX}robo")
    ann = await deals.person("ann")
    duplicate = Create("cartino", seats=2, bots=("greedy",), duplicate=True)
    await ann.ask(duplicate, TableView)
    match = await deals.match()
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
    assert await deals.told("ann", "games --mine") == f"Your turn: {code}.\n"
    deals.server.services.registry.close(code, "")
    await until(lambda: deals.server.services.registry.get(code) is None)
    assert await deals.told("ann", "games --mine") == "Not finished: Daily Cartino 1974, no. 34.\n"
    (told,) = json.loads(await deals.told("ann", "games --mine --json"))
    assert (told["state"], told["daily"], told["waits"]) == ("put-away", 34, False)
    assert not await deals.told("bob", "games --mine")
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
    assert f" · {lost} short · {view.own.total} · " in share_line(view, shell_reader())
    assert all(not row.turns and not row.game for row in view.rows), "not before the day is over"
    assert view.own.total is not None
    deals.at(NOON.replace("02-03", "02-05"))
    closed = await deals.results(bob, Daily("cartino", view.number))
    assert closed.own is not None
    assert f"bob: {lost} in " in await deals.told("bob", f"review {closed.own.game}"), "the same figure"


async def test_what_a_crash_left_out_is_read_from_the_journal(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deals.server.services.deals, "record_attempt_end", lambda _: None)
    result = await deals.play("ann")
    await deals.restart()
    ann = await deals.person("ann")
    _, own = await deals.judged(ann, Daily("cartino"))
    assert result.result is not None
    assert own.total == result.result.totals[0]
    assert own.lost is not None


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
    _, own = await deals.judged(ann, Daily("cartino"))
    assert own.state == "played"


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
    code = ann.code
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
    assert f"\nOthers play the day's game with: {command}" in await deals.told("ann", f"show {code}")
    told = await deals.told("new", f"show {practice.code}")
    assert f"\nThis is practice; others play the day's game with: {command}" in told
    deals.at(TOMORROW)
    told = await deals.told("ann", f"show {code}")
    assert "This deal is over: you can play on, but the game no longer counts." in told
    assert "Others" not in told


class Played:
    """ann has played today's daily to its end and bob is in the middle of it; eve is anybody."""

    def __init__(
        self, deals: DealServer, ended: TableView, running: TableView, people: dict[str, Guest]
    ) -> None:
        self.deals, self.ended, self.running, self.people = deals, ended, running, people
        self.codes = ended.code, running.code
        tasks = (deals.server.services.registry.get(code) for code in self.codes)
        self.tasks = [task for task in tasks if task is not None]
        self.games = [game_name(task.table.code, task.game) for task in self.tasks]

    async def shell(self, name: str, words: str) -> tuple[str, str]:
        reply = await self.deals.run(name, words)
        assert (reply.status == 0) == (reply.stderr == "")
        return reply.stdout, reply.stderr


@pytest.fixture
async def played(deals: DealServer) -> Played:
    await deals.know("ann", "bob", "eve")
    people = {name: await deals.person(name) for name in ("ann", "bob", "eve")}
    ended = await deals.play("ann")
    bob = people["bob"]
    await bob.ask(DAILY, TableView)
    await deals.finish(bob, most=9)
    assert bob.table is not None
    return Played(deals, ended, bob.table, people)


@pytest.mark.parametrize("name", ["ann", "bob", "eve"])
async def test_nobody_reads_or_replays_an_attempt(played: Played, name: str) -> None:
    for word in (*played.codes, *played.games):
        for words in (f"export {word}", f"review {word}", f"review {word} --json"):
            assert await played.shell(name, words) == ("", f"{DAILY_SENTENCE}\n"), words
    person = await played.deals.person(name)
    for game in played.games:
        for command in (Replay(game, 0), Replay(game, 5), Course(game)):
            assert (await person.refused(command)).sentence() == DAILY_SENTENCE


async def test_nobody_else_comes_to_an_attempt_or_sees_it_in_a_shell(played: Played) -> None:
    eve = played.people["eve"]
    for code in played.codes:
        for command in (Join(code), Watch(code)):
            assert (await eve.refused(command)).sentence() == DAILY_SENTENCE
        assert (await eve.ask(Preview(code), PreviewView)).table is None
        for words in ("show {}", "show {} --json", "move {} end", "move {} --number 1 end", "chat {} hello"):
            assert await played.shell("eve", words.format(code)) == ("", f"{DAILY_SENTENCE}\n"), words
    assert (await eve.ask(Summary(), SummaryView)).finished == ()
    lists = [answer for answer in eve.heard if isinstance(answer, LobbyView)]
    assert lists
    assert all(each.tables == () for each in lists)
    assert (await played.people["bob"].refused(Invite("eve"))).sentence() == DAILY_SENTENCE
    listed = ("games", "games --json", "games --finished --json", "profile ann --json", "profile bob --json")
    told = str([await played.shell("eve", words) for words in listed])
    assert not any(code in told for code in played.codes)
    assert played.ended.result is not None
    assert str(played.ended.result.totals[1]) not in told


async def test_results_show_nothing_before_one_has_played(played: Played) -> None:
    assert "ann" not in (await played.shell("eve", "daily"))[0]
    view = json.loads((await played.shell("eve", "daily --json"))[0])
    assert (view["rows"], view["seed"], view["players"]) == ([], "", 2)
    own = await played.people["ann"].ask(Daily("cartino"), DealView)
    assert [row.name for row in own.rows] == ["ann"]
    assert (own.rows[0].turns, own.rows[0].game, own.seed) == ((), "", "")


async def test_one_s_own_end_keeps_the_seed_and_the_bot_s_hand(played: Played) -> None:
    seed, result = played.tasks[0].table.seeds[0].hex(), played.ended.result
    assert result is not None
    assert (played.ended.seed, played.ended.next_commitment) == ("", "")
    assert "hands" not in decoded_view(played.ended)
    told, _ = await played.shell("ann", f"show {played.ended.code} --json")
    assert json.loads(told)["result"]["totals"] == list(result.totals), "one's own result stays"
    ann = await played.deals.person("ann")
    back = await ann.ask(Join(played.ended.code), TableView)
    assert (back.seed, "hands" in decoded_view(back)) == ("", False)
    past = await ann.ask(History("mine"), HistoryView)
    assert [game.totals for game in past.games] == [result.totals]
    assert (await ann.ask(Profile(), ProfileView)).you
    lists = (
        "games --mine",
        "games --finished --mine --json",
        "profile --json",
        "account --json",
        "daily --json",
    )
    assert seed not in told + str([await played.shell("ann", words) for words in lists])


async def test_one_s_own_table_gives_no_hints(played: Played) -> None:
    assert not hints_allowed(Settings(hints=True), played.running)
    why = why_no_hint(Settings(hints=True), played.running, ENGLISH, off="off")
    assert why == "There are no hints in a game that others still play."


async def test_a_closed_table_stays_sealed_after_a_restart_and_opens_when_the_day_is_over(
    played: Played,
) -> None:
    await played.deals.restart()
    for word in (*played.games, *played.codes):
        assert await played.shell("eve", f"export {word}") == ("", f"{DAILY_SENTENCE}\n")
    played.deals.at(TOMORROW)
    eve = await played.deals.person("eve")
    assert (await eve.ask(Replay(played.games[0], 3), ReplayView)).steps > 3
    told, _ = await played.shell("eve", f"export {played.games[0]}")
    assert '"seed"' in told
    ann = await played.deals.person("ann")
    back = await ann.ask(Join(played.ended.code), TableView)
    assert back.seed
    assert back.once, "there is no rematch, not even now"
    assert "hands" in decoded_view(back)
    view = await eve.ask(Daily("cartino", 34), DealView)
    assert [(row.name, row.game) for row in view.rows if row.game] == [("ann", played.games[0])]
