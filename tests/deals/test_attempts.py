"""Who plays which deal, and games that wait in the journal for their players."""

import hashlib
import json

import apsw
import pytest

from bench.parked import park
from cartino_protocol.commands import Act, Create, Join
from cartino_protocol.deals import Daily, DealView, Duplicate, PlayDaily, Today, TodayView, TurnPoints
from cartino_protocol.views import TableView
from cartino_protocol.wire import MAX_ANSWER_BYTES, encode, encode_raw
from cartino_server.app.command_handler import LocalBackend
from cartino_server.commands.context import shell_reader
from cartino_server.deals.deal import Deal
from cartino_server.deals.limits import MAX_ROWS
from cartino_server.deals.results import DealFacts, deal_view
from cartino_server.deals.store import Attempt
from cartino_server.store.database import JOURNAL_FILE, read_disk_usage
from cartino_server.store.port import GameState
from cartino_server.store.repair.doctor import check_data
from cartino_server.table.saving import FORMAT
from cartino_tui.pages.deals import DEAL_PAGE, share_line, today_sentence
from cartino_tui.pages.page import page_text
from tests.support.deals import TOMORROW, DealServer, first_move, visitor
from tests.support.game_server import decoded_view

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
    view = await deals.results(ann, Daily("cartino"))
    assert view.own is not None
    assert (view.own.ranked, view.own.place, view.streak) == (False, 0, 1)
    told = page_text(DEAL_PAGE, view, shell_reader())
    assert "Ranked from tomorrow: today was practice." in told
    assert share_line(view, shell_reader()).startswith("Cartino 34 (practice) · ")
    deals.at(TOMORROW)
    await deals.play("ann")
    ann = await deals.person("ann")
    view = await deals.results(ann, Daily("cartino"))
    assert view.own is not None
    assert (view.own.ranked, view.own.place, view.streak) == (True, 1, 2)
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


async def test_a_deleted_account_s_key_plays_neither_deal_again(deals: DealServer) -> None:
    await deals.know("ann")
    await deals.play("ann")
    reply = await LocalBackend(deals.server).run_command(
        visitor("ann"), ["account", "delete", "--yes", "ann"]
    )
    assert reply.status == 0
    again = await deals.person("ann")
    assert (await again.refused(DAILY)).reason == "played-once"
    view = await again.ask(Daily("cartino"), DealView)
    assert (view.practice, view.barred) == (False, "played-once")


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
    reply = await LocalBackend(deals.server).run_command(visitor(f"{3:043}"), ["games", "--mine", "--json"])
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
    view = await deals.results(ann, Daily("cartino", 34))
    assert view.own is not None
    assert (view.own.state, view.own.place) == ("played", 1)


async def test_results_show_the_best_rows_and_count_all(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.serving.MAX_ROWS", 2)
    ann = await deals.person("ann")
    await ann.ask(Create("cartino", seats=2, bots=("greedy",), duplicate=True), TableView)
    match = await deals.people_db.do(lambda db: str(db.execute("SELECT name FROM deals").get))
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
