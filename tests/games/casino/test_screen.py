"""Casino's table on the screen: what is drawn at every size, what keys and clicks do, what can't be done and why."""

from itertools import islice

import msgspec
import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from cartino_games.casino.rules import CasinoState
from cartino_games.casino.table_rows import ways
from cartino_games.casino.typing_moves import write
from cartino_games.casino.views import Play
from cartino_protocol.views import SeatLine, TableLine
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import translator_for
from cartino_tui.pages.page import Reader
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.screens.page_drawing import PageModel, draw_page
from cartino_tui.visit.state import LobbyEntry
from tests.support.casino import ALL_OPTIONS, DEFAULTS, GAME, Table, build, position, random_game
from tests.support.casino_table import AROUND, LARGE, LEAST, LOOKS, MIDDLE, SCREEN, SMALL, Player, table_of
from tests.support.sizes import with_seats
from tests.support.window import blank_share

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


def whole(player: Player) -> None:
    """The frame has the size of the terminal, whatever is on it."""
    rows = player.text().split("\n")
    assert len(rows) == player.look.height
    assert all(len(row) <= player.look.width for row in rows)


@pytest.mark.parametrize("language", ["fr", "de"])
def test_it_is_drawn_in_every_language(language: str) -> None:
    look = Look(60, 20, translator=translator_for(language), letters=language)  # type: ignore[arg-type]
    for state in (NINES, OWNED, scored(LAST)):
        whole(Player(state, 0, look).press("1"))


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


@pytest.mark.parametrize("look", [MIDDLE, LARGE])
@with_seats
def test_a_large_terminal_is_used_in_the_middle_of_a_game(look: Look, seats: int) -> None:
    states = [state for state, _ in random_game(seats, DEFAULTS, seats)]
    for state in states[8 : len(states) - 8 : 9]:
        for you, keys in ((state.table.on_turn, ()), (state.table.on_turn, ("1",)), (None, ())):
            player = Player(state, you, look).press(*keys)
            assert blank_share(player.frame()) <= 0.4


def test_the_points_of_a_deal_are_shown_until_somebody_plays() -> None:
    state = scored(LAST)
    assert "Deal 1 " in Player(state).text()
    table = Table(state)
    (seat,) = GAME.on_turn(state)
    table.play(state.hands[seat][0])
    assert "most clubs" not in Player(table.state).text()


def test_the_points_of_a_deal_stay_beside_a_large_table() -> None:
    table = Table(scored(LAST))
    table.play(table.state.hands[1][0])
    assert "most clubs" in Player(table.state, None, MIDDLE).text()
    assert "most clubs" not in Player(NINES, None, MIDDLE).text()


def test_last_plays_are_those_of_this_deal() -> None:
    rows = Player(scored(LAST), None, MIDDLE).rows()
    assert not any("Q♥ x Q♦" in row for row in rows)
    assert any("Ann takes Q♦ with Q♥." in row for row in rows)


def test_an_empty_table_says_so() -> None:
    state = position("9H 2H", "3D 4D", pack="AD 2D")
    assert "The table is empty." in Player(state).text()
    assert "The table is empty." not in Player(NINES).text()


