"""Caro in sentences: a whole game by typed lines alone, and what a line means."""

import random

import pytest

from cartino_engine.port import Step
from cartino_games.caro.description import CaroDescription
from cartino_games.caro.rules.table import FULL, CaroState
from cartino_games.caro.speech import LATEST, CaroSpeech
from cartino_games.caro.views import SPANS, Accept, Call, CaroLay, place_at
from cartino_games.kit.spoken import NothingHeld
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.speech import LineReaction
from cartino_tui.i18n import ENGLISH, LANGUAGES, Language, translator_for
from cartino_tui.plain.shell import turn_lines as told_of
from tests.support.caro import GAME, Sitting, position, random_game
from tests.support.caro_table import table_of

SPEECH = CaroSpeech()


def heard(
    state: CaroState, seat: int | None, text: str, language: Language = "en"
) -> LineReaction[NothingHeld]:
    return SPEECH.enter(
        table_of(state, seat), GAME.view(state, seat), SPEECH.fresh(), text, translator_for(language)
    )


def sinned() -> CaroState:
    sitting = Sitting(position("RB", FULL, FULL, FULL, honour=True))
    sitting.play((0, "B2,0"))
    return sitting.state


@pytest.mark.parametrize("referee", ["strict", "honour"])
@pytest.mark.parametrize("seats", [2, 4])
def test_a_whole_game_is_played_by_speech_alone(referee: str, seats: int) -> None:
    """Everybody types the number of a move that was read out; every move is told, and the end names the winner."""
    dice = random.Random(seats)
    options = {"referee": referee, "rounds": "2", "begins": "lot"}
    state = next(iter(random_game(3, options, seats)))[0]
    told: list[str] = []
    while turn := GAME.on_turn(state):
        seat = dice.choice(turn)
        before, table = GAME.view(state, None), table_of(state, seat)
        offered = SPEECH.legal(GAME.view(state, seat))
        standing = SPEECH.standing(table, GAME.view(state, seat), ENGLISH)
        assert standing[0] == "Your turn."
        word = dice.choice(offered)[0]
        said = heard(state, seat, str([each for each, _ in offered].index(word) + 1))
        assert said.move == SPEECH.move(word, GAME.view(state, seat))
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


def test_what_a_typed_line_means() -> None:
    state = position("RB")
    assert heard(state, 0, "Rg7").move == heard(state, 0, "rG7").move == CaroLay("R", 1, 1)
    assert heard(state, 0, "call").move == Call()
    assert heard(state, 0, "ACCEPT").move == Accept()
    for text in ("R", "x", "0", "99", "Rz1", "hello there"):
        assert not heard(state, 0, text).taken
    assert heard(state, 0, "board").lines == ("f6 red, g6 black.",)
    assert heard(position(""), 0, "board").lines == ("The board is still empty.",)
    assert heard(state, 0, "scores").lines[0] == "Ann: 0 points, 3 red, 3 black, 3 grey, 3 white."
    assert heard(state, 0, "moves").lines == ("Nothing has happened yet.",)
    assert heard(state, 0, "turn").lines[0] == "Your turn."
    assert len(heard(state, 0, "choices").lines) == len(GAME.view(state, 0).lays)
    assert heard(state, 1, "choices").lines == ("It's Ann's turn.",)


def test_the_best_lays_are_read_out_with_their_numbers() -> None:
    state = position("R.R .W.")
    lines = SPEECH.standing(table_of(state, 0), GAME.view(state, 0), ENGLISH)
    assert lines[:2] == ("Your turn.", "1: black on g6 (Bg6), 22 points.")
    assert len(lines) == 6


def test_the_board_is_a_picture_of_letters() -> None:
    state = position("RB G.", FULL, FULL, FULL)
    assert SPEECH.picture(table_of(state, None), GAME.view(state, None), ENGLISH) == (
        "   f g h i",
        " 6 . . . .",
        " 7 . R B .",
        " 8 . G . .",
        " 9 . . . .",
    )


