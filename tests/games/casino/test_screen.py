"""Casino's table: the cases of screen.txt, and what is drawn at every size."""

from itertools import islice
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_games.casino.rules import CasinoState
from cartino_games.casino.table_rows import ways
from cartino_games.casino.views import Play
from cartino_protocol.views import SeatLine, TableLine
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.page import Reader
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.screens.page_drawing import PageDrawing, PageModel
from cartino_tui.visit.state import LobbyEntry
from tests.support.casino import (
    ALL_OPTIONS,
    DEFAULTS,
    GAME,
    LARGE,
    LOOKS,
    MIDDLE,
    SCREEN,
    SETTING,
    SMALL,
    Player,
    Table,
    build,
    position,
    random_game,
    table_of,
)
from tests.support.rules_script import cases
from tests.support.table_script import play

NINES = position("9H 2H 9S KD", "3D 4D 5D 6D", loose="3C 6D 9C 7C QD", pack="AD 2D 3S 4S 5S 6S 7S 8S")
"""The nine of hearts can take four cards; two on seven builds nine."""
OWNED = position("4H 9S 8D KS", "3D 8H QS JC", loose="5C QD", builds=[build("9:2H+7S", 0)], pack="AD 2D")
LAST = position(
    "QH",
    "",
    loose="QD 3C 4H",
    piles=("10D 2D 8C 9C JC KC", "2C AD AC 3S 5S"),
    taker=1,
)


def scored(state: CasinoState) -> CasinoState:
    table = Table(state)
    table.play("QHxQD")
    return table.state


def test_the_table_at_60_by_20_shows_cards_players_hand_and_moves(snapshot: SnapshotAssertion) -> None:
    assert Player(OWNED, 0, LOOKS[0]).text() == snapshot


def test_the_table_at_80_by_24_lists_the_plays_of_a_chosen_card(snapshot: SnapshotAssertion) -> None:
    assert Player(NINES).press("1").text() == snapshot


def test_chosen_cards_at_80_by_24_say_every_way_to_mean_them(snapshot: SnapshotAssertion) -> None:
    assert Player(NINES).press("2", "left", "right", "right", "right", "space").text() == snapshot


def test_the_table_at_120_by_40_has_large_cards(snapshot: SnapshotAssertion) -> None:
    assert Player(OWNED, 0, LOOKS[2]).text() == snapshot


def test_the_table_at_160_by_50_in_a_scored_deal_shows_its_points(snapshot: SnapshotAssertion) -> None:
    assert Player(scored(LAST), 0, LOOKS[3]).text() == snapshot


def test_in_ascii_at_60_by_20_the_points_stand_instead_of_the_players(snapshot: SnapshotAssertion) -> None:
    assert Player(scored(LAST), 0, LOOKS[4]).text() == snapshot


def test_cards_that_lie_face_down_are_seen_with_the_number_of_those_in_piles_and_pack() -> None:
    state = position("9H 2H", "3D 4D", piles=("AC 2C 3C", "5S"), loose="7C", pack=" ".join(["AD"] * 8))
    for you, hidden in ((0, 2), (None, 4)):
        player = Player(state, you, MIDDLE)
        runs = [
            (y, x, text)
            for y, row in enumerate(player.frame().rows)
            for x, (text, role) in enumerate(row)
            if role == "back"
        ]
        assert {text.strip() for _, _, text in runs} >= {"3", "1", "8"}
        lowest = max(y for y, _, _ in runs if y < 12)
        top, hand = ([text for y, _, text in runs if y == at] for at in (lowest, 33))
        assert len(top) == 4, "two cards, their pile, the pack"
        assert len(hand) == 1 + hidden - 2, "one's own pile, and a spectator's backs"
    assert any(role == "back" for row in Player(state, None).frame().rows for _, role in row)


def test_free_places_stay_where_they_are_when_cards_come() -> None:
    states = [
        position("9H 2H", "3D 4D", loose=loose) for loose in ("7C", "7C 8C 9C", "7C 8C 9C QD KD AD 2D 3D")
    ]
    assert len({Player(state, 0, LARGE).scene().row.boxes[0] for state in states}) == 1


def test_what_is_gone_is_chosen_no_longer() -> None:
    player = Player(NINES, 1).press("1", "space")
    table = Table(NINES)
    table.play("9Hx3C+6D,9C")
    after = SCREEN.update_pointer(player.table, GAME.view(table.state, 1), player.pointer)
    assert (after.card, after.chosen) == ("3D", ())
    assert SCREEN.update_pointer(player.table, GAME.view(NINES, 0), player.pointer).card == ""


def test_the_chosen_card_survives_a_reconnection() -> None:
    player = Player(NINES).press("2", "space")
    selection = SCREEN.encode_selection(player.pointer)
    assert selection == SCREEN.encode_selection(player.press("right").pointer)
    assert SCREEN.encode_selection(SCREEN.fresh()) == b""
    for raw, card in ((selection, "2H"), (b"\xc1", "")):
        found = SCREEN.restore_selection(player.table, player.view, SCREEN.fresh(), msgspec.Raw(raw))
        assert found.card == card


def test_the_end_has_a_result_page_and_a_table() -> None:
    *_, (over, _) = random_game(5, DEFAULTS, 2)
    player = Player(over, look=MIDDLE)
    assert "wins with" in player.text()
    assert " swp  deal  best  total" in player.text()
    assert "most clubs" in Player(over, look=LARGE).text()
    assert "Totals by deal" in player.press("tab").text()
    assert " swp  deal" not in player.text()
    first = scored(position("QH", "", loose="QD", piles=("10D", ""), totals=(20, 0)))
    player = Player(first, look=MIDDLE)
    assert "You win with" in player.text()
    assert "Totals by deal" in player.press("tab").text()


def test_there_is_a_hint_in_every_turn() -> None:
    for state, _ in islice(random_game(2, ALL_OPTIONS[3], 3), 40):
        (seat,) = GAME.on_turn(state)
        assert SCREEN.hint(table_of(state, seat), GAME.view(state, seat), SMALL).startswith("Hint: ")


def test_every_listed_play_is_judged_as_the_rules_judge_it() -> None:
    for state, _ in islice(random_game(9, DEFAULTS, 4), 0, 90, 3):
        (seat,) = GAME.on_turn(state)
        view = GAME.view(state, seat)
        for card in view.hand:
            for move, rule in ways(view, card, ()):
                assert isinstance(move, Play)
                refusal = GAME.check(state, seat, move)
                assert rule == (None if refusal is None else refusal.detail)


def test_a_narrow_column_of_the_lobby_has_the_short_title_and_a_wide_one_the_whole() -> None:
    line = TableLine("K7QP", "casino", {}, (SeatLine("Ann", "human"),), 0, "open")
    view, reader = TablesView((LobbyEntry(line),), "Ann"), Reader(games={"casino": SCREEN})
    for width in (80, 120):
        frame = PageDrawing(TABLES_PAGE, PageModel(view), Look(width, 24), reader).frame(())
        row = frame.text().split("\n")[4]
        assert ("Casino (card game) " if width == 120 else "Casino        ") in row


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("screen.txt")))
def test_screen(case: list[str]) -> None:
    play(SETTING, case)
