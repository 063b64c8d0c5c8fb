"""Reviews of finished games, while the client goes on stepping through them; other turns tried, games played on."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest
from typing_extensions import override

from cartino_engine.bots import Verdict
from cartino_engine.replay import GameRecord, read_record, verify
from cartino_games.cartino.bots.levels import CartinoCareful, CartinoGreedy
from cartino_games.cartino.moves import EndTurn
from cartino_protocol.base import turn_address
from cartino_protocol.commands import (
    Act,
    Course,
    History,
    Join,
    PlayOn,
    Profile,
    Rematch,
    Replay,
    Review,
    TryTurn,
)
from cartino_protocol.records import EndLine, NoteLine, RecordLine, write_line
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    CourseView,
    HistoryView,
    ProfileView,
    ReplayView,
    ReviewView,
    TableView,
    TrialView,
)
from cartino_protocol.wire import encode, encode_raw
from cartino_server.lobby.finished.history import game_replay
from cartino_server.review.judging import LEAST, played_turns
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal
from cartino_server.store.port import StoredGame
from cartino_server.table.match import is_played_on
from tests.fuzz.decoders.records import abandoned
from tests.support.cartino import random_record
from tests.support.data import make_data
from tests.support.game_server import QUICK, Guest, a_guest
from tests.support.games import BOTS, GAMES
from tests.support.journals import opened

RECORD, FOUR = random_record(7), random_record(8, "1969", 4, cut="mine")


class Held(CartinoCareful):
    """Judges once it may."""

    def __init__(self) -> None:
        self.may = threading.Event()

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        self.may.wait(20)
        return super().judge(view, made)


BOT = Held()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    games = [("K7QP", RECORD), ("AB2C", abandoned(random_record(1))), ("DDDD", FOUR)]
    return make_data(tmp_path / "data", games)


@pytest.fixture
async def journal(data: Path) -> AsyncIterator[DiskJournal]:
    async with opened(data, entries=9) as found:
        yield found.journal


@pytest.fixture
async def server(journal: DiskJournal) -> AsyncIterator[Server]:
    BOT.may.set()
    server = Server(GAMES, {**BOTS, ("cartino", "careful"): BOT}, QUICK, journal=journal)
    yield server
    BOT.may.set()
    await server.close()


def record() -> GameRecord:
    return read_record(b"\n".join(map(write_line, RECORD)), GAMES)


async def test_it_has_every_turn_with_its_steps_and_the_moves_of_costly_ones(server: Server) -> None:
    ann = await a_guest(server, "ann")
    view = await ann.ask(Review("K7QP-1"), ReviewView)
    replay, turns = game_replay(record(), "K7QP-1"), played_turns(record())
    assert (view.game, view.judged) == ("K7QP-1", True)
    assert [(turn.seat, turn.start, turn.end, turn.made) for turn in view.turns] == [
        (turn.seat, turn.start, turn.end, turn.points) for turn in turns
    ]
    for shown, played in zip(view.turns, turns, strict=True):
        if shown.lost < LEAST:
            assert (shown.moves, shown.best_moves) == ((), ())
            continue
        assert tuple(map(bytes, shown.moves)) == played.moves
        verdict = CartinoCareful().judge(encode(record().game.view(played.begin, played.seat)), played.moves)
        assert shown.lost == round(verdict.lost, 1)
        assert tuple(map(bytes, shown.best_moves)) == tuple(map(encode, verdict.best))
    assert any(turn.luck for turn in view.turns)
    assert replay.steps >= view.turns[-1].end
    assert await ann.ask(Review("K7QP-1"), ReviewView) == view


async def test_steps_are_shown_while_a_review_is_computed_and_a_second_review_has_to_wait(
    server: Server,
) -> None:
    BOT.may.clear()
    ann = await a_guest(server, "ann")
    ann.say(Review("K7QP-1"))
    assert (await ann.ask(Replay("K7QP-1", 3), ReplayView)).step == 3
    assert (await ann.refused(Review("DDDD-3"))).reason == "busy"
    BOT.may.set()
    assert (await ann.wait(ReviewView)).game == "K7QP-1"
    assert (await ann.ask(Review("DDDD-3"), ReviewView)).game == "DDDD-3"


async def test_what_can_t_be_reviewed_is_refused_with_one_sentence(server: Server) -> None:
    ann = await a_guest(server, "ann")
    for name in ("AB2C-2", "ab2c"):
        assert await ann.refused(Review(name)) == Refusal("no-review", "AB2C-2")
    for name in ("ZZZZ-9", "K7QP-9", "nonsense"):
        assert await ann.refused(Review(name)) == Refusal("no-past-game", name)


async def test_a_bot_that_fails_is_a_refusal_and_can_be_asked_again(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await a_guest(server, "ann")
    monkeypatch.setattr(Held, "judge", lambda *_: 1 // 0)
    assert await ann.refused(Review("K7QP-1")) == Refusal("review-failed", "K7QP-1")
    monkeypatch.undo()
    assert (await ann.ask(Review("K7QP-1"), ReviewView)).turns


async def test_one_who_leaves_costs_nobody_anything(server: Server) -> None:
    BOT.may.clear()
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    ann.say(Review("K7QP-1"))
    bob.say(Review("K7QP-1"))
    await asyncio.sleep(0)
    ann.link.close()
    BOT.may.set()
    assert (await bob.wait(ReviewView)).turns


async def test_another_turn_can_be_tried_move_by_move_and_has_a_verdict(server: Server) -> None:
    ann = await a_guest(server, "ann")
    turn = max((await ann.ask(Review("K7QP-1"), ReviewView)).turns, key=lambda each: each.lost)
    first = await ann.ask(TryTurn("K7QP-1", turn.start), TrialView)
    assert (first.done, first.lost, first.table.you, first.table.turn) == (
        False,
        None,
        turn.seat,
        (turn.seat,),
    )
    played = await ann.ask(TryTurn("K7QP-1", turn.start, turn.moves), TrialView)
    assert (played.done, played.made) == (True, turn.made)
    assert played.lost == turn.lost
    assert played.best_moves == turn.best_moves
    better = await ann.ask(TryTurn("K7QP-1", turn.start, turn.best_moves), TrialView)
    assert better.done
    assert better.lost == 0
    half = await ann.ask(TryTurn("K7QP-1", turn.start, turn.best_moves[:1]), TrialView)
    assert half.done == (len(turn.best_moves) == 1)
    assert await ann.ask(TryTurn("K7QP-1", turn.start), TrialView) == first, "nothing of it is stored"


async def test_a_turn_that_can_t_be_tried_is_refused(server: Server) -> None:
    ann = await a_guest(server, "ann")
    turn = max((await ann.ask(Review("K7QP-1"), ReviewView)).turns, key=lambda each: each.lost)
    wrong = msgspec.Raw(encode(EndTurn()))
    assert (await ann.refused(TryTurn("K7QP-1", turn.start, (wrong,)))).reason == "illegal"
    nonsense = msgspec.Raw(encode(Review("x")))
    assert (await ann.refused(TryTurn("K7QP-1", turn.start, (nonsense,)))).reason == "malformed"
    again = (*turn.moves, *turn.moves)
    assert (await ann.refused(TryTurn("K7QP-1", turn.start, again))).reason == "stale"
    assert await ann.refused(TryTurn("K7QP-1", 99_999)) == Refusal("over-there")
    assert await ann.refused(TryTurn("ZZZZ-9", 1)) == Refusal("no-past-game", "ZZZZ-9")


async def test_an_address_leads_to_the_end_of_its_turn(server: Server) -> None:
    ann = await a_guest(server, "ann")
    course = await ann.ask(Course("K7QP-1"), CourseView)
    view = await ann.ask(Replay(turn_address("k7qp-1", 5)), ReplayView)
    assert (view.game, view.step) == ("K7QP-1", course.turns[4].step)
    for wrong in (0, len(course.turns) + 1):
        address = turn_address("K7QP-1", wrong)
        assert await ann.refused(Replay(address)) == Refusal("no-turn", f"{address} (1-{len(course.turns)})")
    for nonsense in ("K7QP-1@", "K7QP-1@x", "K7QP-1@5@5", "@5"):
        assert (await ann.refused(Replay(nonsense))).reason == "no-past-game"


async def test_a_game_that_no_bot_judges_has_no_review_but_can_be_tried_and_played_on(
    journal: DiskJournal,
) -> None:
    server = Server(GAMES, {key: bot for key, bot in BOTS.items() if not bot.evaluation}, journal=journal)
    ann = await a_guest(server, "ann")
    assert await ann.refused(Review("K7QP-1")) == Refusal("no-review", "K7QP-1")
    turn = played_turns(record())[0]
    trial = await ann.ask(TryTurn("K7QP-1", turn.start, tuple(map(msgspec.Raw, turn.moves))), TrialView)
    assert (trial.done, trial.made, trial.lost, trial.best_moves) == (True, turn.points, None, ())
    table = await ann.ask(PlayOn("K7QP-1", turn.start), TableView)
    assert {seat.kind for seat in table.seats} == {"human", "bot"}
    await server.close()


async def played_out(guest: Guest) -> TableView:
    """The guest makes greedy moves to the end."""
    while True:
        table = guest.table
        assert table is not None
        if table.state == "finished":
            return table
        if table.you in table.turn:
            move = CartinoGreedy().choose(bytes(table.game_view), Random(0))
            guest.say(Act(table.number, encode_raw(move)))
        number = table.number
        await guest.wait(TableView, lambda view, number=number: view.number > number)  # type: ignore[misc]


async def stored(server: Server, code: str) -> GameRecord:
    return read_record(await server.services.queries.history.newest(code), GAMES)


@pytest.mark.parametrize(("name", "step", "record"), [("K7QP-1", 12, RECORD), ("DDDD-3", 31, FOUR)])
async def test_it_goes_on_from_there_to_an_end_that_verifies(
    server: Server, name: str, step: int, record: list[RecordLine]
) -> None:
    ann = await a_guest(server, "ann")
    there = await ann.ask(Replay(name, step), ReplayView)
    (seat,) = there.table.turn
    table = await ann.ask(PlayOn(name, step), TableView)
    assert (table.state, table.you, table.turn, table.open) == ("playing", seat, (seat,), False)
    assert table.game_view == there.table.game_view
    assert [chair.kind for chair in table.seats] == [
        "human" if each == seat else "bot" for each in range(len(table.seats))
    ]
    await played_out(ann)
    told = await stored(server, table.code)
    end = verify(told)
    assert isinstance(record[-1], EndLine)
    assert end.seed == record[-1].seed
    assert told.head.seats[seat] == "ann"
    assert {told.head.seats[each] for each in range(len(table.seats)) if each != seat} == {"bot:careful"}
    assert told.lines[1 : there.line] == tuple(record[1 : there.line])
    assert told.lines[there.line] == NoteLine(f"played on from {name}")
    assert is_played_on(told.lines)


async def test_it_counts_for_nobody_but_its_player_finds_it(server: Server, journal: DiskJournal) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    table = await ann.ask(PlayOn("K7QP-1", 12), TableView)
    await played_out(ann)
    while await journal.due(1):
        await ann.ask(History("mine"), HistoryView)
    assert (await ann.ask(Profile(), ProfileView)).scores == ()
    assert [game.name.split("-")[0] for game in (await ann.ask(History("mine"), HistoryView)).games] == [
        table.code
    ]
    assert all(
        game.name.split("-")[0] != table.code for game in (await eve.ask(History("all"), HistoryView)).games
    )


async def test_it_survives_a_server_that_is_killed(data: Path) -> None:
    async with opened(data, entries=9) as found:
        server = Server(GAMES, BOTS, config=QUICK, journal=found.journal)
        ann = await a_guest(server, "ann")
        table = await ann.ask(PlayOn("K7QP-1", 12), TableView)
        # What is in the journal now is all that a server gets after a kill.
        kept = await found.journal.load_game(4)
        await server.close()
    async with opened(data, entries=9) as found:
        assert found.damaged == ()
        (game,) = found.kept
        assert isinstance(kept, StoredGame)
        assert (game.code, game.bodies[: len(kept.bodies)]) == (table.code, kept.bodies)
        server = Server(GAMES, BOTS, config=QUICK, journal=found.journal)
        assert server.recover(found.kept) == ()
        ann = await a_guest(server, "ann")
        again = await ann.ask(Join(table.code), TableView)
        assert (again.state, again.you, again.game_view) == ("playing", table.you, table.game_view)
        await played_out(ann)
        verify(await stored(server, table.code))
        await server.close()


async def test_what_can_t_be_played_on_is_refused(server: Server) -> None:
    ann = await a_guest(server, "ann")
    for name in ("ZZZZ-9", ""):
        assert await ann.refused(PlayOn(name, 1)) == Refusal("no-past-game", name)
    assert await ann.refused(PlayOn("K7QP-1", 99_999)) == Refusal("over-there")
    table = await ann.ask(PlayOn("K7QP-1", 12), TableView)
    eve = await a_guest(server, "eve")
    assert (await eve.refused(PlayOn(table.code, 3))).reason == "no-past-game", "it runs"


async def test_a_rematch_there_has_a_seed_of_its_own(server: Server) -> None:
    ann = await a_guest(server, "ann")
    await ann.ask(PlayOn("K7QP-1", 12), TableView)
    over = await played_out(ann)
    assert over.next_commitment != over.commitment
    table = await ann.ask(Rematch(), TableView, lambda view: view.state == "playing")
    assert table.commitment == over.next_commitment
