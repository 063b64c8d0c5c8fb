"""Declared tables in sentences: what a listener hears of them and types at them."""

import msgspec
import pytest

from cartino_crazy_eights import PACKAGE, CrazyEights
from cartino_engine.port import Step
from cartino_games.kit.declared.description import Sayer
from cartino_games.kit.declared.package import generic_package
from cartino_games.kit.spoken import NothingHeld
from cartino_protocol.base import Audience
from cartino_protocol.declared import Card, Choose, DeclaredView, Player, Text, count, say
from cartino_protocol.views import TableView
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.declared import LowestBid, of_eights, position

GAME = CrazyEights()
SPEECH = PACKAGE.speech
START = of_eights(("7C 8H", "KS"), "9D 7D")


def seen(you: Audience, state: object = START) -> tuple[TableView, DeclaredView]:
    table = position(GAME, state, you)
    view = SPEECH.read(table.game_view)
    assert isinstance(view, DeclaredView)
    return table, view


def test_a_table_is_told_to_who_has_just_come() -> None:
    assert SPEECH.describe_table(*seen(0), ENGLISH) == (
        "Ann: 0 points, 2 cards.",
        "Bob: 0 points, 1 card.",
        "Ann's hand: the 7 of clubs, the 8 of hearts.",
        "Table, diamonds: stock 3 cards, pile 2 cards with the 7 of diamonds on top.",
    )


def test_the_choices_are_told_with_their_words_to_whose_turn_it_is() -> None:
    assert SPEECH.standing(*seen(0), ENGLISH) == (
        "Your turn.",
        "Play diamonds, the same rank or an eight.",
        "1: Play the 7 of clubs (7C)",
        "2: Play the 8 of hearts and name diamonds (8H-D)",
        "3: Play the 8 of hearts and name hearts (8H-H)",
        "4: Play the 8 of hearts and name spades (8H-S)",
        "5: Play the 8 of hearts and name clubs (8H-C)",
    )
    assert SPEECH.standing(*seen(1), ENGLISH)[0] == "It's Ann's turn."


def test_what_happened_is_told_once_and_the_end_with_the_winner() -> None:
    _, before = seen(0)
    step = GAME.apply(of_eights(("7C", "KS 8H"), "9D 7D"), 0, Choose("7C"))
    assert isinstance(step, Step)
    table, after = seen(0, step.state)
    assert SPEECH.describe_events(table, before, after, ENGLISH) == ("Ann plays the 7 of clubs.",)
    assert SPEECH.describe_events(table, after, after, ENGLISH) == ()
    assert SPEECH.standing(table, after, ENGLISH) == (
        "The game is over. You win with 60 points.",
        "Ann: 60 points in total.",
        "Bob: 0 points in total.",
    )


def test_what_was_missed_is_owned_up_to() -> None:
    table, view = seen(0)
    after = msgspec.structs.replace(view, log=(say("Later."),), logged=9)
    assert SPEECH.describe_events(table, view, after, ENGLISH) == (
        "More moves were made meanwhile; here are the latest.",
        "Later.",
    )


@pytest.mark.parametrize(
    ("typed", "move"),
    [("1", Choose("7C")), ("5", Choose("8H-C")), ("7c", Choose("7C")), ("6", None), ("choices", None)],
)
def test_a_choice_is_made_by_its_number_or_word(typed: str, move: Choose | None) -> None:
    heard = SPEECH.enter(*seen(0), NothingHeld(), typed, ENGLISH)
    assert (heard.taken, heard.move) == (True, move)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("board", "Ann's hand: the 7 of clubs, the 8 of hearts."),
        ("scores", "Ann: 0 points, 2 cards."),
        ("moves", "Nothing has happened yet."),
        ("turn", "Your turn."),
        ("choices", "1: Play the 7 of clubs (7C)"),
        ("9", "There are 5 choices; type a number from 1 to 5."),
    ],
)
def test_questions_are_answered(typed: str, first: str) -> None:
    assert SPEECH.enter(*seen(0), NothingHeld(), typed, ENGLISH).lines[0] == first


def test_who_is_not_on_turn_can_choose_nothing_and_other_words_are_the_frame_s() -> None:
    heard = SPEECH.enter(*seen(1), NothingHeld(), "1", ENGLISH)
    assert (heard.move, heard.lines) == (None, ("It's Ann's turn.",))
    assert not SPEECH.enter(*seen(1), NothingHeld(), "say hello", ENGLISH).taken
    assert not SPEECH.enter(*seen(0), NothingHeld(), "0", ENGLISH).taken


def test_words_of_a_command_line() -> None:
    assert SPEECH.move("8H-D") == Choose("8H-D")
    assert SPEECH.move("7") is SPEECH.move("board") is SPEECH.move("a b") is None
    assert SPEECH.legal(seen(0)[1])[0] == ("7C", 0)
    assert "1: Play the 7 of clubs (7C)" in SPEECH.own(*seen(0), ENGLISH)


def test_a_board_is_told_by_rows_and_pictured() -> None:
    game = LowestBid()
    speech = generic_package(game).speech
    table = position(game, game.start({}, ("Ann", "Bob"), START.chance).state, 0)
    view = speech.read(table.game_view)
    told = speech.enter(table, view, NothingHeld(), "board", ENGLISH).lines
    assert told == ("Board, row 1: a L, b H.", "Board, row 2: a Ann.")
    assert speech.picture(table, view, ENGLISH) == ("Board", "  a b", "1 L H", "2 o .")
    assert speech.standing(table, view, ENGLISH)[2] == "1: Bid low (1 point)"


def test_texts_that_others_sent_steer_nothing() -> None:
    sayer = Sayer(ENGLISH, position(GAME, START, 0))
    assert (
        sayer.text(Text("{a:>99999999999}{a.real}\x1b[2J{b}", {"a": 1})) == "{a:>99999999999}{a.real}[2J{b}"
    )
    assert sayer.text(say("{who}: {card}", who=Player(9), card=Card("W4", "wild\x07"))) == "player 10: wild"
    assert sayer.text(Text("")) == ""


def test_texts_are_said_in_the_reader_s_language_where_a_catalogue_has_them() -> None:
    sayer = Sayer(translator_for("de"), position(GAME, START, 0))
    assert sayer.text(count("{n} card", "{n} cards", 2)) == "2 Karten"
    assert (
        sayer.text(say("Nobody has said this: {card}.", card=Card("KS")))
        == "Nobody has said this: Pik-König."
    )
