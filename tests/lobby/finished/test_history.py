"""Finished games are listed, read and stepped through, running ones are not; lessons."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.replay import GameRecord, read_record, verify
from cartino_engine.replay import replay as replay_record
from cartino_games.cartino.lines import DrawLine, TurnLine
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.views import CartinoView
from cartino_protocol.base import game_name
from cartino_protocol.commands import Create, History, Join, Lesson, PlayOn, Replay, Review
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.records import EndLine, RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, LessonView, ReplayView, TableView
from cartino_protocol.wire import decode_answer, encode, encode_raw
from cartino_server.app.command_handler import LocalBackend
from cartino_server.lobby.finished.history import (
    GameHistory,
    GameReplay,
    RecordRefused,
    game_replay,
    lesson_view,
)
from cartino_server.lobby.remote_tables import UnknownTable
from cartino_server.server import Server
from cartino_server.store.personal_data import note_pruned
from cartino_server.visitors import Visitor
from tests.support.cartino import GAME, random_record
from tests.support.game_server import QUICK, Guest, World, a_guest, decoded_view, new_server
from tests.support.games import GAMES, SCREENS, SPEECHES
from tests.support.journal import MemoryJournal
from tests.support.race import Add, Race

RACES = {"race": Race()}
ALL = {**GAMES, **RACES}


async def played(server: Server, journal: MemoryJournal, *, listed: bool = True, over: bool = True) -> str:
    """The name of a game of ann and bob, which ann won at once if it is over."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", open=listed), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    if over:
        await ann.act(Add(3))
        await ann.wait(TableView, lambda view: view.state == "finished")
    return game_name(code, max(journal.games))


async def names(guest: Guest, of: History) -> list[str]:
    """What is in the list."""
    return [game.name for game in (await guest.ask(of, HistoryView)).games]