def test_calls_are_told_and_asked_for() -> None:
    state = sinned()
    assert "You can call the last move." in SPEECH.standing(table_of(state, 2), GAME.view(state, 2), ENGLISH)
    sitting = Sitting(state)
    sitting.play((2, "call"))
    after = sitting.state
    told = SPEECH.describe_events(
        table_of(after, None), GAME.view(state, None), GAME.view(after, None), ENGLISH
    )
    assert told == (
        "Léa calls Ann's move, and is right.",
        "Ann takes back the caro on i7 and loses 0 points.",
        "Rule 1: no caro may lie next to one of its own colour.",
    )
    assert (
        SPEECH.standing(table_of(after, 0), GAME.view(after, 0), ENGLISH)[1]
        == "Lay black again, this time by the rules."
    )
    sitting.play((0, "B0,1"))
    again = SPEECH.describe_last_action(table_of(sitting.state, 0), GAME.view(sitting.state, 0), ENGLISH)
    assert again == "Ann lays again: black on g8, 10 points; being caught costs 10."
    closing = Sitting(position("R", "B", "", honour=True))
    closing.play((0, "B1,0"))
    asked = SPEECH.standing(table_of(closing.state, 1), GAME.view(closing.state, 1), ENGLISH)
    assert asked == ("Your turn.", "Last move of the round: call it or accept it.", "1: call.", "2: accept.")
    german = SPEECH.standing(table_of(closing.state, 1), GAME.view(closing.state, 1), translator_for("de"))
    assert german[2:] == ("1: beanstanden (call).", "2: gelten lassen (accept).")
    sinner = SPEECH.standing(table_of(closing.state, 0), GAME.view(closing.state, 0), ENGLISH)
    assert sinner == ("It's Bartholomew XVI.'s turn.", "The last move of the round can be called.")


def test_a_shell_is_told_first_that_a_call_is_open() -> None:
    sin = sinned()
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


def test_titles_tell_one_kind_of_game_from_another() -> None:
    titles = {
        SPEECH.title_of({"referee": referee, "rounds": rounds}, ENGLISH)
        for referee in ("strict", "honour")
        for rounds in "1234"
    }
    assert len(titles) == 8
    assert {"Caro", "Caro, honour system", "Caro, 2 rounds", "Caro, honour system, 3 rounds"} <= titles


@pytest.mark.parametrize(
    ("language", "typed", "colour"),
    [
        ("fr", "Nf6", "B"),
        ("fr", "bf6", "W"),
        ("fr", "Wf6", "W"),
        ("de", "Sf6", "B"),
        ("de", "Bf6", "B"),
        ("en", "Bf6", "B"),
    ],
)
def test_colours_have_the_letters_of_the_language(language: Language, typed: str, colour: str) -> None:
    """English letters that mean nothing else there are read, too."""
    state = next(iter(random_game(3, {"referee": "strict", "rounds": "1", "begins": "opener"}, 2)))[0]
    move = heard(state, 0, typed, language).move
    assert isinstance(move, CaroLay)
    assert move.colour == colour
    assert SPEECH.typed_move(typed, GAME.view(state, 0), translator_for(language)) == move


@pytest.mark.parametrize("language", LANGUAGES)
def test_moves_that_are_read_out_can_be_typed(language: Language) -> None:
    state = next(iter(random_game(3, {"referee": "strict", "rounds": "1", "begins": "opener"}, 2)))[0]
    view = GAME.view(state, 0)
    for word, _ in SPEECH.legal(view):
        typed = SPEECH.shown_move(word, translator_for(language))
        assert SPEECH.typed_move(typed, view, translator_for(language)) == SPEECH.move(word, view)


@pytest.mark.parametrize(("language", "letters"), [("en", "R B W"), ("fr", "R N B"), ("de", "R S W")])
def test_the_table_and_the_hint_have_the_letters_of_the_language(language: Language, letters: str) -> None:
    translator, view = translator_for(language), GAME.view(position("RBW", "BRRR", FULL), 0)
    rows = SPEECH.picture(table_of(position("RBW"), 0), view, translator)
    assert any(letters in row for row in rows)
    hint = " ".join(SPEECH.hint(table_of(position("RBW", "BRRR", FULL), 0), view, translator))
    assert f" {letters.split()[1]}" in hint


def test_the_moves_of_a_review_are_told_by_colour_and_field() -> None:
    state, _ = next(iter(random_game(3, {"referee": "strict", "rounds": "1", "begins": "lot"}, 2)))
    lay, place = CaroLay("G", 5, 5), place_at(5, 5, SPANS[2])
    table, about = table_of(state, 0), CaroDescription()
    said = [about.move_said(encode_raw(move), table, ENGLISH) for move in (lay, Call(), Accept())]
    assert said == [f"grey on {place}", "", ""]
