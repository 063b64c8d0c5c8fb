"""Caro in sentences: the cases of speech.txt, and whole games by typed lines alone."""

import random
from pathlib import Path

import pytest

from cartino_engine.port import Step
from cartino_games.caro.description import CaroDescription
from cartino_games.caro.rules.table import FULL
from cartino_games.caro.speech import LATEST, CaroSpeech
from cartino_games.caro.views import SPANS, Accept, Call, CaroLay, place_at
from cartino_protocol.wire import encode_raw
from cartino_tui.i18n import ENGLISH, LANGUAGES, Language, translator_for
from cartino_tui.plain.shell import turn_lines as told_of
from tests.support.caro import GAME, SETTING, Sitting, position, random_game, table_of
from tests.support.rules_script import cases
from tests.support.table_script import play

SPEECH = CaroSpeech()


@pytest.mark.parametrize("referee", ["strict", "honour"])
def test_a_whole_game_is_played_by_speech_alone(referee: str) -> None:
    """Everybody types the number of a move that was read out; every move is told, and the end names the winner."""
    dice, seats, told = random.Random(4), 4, list[str]()
    state = next(iter(random_game(3, {"referee": referee, "rounds": "2", "begins": "lot"}, seats)))[0]
    while turn := GAME.on_turn(state):
        seat = dice.choice(turn)
        before, table, view = GAME.view(state, None), table_of(state, seat), GAME.view(state, seat)
        assert SPEECH.standing(table, view, ENGLISH)[0] == "Your turn."
        number = dice.randrange(len(SPEECH.legal(view)))
        said = SPEECH.enter(table, view, SPEECH.fresh(), str(number + 1), ENGLISH)
        assert said.move == SPEECH.move(SPEECH.legal(view)[number][0], view)
        assert isinstance(said.move, CaroLay | Call | Accept)
        after = GAME.apply(state, seat, said.move)
        assert isinstance(after, Step), "a move that was offered is refused"
        state = after.state
        news = SPEECH.describe_events(table_of(state, None), before, GAME.view(state, None), ENGLISH)
        assert all(news)
        told += news
    assert any("doubled" in line for line in told)
    assert any("Round 2" in line for line in told)
    assert (referee == "honour") == any(" calls " in line for line in told)
    end = SPEECH.standing(table_of(state, None), GAME.view(state, None), ENGLISH)
    assert "win" in end[0]
    assert len(end) == 1 + seats


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("speech.txt")))
def test_said(case: list[str]) -> None:
    play(SETTING, case)


def test_a_shell_is_told_first_that_a_call_is_open() -> None:
    sitting = Sitting(position("RB", FULL, FULL, FULL, honour=True))
    sitting.play((0, "B2,0"))
    sin = sitting.state
    turn, asked, moves = told_of(table_of(sin, 1), SPEECH, GAME.view(sin, 1), ENGLISH)
    assert (turn, asked) == ("It's your turn.", "You can call the last move.")
    assert moves.startswith("Moves you can make, with their points: call, Bg6 (10), ")
    other = list(told_of(table_of(sin, 2), SPEECH, GAME.view(sin, 2), ENGLISH))
    assert other[1:] == ["You can call the last move.", "Moves you can make: call."]


def test_what_was_missed_is_said_to_be_missed() -> None:
    states = [state for state, _ in random_game(1, {"referee": "strict", "rounds": "1", "begins": "lot"}, 2)]
    first, last = (GAME.view(state, None) for state in (states[0], states[-1]))
    told = SPEECH.describe_events(table_of(states[-1], None), first, last, ENGLISH)
    assert told[0] == "More moves were made meanwhile; here are the latest."
    assert len(told) == 1 + LATEST < len(last.recent)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_is_said_in_every_language(language: Language) -> None:
    translator = translator_for(language)
    for state, lines in random_game(2, {"referee": "honour", "rounds": "2", "begins": "lot"}, 3):
        for line in lines:
            said = SPEECH.line_sentence(table_of(state, 0), line, translator)
            assert said
            assert "{" not in said
    assert SPEECH.words(translator)
    assert SPEECH.first_step(translator)


def test_the_moves_of_a_review_are_told_by_colour_and_field() -> None:
    state, _ = next(iter(random_game(3, {"referee": "strict", "rounds": "1", "begins": "lot"}, 2)))
    lay, place = CaroLay("G", 5, 5), place_at(5, 5, SPANS[2])
    table, about = table_of(state, 0), CaroDescription()
    said = [about.move_said(encode_raw(move), table, ENGLISH) for move in (lay, Call(), Accept())]
    assert said == [f"grey on {place}", "", ""]
