"""Records of Casino: replayed, verified, and read a second time by `check_casino`, which knows the rules alone."""

import json
from pathlib import Path

import msgspec
import pytest

from cartino_engine.replay import GameRecord, RecordError, read_record, replay, verify
from cartino_games.casino.views import CasinoDealLine, PlayLine
from cartino_protocol.records import GameLine, RecordLine, write_lines
from tests.oracle.check_casino import check
from tests.support.casino import ALL_OPTIONS, DEFAULTS, GAME, random_game, random_record

GAMES = {GAME.name: GAME}
GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("casino-*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_verifies(path: Path) -> None:
    verify(read_record(path.read_bytes(), GAMES))
    found = check(path.read_text(encoding="utf-8").splitlines())
    assert found is None, "the rules read a second time disagree"


def test_every_option_and_number_of_seats_has_a_golden_game() -> None:
    heads = [read_record(path.read_bytes(), GAMES).head for path in GOLDEN]
    for seats in (2, 3, 4):
        for option in GAME.options:
            chosen = {head.options[option.name] for head in heads if len(head.seats) == seats}
            assert chosen == set(option.choices)


@pytest.mark.parametrize("number", range(24))
def test_a_random_game_is_replayed_verified_and_agrees_with_the_rules_read_twice(number: int) -> None:
    lines = random_record(number, ALL_OPTIONS[number], 2 + number % 3, cut="a cut" if number % 2 else "")
    data = write_lines(lines)
    record = read_record(data, GAMES)
    verify(record)
    without_seed = [moment.state.table for moment in replay(record)]
    assert without_seed[-1].totals == lines[-1].totals  # type: ignore[attr-defined]
    assert check(data.decode().splitlines()) is None


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("play", "card", "AH"),
        ("play", "value", 9),
        ("play", "sweep", True),
        ("play", "takes", ["KS"]),
        ("play", "seat", 1),
        ("deal", "dealer", 0),
        ("deal", "last", True),
        ("deal", "hand", 3),
        ("score", "suit", [9, 9]),
        ("score", "points", [0, 0]),
        ("left", "cards", ["AH"]),
        ("end", "totals", [1, 1]),
        ("end", "winners", []),
    ],
)
def test_both_find_what_is_wrong_with_a_line(kind: str, field: str, value: object) -> None:
    lines = [json.loads(line) for line in write_lines(random_record(5, DEFAULTS, 2)).splitlines()]
    at = next(number for number, line in enumerate(lines) if line["type"] == kind and line[field] != value)
    lines[at][field] = value
    texts = [json.dumps(line) for line in lines]
    found = check(texts)
    assert found is not None
    assert found[0] >= at
    with pytest.raises(RecordError):
        verify(read_record("\n".join(texts).encode(), GAMES))


def changed(line: CasinoDealLine, **fields: object) -> list[RecordLine]:
    head = random_record(5, DEFAULTS, 2)[0]
    assert isinstance(head, GameLine)
    return [head, msgspec.structs.replace(line, **fields)]


@pytest.mark.parametrize(
    "fields",
    [
        {"hands": ()},
        {"hands": (("AH",), ("KH",))},
        {"hands": ((), (), (), ())},
        {"hands": (("AH",) * 4, ("AH",) * 4)},
        {"hands": (("AH", "2H", "3H", "ZZ"), ("4H", "5H", "6H", "7H"))},
        {"hands": (("AH", "2H", "3H", "?"), ("4H", "5H", "6H", "7H"))},
        {"dealer": -7},
        {"table": ()},
        {"deal": 4, "hand": 4, "table": ()},
    ],
)
def test_deals_that_can_not_have_been_are_no_chance_for_a_replay(fields: dict[str, object]) -> None:
    _, lines = next(random_game(5, DEFAULTS, 2))
    assert isinstance(lines[0], CasinoDealLine)
    head, line = changed(lines[0], **fields)
    assert isinstance(head, GameLine)
    with pytest.raises(RecordError):
        list(replay(GameRecord(GAME, head, (head, line))))


def test_a_running_games_export_can_not_be_replayed() -> None:
    moments = list(random_game(5, DEFAULTS, 2))[:4]
    lines = [GAME.redact(line, moments[-1][0], 0) for _, of in moments for line in of]
    head = random_record(5, DEFAULTS, 2)[0]
    assert isinstance(head, GameLine)
    with pytest.raises(RecordError, match="hidden"):
        list(replay(GameRecord(GAME, head, (head, *lines))))
    assert any(isinstance(line, PlayLine) for line in lines)
