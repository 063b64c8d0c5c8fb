"""Casino in sentences: the cases of speech.txt, and whole games by typed plays and by numbers alone."""

import random
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from cartino_engine.port import Step
from cartino_games.casino import views
from cartino_games.casino.rules import CasinoState
from cartino_games.casino.views import Play
from cartino_games.kit.spoken import in_english, in_letters
from cartino_protocol.wire import encode
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.casino import DEFAULTS, GAME, SETTING, SPEECH, build, position, random_game, table_of
from tests.support.rules_script import cases
from tests.support.table_script import play

TABLE = position(
    "9H 2H 9S AH",
    "3D 4D 5D 6D",
    loose="3C 6S 7C KD",
    builds=[build("10:8S+2S", 1), build("9:5H+4S", 1, multiple=True)],
    pack="AD 2D 3S 4C 5S 6C 7S 8D",
    sweeps=(1, 0),
    totals=(12, 20),
)


class Talker:
    """Somebody who types lines at a table; moves are made."""

    def __init__(self, state: CasinoState) -> None:
        self.state = state
        self.hold = SPEECH.fresh()
        self.move: msgspec.Struct | None = None

    def type(self, text: str, seat: int | None = None) -> tuple[str, ...]:
        seat = GAME.on_turn(self.state)[0] if seat is None else seat
        heard = SPEECH.enter(
            table_of(self.state, seat), GAME.view(self.state, seat), self.hold, text, ENGLISH
        )
        assert heard.taken
        self.hold, self.move = heard.hold, heard.move
        if isinstance(heard.move, Play):
            step = GAME.apply(self.state, seat, heard.move)
            assert isinstance(step, Step)
            self.state = step.state
        return heard.lines


def test_the_same_words_in_a_command_line_are_refused_for_the_same_reason() -> None:
    for typed, rule in (
        ("9Hx3C,3C", "card-twice"),
        ("9Hx3C+7C", "does-not-add-up"),
        ("9Hx>8", "not-on-table"),
    ):
        move = SPEECH.move(typed, GAME.view(TABLE, 0))
        assert move is not None
        refusal = GAME.check(TABLE, 0, move)
        assert refusal is not None
        assert refusal.detail == rule
    assert SPEECH.move("nonsense", GAME.view(TABLE, 0)) is None
    assert SPEECH.move("9H") == Play("9H", "trail")


def test_court_cards_are_typed_and_shown_in_the_letters_of_the_language() -> None:
    assert in_english("dhxdc,rs") == "QHXQC,KS"
    assert in_english("Bh+2C=13") == "JH+2C=13"
    assert in_english("qhxdd") == "QHXQD"
    for language, move in (("fr", "DHxDC,RS+VD"), ("de", "DHxDC,KS+BD"), ("en", "QHxQC,KS+JD")):
        assert in_letters("QHxQC,KS+JD", translator_for(language)) == move
        assert in_english(move) == "QHXQC,KS+JD".upper()


def test_a_game_by_typed_plays_alone() -> None:
    talker, rng = Talker(next(random_game(1, DEFAULTS | {"target": "11"}, 3))[0]), random.Random(1)
    plays = 0
    while GAME.on_turn(talker.state):
        (seat,) = GAME.on_turn(talker.state)
        legal = SPEECH.legal(GAME.view(talker.state, seat))
        assert not talker.type(rng.choice(legal)[0])
        assert talker.move is not None
        plays += 1
    assert plays > 40
    lines = SPEECH.standing(table_of(talker.state, 0), GAME.view(talker.state, 0), ENGLISH)
    assert lines[0].startswith("The game is over.")
    assert len(lines) == 4


def test_a_game_by_numbers_alone() -> None:
    talker = Talker(next(random_game(2, DEFAULTS | {"target": "11"}, 2))[0])
    while GAME.on_turn(talker.state):
        hand = talker.state.hands[GAME.on_turn(talker.state)[0]]
        for number in range(1, len(hand) + 1):
            talker.type(str(number))
            if talker.hold.moves:
                break
        talker.type("1")
        assert talker.move is not None
    assert GAME.result(talker.state) is not None


def test_every_rule_that_refuses_has_a_sentence_and_every_best_a_name() -> None:
    kinds = (views.CardRule, views.CaptureRule, views.BuildRule)
    assert set(SPEECH.refusals) == {"over", "use-add", *(rule for kind in kinds for rule in get_args(kind))}
    assert SPEECH.fact("deal", ENGLISH) == "best deal"


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (Play("6D", "trail"), "trail the 6 of diamonds"),
        (
            Play("AD", "capture", 14, ("6C", "8S")),
            "take the 6 of clubs, the 8 of spades with the ace of diamonds",
        ),
        (Play("2H", "build", 9, ("7C",)), "build 9 with the 2 of hearts on the 7 of clubs"),
        (Play("AH", "raise", 10, ("9C",)), "raise a build to 10 with the ace of hearts"),
        (Play("5H", "add", 9, ("4C", "9C")), "add the 5 of hearts to the build of 9"),
    ],
)
def test_a_move_by_itself_is_said_in_words(play: Play, said: str) -> None:
    table = table_of(next(random_game(1, DEFAULTS, 2))[0], 0)
    assert SPEECH.move_said(msgspec.Raw(encode(play)), table, ENGLISH) == said


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("speech.txt")))
def test_speech(case: list[str]) -> None:
    play(SETTING, case)
