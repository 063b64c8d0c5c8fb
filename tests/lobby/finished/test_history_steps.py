"""A record as steps of a table: every golden and random game, with its hands open and its end at the end."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.replay import GameRecord, RecordError, read_record
from cartino_engine.replay import replay as replay_record
from cartino_games.cartino.lines import DrawLine, TurnLine
from cartino_games.cartino.views import CartinoView
from cartino_protocol.records import EndLine, RecordLine, write_lines
from cartino_protocol.views import TableView
from cartino_protocol.wire import decode_answer, encode, encode_raw
from cartino_server.lobby.finished.history import GameReplay, game_replay
from tests.support.cartino import GAME, random_record
from tests.support.games import GAMES

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


def test_the_hand_of_the_seat_on_turn_lies_open() -> None:
    record = record_of(random_record(3))
    replay = game_replay(record)
    deal = record.lines[1]
    assert isinstance(deal, DrawLine)
    assert sorted(table(replay.view(0)).hand) == sorted(deal.stones)


def test_steps_before_the_first_and_beyond_the_last_are_those() -> None:
    replay = game_replay(record_of(random_record(3)))
    assert replay.view(-1) == replay.view(0)
    assert replay.view(10**6) == replay.view(replay.steps)
    assert replay.show(10**6) == replay.show(replay.steps)


def test_what_is_shown_says_which_game_and_where_and_travels() -> None:
    replay = game_replay(record_of(random_record(3)), "K7QP-12")
    shown = replay.show(4)
    assert (shown.game, shown.step, shown.steps) == ("K7QP-12", 4, replay.steps)
    assert (shown.line, shown.table) == (replay.line(4), replay.view(4))
    assert shown.table.code == "K7QP-12"
    assert decode_answer(encode(shown)) == shown


def test_bots_go_by_their_names_and_people_by_theirs() -> None:
    lines = random_record(3)
    lines[0] = msgspec.structs.replace(lines[0], seats=("bot:greedy", "robot"))
    seats = game_replay(record_of(lines)).view(0).seats
    assert [(seat.name, seat.kind) for seat in seats] == [("greedy", "bot"), ("robot", "human")]


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


def test_a_record_that_breaks_its_rules_is_no_replay() -> None:
    lines = random_record(3)
    del lines[40]
    with pytest.raises(RecordError):
        game_replay(record_of(lines))


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