def test_large_cards_substitute_the_middle_and_are_clicked_there() -> None:
    for look in (MIDDLE, LARGE):
        player = Player(NINES, 0, look).click("2♥")
        assert player.pointer.card == "2H"
        left = player.rows()[look.height // 2].index("▐")
        assert min(box.x for box in player.scene().row.boxes) > left + 1
        assert player.click("7♣").pointer.chosen == ("7C",)


def column(player: Player) -> str:
    """The log beside the mat."""
    box = player.scene().plan.moves
    return "\n".join(row[box.x - 1 :] for row in player.rows()[box.y - 1 : box.y + box.height])


def test_what_happened_since_ones_own_play_is_marked_with_a_substitutes_play() -> None:
    table = Table(NINES)
    table.play("9Hx3C+6D,9C", "3D")
    player = Player(table.state, 0, MIDDLE)
    assert "▌Since your turn" in column(player)
    assert "▌Bartholomew XVI. trails 3♦" in column(player)
    assert " Ann takes" in column(player)
    seats = player.table.seats
    player.table = replace(player.table, seats=(replace(seats[0], substituted=True), *seats[1:]))
    assert "▌Ann (substitute) takes" in column(player)
    assert "▌Bartholomew XVI. trails 3♦" in column(player)
    assert "Since your turn: Bartholomew XVI. trails 3♦." in Player(table.state).text()
    assert "Since your turn" not in Player(table.state, None).text()


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


def test_hints_and_status_name_no_more_keys_than_there_are_cards() -> None:
    for hand, keys in (("9H 2H 3H", "1-3"), ("9H", "1")):
        rows = Player(position(hand, "3D 4D", loose="7C")).rows()
        assert rows[-1].startswith(f" {keys} card")
        assert f"choose a card with {keys}, or click it." in rows[-2]


def test_at_60_by_20_an_answer_takes_one_line_and_talk_stays_among_the_hints() -> None:
    rows = Player(NINES, 0, LEAST).press("enter").rows()
    assert rows[-2].startswith(" Choose a card first")
    assert "t talk" in rows[-1]


def test_hints_are_those_of_what_can_be_done_now() -> None:
    before, chosen = Player(NINES, 0, LARGE).rows()[-1], Player(NINES, 0, LARGE).press("1").rows()[-1]
    assert "1-4 card" in before
    assert "Enter" not in before
    for hint in ("Enter play", "1-9 other move", "←→ table", "Space choose", "Tab next card", "Esc back"):
        assert hint in chosen
    player = Player(NINES)
    assert [key for key, _ in SCREEN.keys_now(player.table, player.view, player.pointer)] == [
        "1-4",
        "Tab",
        "click",
    ]
    keys = dict(SCREEN.keys_now(player.table, player.view, player.press("1").pointer))
    assert "1-4" not in keys
    assert {"1-9", "Enter", "Space", "Tab", "Esc Backspace"} <= set(keys)
    assert player.click("Esc back").pointer.card == ""


@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE])
def test_the_log_is_in_sight_while_others_are_on_turn(look: Look) -> None:
    table = Table(NINES)
    table.play("9Hx3C+6D,9C")
    mine, theirs = (Player(table.state, you, look).press("1").text() for you in (1, 0))
    assert "Ann takes" in theirs
    assert ("Ann takes" in mine) == (look != SMALL), "beside the mat there is room for both"
    assert "►1 " in theirs
    assert "►1 " in mine


def test_the_last_hand_is_announced() -> None:
    assert "last hand" in Player(LAST).rows()[0]
    assert "pack 8" in Player(NINES).rows()[0]


def test_every_player_has_counts_and_a_last_play() -> None:
    table = Table(NINES)
    table.play("9Hx3C+6D,9C")
    text = Player(table.state).text()
    assert "hand 3 pile 4" in text
    assert "9♥ x 3♣ 6♦ 9♣" in text


def test_a_locked_build_says_so_and_shows_its_owner() -> None:
    state = position(
        "9H KD", "9S 8S", loose="QD", builds=[build("9:2H+7C+9D", 1, multiple=True)], pack="AD 2D"
    )
    text = Player(state).text()
    assert "9▼#" in text
    assert "9 by Bartholomew XVI., locked: 2♥ 7♣ 9♦" in text


def test_digits_choose_a_card_then_mark_a_play_and_enter_makes_it() -> None:
    player = Player(NINES).press("1")
    assert "►1 take 3♣ 6♦ 9♣" in player.text()
    assert "4 cards, ♣ 2" in player.text()
    player.press("2", "enter")
    assert isinstance(player.move, Play)
    assert write(player.move) != "9Hx9C,6D+3C"
    assert GAME.check(NINES, 0, player.move) is None


def test_table_cards_are_chosen_with_arrows_and_space() -> None:
    player = Player(NINES).press("2", "right", "left", "left", "space")
    assert player.pointer.chosen == ("7C",)
    assert "build 9 on 7♣" in player.text()
    assert "take 7♣: Those cards don't add up to that value." in player.text()
    assert player.press("enter").move == Play("2H", "build", 9, ("7C",))


def test_a_refused_play_says_why_and_is_not_made() -> None:
    player = Player(OWNED).press("3", "enter")
    assert player.move is None
    assert player.status == "While you own a build, you can only capture, raise it or add to it."
    assert player.status in player.text()


def test_escape_drops_the_table_cards_then_the_card() -> None:
    player = Player(NINES).press("2", "space")
    assert player.pointer.chosen == ("3C",)
    assert player.press("escape").pointer.chosen == ()
    assert player.pointer.card == "2H"
    assert player.press("escape").pointer == SCREEN.fresh()


def test_tab_goes_round_the_hand() -> None:
    player = Player(NINES)
    assert [player.press("tab").pointer.card for _ in range(5)] == ["9H", "2H", "9S", "KD", "9H"]