async def test_everybody_sees_what_was_listed(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    eve = await a_guest(server, "eve")
    (game,) = (await eve.ask(History("all"), HistoryView)).games
    assert (game.name, game.seats, game.totals, game.winners) == (name, ("ann", "bob"), (3, 0), (0,))
    assert await names(eve, History("mine")) == []
    assert await names(eve, History("player", "BOB")) == [name]
    assert await names(eve, History("player", "eve")) == []


async def test_whoever_sits_at_the_table_reads_the_game_that_is_over_by_its_code(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", open=False), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    assert (await ann.refused(Replay(code))).reason == "no-past-game", "it isn't over"
    await ann.act(Add(3))
    await ann.wait(TableView, lambda view: view.state == "finished")
    name = game_name(code, max(journal.games))
    assert (await ann.ask(Replay(code), ReplayView)).game == name
    assert await ann.refused(Review(code)) == Refusal("no-review", name), "its only turn ended it"


async def test_a_private_game_is_its_players_own(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal, listed=False)
    for who, seen in (("ann", [name]), ("bob", [name]), ("eve", [])):
        guest = await a_guest(server, who)
        assert await names(guest, History("all")) == seen
        assert await names(guest, History("mine")) == seen
        assert await names(guest, History("player", "ann")) == seen


async def test_a_list_says_whether_there_is_more(server: Server, journal: MemoryJournal) -> None:
    all_names = [await played(server, journal) for _ in range(4)]
    archive = GameHistory(journal, RACES)
    eve = await a_guest(server, "eve")
    view = await eve.ask(History("all"), HistoryView)
    assert ([game.name for game in view.games], view.more) == (all_names[::-1], False)
    before = view.games[1].number
    later = await archive.history("id-eve", History("all", before=before))
    assert [game.name for game in later.games] == all_names[1::-1]


async def test_a_game_is_stepped_through_by_its_name(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    eve = await a_guest(server, "eve")
    deal = await eve.ask(Replay(name), ReplayView)
    assert (deal.step, deal.steps, decoded_view(deal.table)["totals"]) == (0, 1, [0, 0])
    end = await eve.ask(Replay(name.lower(), 999), ReplayView)
    assert (end.step, decoded_view(end.table)["totals"]) == (1, [3, 0])


async def test_a_game_that_is_pruned_while_somebody_looks_at_it_is_told_to_be_gone(
    server: Server, journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.lobby.finished.history._CACHED_REPLAYS", 1)
    name, other = await played(server, journal), await played(server, journal)
    eve = await a_guest(server, "eve")
    assert not (await eve.ask(History("all"), HistoryView)).pruned
    await eve.ask(Replay(name), ReplayView)
    for table in ("games", "finished", "seats"):
        journal.connection.execute(f"DELETE FROM {table} WHERE number = ?", (int(name.partition("-")[2]),))
    note_pruned(journal.connection)
    assert (await eve.ask(Replay(name, 1), ReplayView)).step == 1, "what somebody looks at stays in memory"
    await eve.ask(Replay(other), ReplayView)
    refusal = await eve.refused(Replay(name))
    assert refusal.sentence() == f"There is no finished game {name} here, or it is no longer kept."
    view = await eve.ask(History("all"), HistoryView)
    assert ([game.name for game in view.games], view.pruned) == ([other], True)


async def test_a_running_game_is_not_there(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal, over=False)
    eve = await a_guest(server, "eve")
    assert await names(eve, History("all")) == []
    assert await eve.refused(Replay(name)) == Refusal("no-past-game", name)
    with pytest.raises(UnknownTable):
        await server.services.remote_tables.record_of(name)


async def test_what_is_no_game_is_said_to_be_none(server: Server, journal: MemoryJournal) -> None:
    await played(server, journal)
    eve = await a_guest(server, "eve")
    for name in ("", "K7QP", "ZZZZ-1", "AAAA-99", "AAAA-0", "nonsense", "AAAA-1-1"):
        assert (await eve.refused(Replay(name))).reason == "no-past-game"


async def test_a_record_can_be_verified(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    archive = GameHistory(journal, RACES)
    record = await archive.record(name)
    assert verify(read_record(record, RACES)).winners == (0,)
    assert await archive.newest(name.partition("-")[0]) == record
    assert await server.services.remote_tables.record_of(name) == record


async def test_a_damaged_record_is_set_aside_on_every_face(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    journal.connection.execute("UPDATE entries SET body = x'00'")
    eve = await a_guest(server, "eve")
    for command in (Replay(name), Review(name), PlayOn(name, 0)):
        assert await eve.refused(command) == Refusal("set-aside"), command
    for words in (f"export {name}", f"review {name}"):
        reply = await LocalBackend(server).run_command(
            Visitor("1", "id-eve", "eve", guest=False), words.split()
        )
        sentence = "That game is damaged and was set aside. Ask the host.\n"
        assert (reply.stderr, reply.status) == (sentence, FAILURE), words


async def test_a_game_that_the_server_does_not_know_is_missing(
    server: Server, journal: MemoryJournal
) -> None:
    name = await played(server, journal)
    with pytest.raises(RecordRefused) as refused:
        await GameHistory(journal, {}).record(name)
    assert refused.value.refusal == Refusal("game-missing", "race")


def lesson(game: str, number: int = 1, *moves: msgspec.Struct) -> LessonView:
    view = lesson_view(ALL, "ann", Lesson(game, number, tuple(map(encode_raw, moves))))
    assert isinstance(view, LessonView)
    return view


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.lessons])
def test_a_lesson_is_shown_from_its_beginning(game: str) -> None:
    view = lesson(game)
    assert (view.game, view.number, view.done, view.strayed) == (game, 1, 0, False)
    assert view.of == len(GAMES[game].lessons)
    assert (view.table.you, view.table.state, view.table.turn) == (0, "playing", (0,))
    assert view.table.seats[0].name == "ann"
    assert [seat.kind for seat in view.table.seats] == ["human", *["bot"] * (len(view.table.seats) - 1)]
    assert SCREENS[game].read(view.table.game_view) == SPEECHES[game].read(view.table.game_view)


def test_a_lesson_goes_on_with_the_moves_that_are_told() -> None:
    view = lesson("cartino", 1, Lay("KS", "KSu"))
    assert (view.done, view.tasks, view.strayed, view.table.number) == (1, 1, False, 1)
    strayed = lesson("cartino", 1, Lay("7S", "7Su"))
    assert (strayed.done, strayed.strayed) == (0, True)
    last = lesson("cartino", 999, Lay("QD", "QDu"))
    assert (last.number, last.table.state, last.table.turn) == (last.of, "finished", ())
    assert last.table.result is not None
    assert last.table.result.winners == (0,)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Lesson("chess"), Refusal("unknown-game", "chess")),
        (Lesson("race"), Refusal("no-lesson")),
        (Lesson("cartino", 1, (msgspec.Raw(b"\x01"),)), Refusal("malformed")),
        (Lesson("cartino", 1, (encode_raw(EndTurn()),)), Refusal("illegal", "lay-first")),
    ],
)
def test_what_is_no_lesson_is_refused(asked: Lesson, why: Refusal) -> None:
    assert lesson_view(ALL, "ann", asked) == why


async def test_a_lesson_can_be_asked_for_at_a_table_too(
    world: World, servers: Callable[[Server], Server]
) -> None:
    ann = await a_guest(servers(new_server(world, QUICK, ALL)), "ann")
    await ann.ask(Create("race"), TableView)
    assert (await ann.ask(Lesson("cartino", 2), LessonView)).name == "level"


GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("*.jsonl"))


