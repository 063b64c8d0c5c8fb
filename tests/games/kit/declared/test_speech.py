"""Declared tables in sentences: the cases of speech.txt, boards, and texts that others sent."""

from pathlib import Path

import msgspec
import pytest

from cartino_crazy_eights import PACKAGE, CrazyEights
from cartino_games.kit.declared.description import Sayer
from cartino_games.kit.declared.package import generic_package
from cartino_games.kit.spoken import NothingHeld
from cartino_protocol.base import Audience
from cartino_protocol.declared import Card, DeclaredView, Player, Text, count, say
from cartino_protocol.views import TableView
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.declared import SETTING, LowestBid, of_eights, position
from tests.support.rules_script import cases
from tests.support.table_script import play

GAME = CrazyEights()
SPEECH = PACKAGE.speech
START = of_eights(("7C 8H", "KS"), "9D 7D")


def seen(you: Audience, state: object = START) -> tuple[TableView, DeclaredView]:
    table = position(GAME, state, you)
    view = SPEECH.read(table.game_view)
    assert isinstance(view, DeclaredView)
    return table, view


def test_what_was_missed_is_owned_up_to() -> None:
    table, view = seen(0)
    after = msgspec.structs.replace(view, log=(say("Later."),), logged=9)
    assert SPEECH.describe_events(table, view, after, ENGLISH) == (
        "More moves were made meanwhile; here are the latest.",
        "Later.",
    )


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


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("speech.txt")))
def test_said(case: list[str]) -> None:
    play(SETTING, case)
