"""What the base of declared games does for them: the cases of game.txt, secrets, turns."""

from pathlib import Path

import msgspec
import pytest

from cartino_crazy_eights import CrazyEights
from cartino_engine.chance import Impossible, SeedChance
from cartino_engine.port import Step
from cartino_games.kit.declared.game import HIDDEN, DealLine
from cartino_protocol.declared import Choose
from cartino_protocol.records import RecordLine
from tests.support.declared import NAMES, NOTATION, LowestBid, of_eights
from tests.support.rules_script import cases, run

EIGHTS, BIDS = CrazyEights(), LowestBid()
CHANCE = SeedChance(bytes(32), ("",) * 2)


def bid(*words: str) -> tuple[object, list[RecordLine]]:
    step = BIDS.start({}, NAMES[:2], CHANCE)
    lines = list(step.lines)
    for at, word in enumerate(words):
        after = BIDS.apply(step.state, at % 2, Choose(word))
        assert isinstance(after, Step)
        step = after
        lines += step.lines
    return step.state, lines


def test_who_draws_is_told_which_card_and_nobody_else() -> None:
    step = EIGHTS.apply(of_eights(("7C", "KS"), "9D"), 0, Choose("draw"))
    assert isinstance(step, Step)
    assert [len(EIGHTS.view(step.state, audience).log) for audience in (0, 1, None)] == [2, 1, 1]


def test_the_deals_of_a_running_game_are_hidden_and_it_is_not_replayed() -> None:
    step = EIGHTS.start({}, NAMES[:2], CHANCE)
    hidden = [EIGHTS.redact(line, step.state, 0) for line in step.lines]
    assert hidden == [DealLine(0, ())]
    with pytest.raises(Impossible, match="stay hidden while the game is running"):
        EIGHTS.drawn({}, hidden)


def test_a_choice_stays_secret_until_all_have_chosen() -> None:
    state, lines = bid("high")
    words = {
        audience: [getattr(BIDS.redact(line, state, audience), "word", "") for line in lines]  # type: ignore[arg-type]
        for audience in (None, 0, 1)
    }
    assert words == {None: [HIDDEN], 0: ["high"], 1: [HIDDEN]}
    state, lines = bid("high", "low-left", "high")
    assert [getattr(BIDS.redact(line, state), "word", "") for line in lines] == ["high", "low-left", HIDDEN]  # type: ignore[arg-type]


def test_those_who_choose_at_the_same_time_have_one_turn() -> None:
    counts = [BIDS.turns(bid(*["high"] * made)[0]) for made in range(5)]  # type: ignore[arg-type]
    assert counts == [0, 0, 1, 1, 2]


def test_a_view_that_is_too_large_is_a_defect_of_the_game() -> None:
    class Wordy(LowestBid):
        def points(self, state: object) -> tuple[int, ...]:
            return (10**9, 0)

    step = Wordy().start({}, NAMES[:2], CHANCE)
    with pytest.raises(msgspec.ValidationError):
        Wordy().view(step.state, None)


@pytest.mark.parametrize("seats", [1, 6])
def test_other_numbers_of_seats_are_impossible(seats: int) -> None:
    with pytest.raises(Impossible, match="2 to 5 players"):
        EIGHTS.start({}, ("Ann",) * seats, CHANCE)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("game.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)