def record_of(lines: list[RecordLine]) -> GameRecord:
    return read_record(write_lines(lines), GAMES)


def table(table: TableView) -> CartinoView:
    return msgspec.msgpack.decode(table.game_view, type=CartinoView)


def check_steps(replay: GameReplay, record: GameRecord) -> None:
    """Each step is the state that replay comes to; only the last is over, with what the record's end says."""
    moments = list(replay_record(record))
    assert replay.steps == len(moments) - 1
    for step, moment in enumerate(moments):
        table = replay.view(step)
        turn = record.game.on_turn(moment.state)
        assert (table.number, table.you, table.turn) == (step, None, turn)
        assert table.state == ("playing" if step < replay.steps else "finished")
        assert table.game_view == encode_raw(record.game.view(moment.state, turn[0] if turn else None))
        assert replay.line(step) == moment.line
    last, end = replay.view(replay.steps), record.end()
    assert end is not None
    assert last.result is not None
    assert (last.result.totals, last.result.winners, last.result.reason) == (
        end.totals,
        end.winners,
        end.reason,
    )
    assert last.seed == end.seed
    assert not any(replay.view(step).seed for step in range(replay.steps))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_step_by_step(path: Path) -> None:
    record = read_record(path.read_bytes(), GAMES)
    check_steps(game_replay(record), record)


@given(st.integers(0, 2**32), st.sampled_from(["1974", "1969"]), st.integers(2, 4))
@settings(max_examples=10, deadline=None)
def test_a_random_game_step_by_step(seed: int, edition: str, seats: int) -> None:
    record = record_of(random_record(seed, edition, seats))  # type: ignore[arg-type]
    check_steps(game_replay(record), record)


def test_what_is_shown_says_which_game_and_where_and_travels() -> None:
    replay = game_replay(record_of(random_record(3)), "K7QP-12")
    shown = replay.show(4)
    assert (shown.game, shown.step, shown.steps) == ("K7QP-12", 4, replay.steps)
    assert (shown.line, shown.table) == (replay.line(4), replay.view(4))
    assert shown.table.code == "K7QP-12"
    assert decode_answer(encode(shown)) == shown
    assert replay.view(-1) == replay.view(0)
    assert replay.show(10**6) == replay.show(replay.steps)


def abandoned() -> list[RecordLine]:
    lines = random_record(3)
    end = lines[-1]
    assert isinstance(end, EndLine)
    at = next(n for n, line in enumerate(lines) if n > 30 and isinstance(line, DrawLine))
    totals = [0, 0]
    for line in lines[: at + 1]:
        if isinstance(line, TurnLine):
            totals[line.seat] = line.total
    return [*lines[: at + 1], EndLine(tuple(totals), (), "abandoned", end.seed, end.ended)]


def test_an_abandoned_game_ends_where_it_was_left_and_waits_for_nobody() -> None:
    record = record_of(abandoned())
    replay = game_replay(record)
    last, before = replay.view(replay.steps), replay.view(replay.steps - 1)
    assert (last.state, last.turn) == ("finished", ())
    assert last.result is not None
    assert (last.result.winners, last.result.reason) == ((), "abandoned")
    assert (before.state, before.result) == ("playing", None)
    assert len(before.turn) == 1
    assert GAME.on_turn(replay.moments[-1].state) != ()


def test_a_record_that_stops_before_its_end_is_still_being_played() -> None:
    replay = game_replay(record_of(abandoned()[:-1]))
    last = replay.view(replay.steps)
    assert (last.state, last.result, last.seed) == ("playing", None, "")
    assert last.turn


def test_bots_of_a_kind_are_numbered_as_at_the_table() -> None:
    record = record_of(random_record(0, seats=4))
    names = ("bot:greedy", "ann", "bot:greedy", "bot:random")
    head = msgspec.structs.replace(record.head, seats=names)
    table = GameReplay("game", msgspec.structs.replace(record, head=head), game_replay(record).moments).view(
        0
    )
    assert [(seat.name, seat.kind) for seat in table.seats] == [
        ("greedy", "bot"),
        ("ann", "human"),
        ("greedy 2", "bot"),
        ("random", "bot"),
    ]
