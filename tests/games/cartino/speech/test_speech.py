"""A Cartino table in sentences: the cases of speech.txt, and that every lay can be typed."""

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from cartino_games.cartino.board import BOARDS, JOKER, Edition
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.state import RECENT
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_games.kit.spoken import find_new_events
from cartino_tui.i18n import ENGLISH
from tests.support.cartino import Table, position, random_game
from tests.support.cartino_table import SETTING, table_of, view_of
from tests.support.rules_script import cases
from tests.support.table_script import play

VOICE = CartinoSpeech()


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_what_is_new_is_what_was_not_there_before(edition: Edition) -> None:
    views = [view_of(table_of(state, None)) for state, _ in random_game(3, edition, 3)]
    for before, after in pairwise(views):
        events, missed = find_new_events(before.recent, after.recent)
        assert events
        assert not missed
        assert (*before.recent, *events)[-RECENT:] == after.recent
    first, last = views[1], views[-1]
    events, missed = find_new_events(first.recent, last.recent)
    assert missed
    assert events == last.recent


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_every_lay_can_be_typed_in_every_way(edition: Edition) -> None:
    for state, _ in random_game(5, edition, 2):
        if state.settlement is not None:
            break
        table = table_of(state, state.seat)
        view = view_of(table)
        for lay in view.lays:
            wanted = Lay(lay.stone, lay.spot)
            word = (JOKER if lay.stone == JOKER else "") + lay.spot
            assert VOICE.move(word) == wanted
            for typed in (word, word.lower()):
                assert VOICE.enter(table, view, VOICE.fresh(), typed, ENGLISH).move == wanted
        offered = VOICE.legal(view)
        assert [word for word, _ in offered if word == "end"] == (["end"] if view.can_end else [])
        assert len([word for word, _ in offered if word != "end"]) == len(view.lays)


def test_hands_stay_hidden_until_a_daily_games_day_is_over() -> None:
    game_table = Table(position("7S 8S 9S 10S JS", "AH *", bag=""))
    game_table.lay("7Su", "8Su", "9Su", "10Su", "JSu")
    table = table_of(game_table.state, 1)
    sealed = msgspec.structs.replace(view_of(table), hands=())
    assert VOICE.standing(table, sealed, ENGLISH)[3] == (
        "Léa: minus 11 points in total, after losing 11 points for the stones in hand. For stones laid: 0 points."
    )
    assert VOICE.only_ends(EndTurn())
    assert not VOICE.only_ends(Lay("KS", "KSu"))


def test_the_picture_is_narrow_and_ascii() -> None:
    for edition in BOARDS:
        table = table_of(position("KS", "9D", edition=edition), None)
        for line in VOICE.picture(table, view_of(table), ENGLISH):
            assert line.isascii()
            assert len(line) <= 80


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("speech.txt")))
def test_said(case: list[str]) -> None:
    play(SETTING, case)