def test_clicks_choose_mark_and_play() -> None:
    player = Player(NINES).click("9♥")
    assert player.pointer.card == "9H"
    player.click("2 take")
    assert player.pointer.at == 1
    player.click("9♥")
    assert player.pointer.card == ""
    player.click("2♥").click("7♣")
    assert player.pointer.chosen == ("7C",)
    assert player.click("build 9 on").move == Play("2H", "build", 9, ("7C",))


def test_a_click_on_a_hint_presses_its_key() -> None:
    assert Player(NINES).press("1").click("Enter play").move == Play("9H", "capture", 9, ("3C", "6D", "9C"))


def test_who_is_not_on_turn_may_look_but_not_play() -> None:
    player = Player(NINES, 1).press("1", "enter")
    assert player.move is None
    assert player.status == "It's Ann's turn."
    spectator = Player(NINES, None).press("1")
    assert spectator.pointer == SCREEN.fresh()
    assert spectator.status


def test_keys_before_a_card_is_chosen_ask_for_one() -> None:
    for key in ("enter", "space", "left", "down"):
        assert "Choose a card first" in Player(NINES).press(key).status
    assert "Choose a card first" in Player(LAST).press("4").status


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
    restored_selection = SCREEN.restore_selection(
        player.table, player.view, SCREEN.fresh(), msgspec.Raw(selection)
    )
    assert restored_selection.card == "2H"
    assert (
        SCREEN.restore_selection(player.table, player.view, SCREEN.fresh(), msgspec.Raw(b"\xc1"))
        == SCREEN.fresh()
    )
    assert SCREEN.encode_selection(SCREEN.fresh()) == b""


def test_the_end_has_a_result_page_and_a_table() -> None:
    states = [state for state, _ in random_game(5, DEFAULTS, 2)]
    player = Player(states[-1], look=MIDDLE)
    assert "wins with" in player.text()
    assert " swp  deal  best  total" in player.text()
    assert "most clubs" in Player(states[-1], look=LARGE).text()
    assert "Totals by deal" in player.press("tab").text()
    assert " swp  deal" not in player.text()


def test_a_game_that_ends_in_its_first_deal_has_a_chart_too() -> None:
    player = Player(scored(position("QH", "", loose="QD", piles=("10D", ""), totals=(20, 0))), look=MIDDLE)
    assert "You win with" in player.text()
    whole(player.press("tab"))


def test_piles_are_shown_once_the_deal_is_scored_and_never_before() -> None:
    player = Player(NINES)
    assert SCREEN.why(player.table, player.view, player.pointer, SMALL, 0) == ""
    state = scored(LAST)
    piles = SCREEN.why(table_of(state, None), GAME.view(state, None), player.pointer, SMALL, 0)
    assert "Ann: 10♦ 2♦ 8♣ 9♣ J♣ K♣ Q♥ Q♦ 3♣ 4♥" in piles


def test_a_hint_is_a_play_that_is_allowed() -> None:
    for state, _ in islice(random_game(2, ALL_OPTIONS[3], 3), 40):
        (seat,) = GAME.on_turn(state)
        said = SCREEN.hint(table_of(state, seat), GAME.view(state, seat), SMALL)
        assert said.startswith("Hint: ")
    assert SCREEN.hint(table_of(NINES, 1), GAME.view(NINES, 1), SMALL) == ""


def test_every_listed_play_is_judged_as_the_rules_judge_it() -> None:
    for state, _ in islice(random_game(9, DEFAULTS, 4), 0, 90, 3):
        (seat,) = GAME.on_turn(state)
        view = GAME.view(state, seat)
        for card in view.hand:
            for move, rule in ways(view, card, ()):
                assert isinstance(move, Play)
                refusal = GAME.check(state, seat, move)
                assert rule == (None if refusal is None else refusal.detail)


def test_chat_and_hints_stand_where_they_stand_at_every_table() -> None:
    rows = Player(NINES).rows()
    assert rows[0].startswith(" ♠♥♦♣ Casino (card game) · K7QP")
    assert rows[-1].endswith("? help  q leave")
    assert any("good luck" in row for row in rows)
    assert AROUND.said


def test_a_narrow_column_of_the_lobby_has_the_short_title_and_a_wide_one_the_whole() -> None:
    line = TableLine("K7QP", "casino", {}, (SeatLine("Ann", "human"),), 0, "open")
    view, reader = TablesView((LobbyEntry(line),), "Ann"), Reader(games={"casino": SCREEN})
    for width in (80, 120):
        frame = draw_page(TABLES_PAGE, PageModel(view), Look(width, 24), reader, ())
        row = frame.text().split("\n")[4]
        assert ("Casino (card game) " if width == 120 else "Casino        ") in row
