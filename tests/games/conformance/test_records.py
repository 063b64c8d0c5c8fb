"""Records agree with the rules read a second time (tests/oracle), which find what is wrong with one."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.replay import RecordError, read_record, verify
from cartino_games.conformance.trial import Trial, kinds, play
from tests.oracle import check_caro, check_cartino, check_casino
from tests.support.games import GAMES, PACKAGES

ORACLES = {"caro": check_caro.check, "cartino": check_cartino.check, "casino": check_casino.check}
GOLDEN = Path(__file__).parents[2] / "golden"
FREE = {"type", "started", "ended", "seats", "cuts", "options"}
"""Fields of which a record may have another one and still be right."""
GAME = pytest.mark.parametrize("name", ORACLES)


@GAME
@given(st.integers(0, 2**32), st.data())
@settings(max_examples=12)
def test_random_games_of_every_kind_agree_with_the_rules_read_twice(
    name: str, seed: int, data: st.DataObject
) -> None:
    game = GAMES[name]
    options, seats = data.draw(st.sampled_from(kinds(game))), data.draw(st.integers(2, 4))
    record = play(game, options, seats, Random(seed), Trial(PACKAGES[name]).offered).record(game)
    verify(read_record(record, GAMES))
    assert ORACLES[name](record.decode().splitlines()) is None


@GAME
def test_every_kind_of_line_is_in_a_golden_game(name: str) -> None:
    texts = [line for path in GOLDEN.glob(f"{name}-*.jsonl") for line in path.read_text("utf-8").splitlines()]
    tags = {kind.__struct_config__.tag for kind in GAMES[name].lines}
    assert tags == {json.loads(text)["type"] for text in texts} - {"game", "end"}


@pytest.mark.parametrize("golden", ["caro-honour-2-opener-2", "cartino-1969-2", "casino-11-2"])
def test_whatever_is_wrong_with_a_line_is_found(golden: str) -> None:
    """Only the passes before the end of a game of Cartino may be missing: it is over without them."""
    check = ORACLES[golden.partition("-")[0]]
    lines = (GOLDEN / f"{golden}.jsonl").read_text("utf-8").splitlines()
    seen: Counter[str] = Counter()
    for number, text in enumerate(lines):
        line = json.loads(text)
        seen[line["type"]] += 1
        if seen[line["type"]] > 3:
            continue
        for wrong in _spoilt(line):
            tampered = [*lines[:number], json.dumps(wrong), *lines[number + 1 :]]
            assert check(tampered) is not None, wrong
            if seen[line["type"]] == 1:
                with pytest.raises(RecordError):
                    verify(read_record("\n".join(tampered).encode(), GAMES))
        missing = check([*lines[:number], *lines[number + 1 :]])
        assert missing is not None or line["type"] == "pass", f"without {text}"
        assert check([*lines[: number + 1], *lines[number:]]) is not None, f"twice {text}"


def _spoilt(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The line with one thing wrong, in several ways."""
    wrong = [{each: line[each] for each in line if each != name} for name in line if name not in FREE]
    for name, value in line.items():
        match value:
            case _ if name in FREE:
                pass
            case bool():
                wrong.append({**line, name: not value})
            case int():
                wrong.append({**line, name: value + (9 if name in {"x", "y", "seat"} else 1)})
            case str():
                wrong.append({**line, name: "zz"})
            case [int(), *_]:
                wrong.append({**line, name: [value[0] + 1, *value[1:]]})
            case [str(), *_]:
                wrong.append({**line, name: ["zz", *value[1:]]})
    return wrong
