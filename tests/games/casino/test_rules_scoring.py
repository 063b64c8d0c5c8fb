"""Dealing, what a deal scores, and how the game ends (rules, top and Scoring a deal)."""

import msgspec
import pytest

from cartino_engine.chance import GivenOrder
from cartino_games.casino.cards import CARDS
from cartino_games.casino.views import CasinoDealLine, DealScoreLine, LeftLine
from tests.support.casino import ALL_OPTIONS, DEFAULTS, GAME, NAMES, Table, build, order_of, position


def scored(state: Table) -> DealScoreLine:
    (line,) = [line for line in state.lines if isinstance(line, DealScoreLine)]
    return line


def last_play(*piles: str, hand: str = "9H", loose: str = "9D", play: str = "9Hx9D", **more: object) -> Table:
    """A deal that ends with `play` of seat 0."""
    at = Table(position(hand, *[""] * (len(piles) - 1), loose=loose, piles=piles, **more))  # type: ignore[arg-type]
    at.play(play)
    return at


# -- dealing


@pytest.mark.parametrize(("seats", "hands"), [(2, 6), (3, 4), (4, 3)])
def test_cards_come_two_at_a_time_from_the_dealers_left_and_then_to_the_table(seats: int, hands: int) -> None:
    at = Table(GAME.start(DEFAULTS, NAMES[:seats], GivenOrder(range(52), range(52))).state)
    first = GAME.start(DEFAULTS, NAMES[:seats], GivenOrder(range(52))).lines[0]
    assert isinstance(first, CasinoDealLine)
    half = 2 * seats + 2
    for seat in range(seats):
        assert first.hands[seat] == (
            *CARDS[2 * seat : 2 * seat + 2],
            *CARDS[half + 2 * seat : half + 2 * seat + 2],
        )
    assert first.table == (*CARDS[half - 2 : half], *CARDS[2 * half - 2 : 2 * half])
    assert (first.dealer, first.hand, first.last) == (seats - 1, 0, False)
    for hand in range(1, hands):
        before = at.state.table
        assert GAME.on_turn(at.state) == ((hand - 1) % seats,), "each hand is begun by the next player round"
        while at.state.table.hand_number == before.hand_number:
            (seat,) = GAME.on_turn(at.state)
            at.play(at.state.hands[seat][0])
        line = at.lines[-1]
        assert isinstance(line, CasinoDealLine)
        start = 4 + 4 * seats * hand
        assert line.hands[0] == (*CARDS[start : start + 2], *CARDS[start + 2 * seats : start + 2 * seats + 2])
        assert (line.hand, line.table, line.last) == (hand, (), hand == hands - 1)
        assert (GAME.view(at.state, None).pack == 0) == line.last


def test_the_deal_passes_to_the_left_and_has_a_pack_of_its_own() -> None:
    order = order_of("KS QS")
    at = last_play("", "", "", totals=(3, 0, 0), next_order=order)
    line = at.lines[-1]
    assert isinstance(line, CasinoDealLine)
    assert (line.deal, line.dealer, line.hands[1][:2]) == (1, 0, ("KS", "QS"))
    assert GAME.on_turn(at.state) == (1,)
    assert GAME.view(at.state, None).loose == line.table


# -- scoring


def test_each_thing_scores_what_the_rules_say() -> None:
    pile = "AD AH AS AC 10D 2C 3C 4C 6C 7C KC"
    line = scored(last_play(pile, "2D", sweeps=(1, 0), loose="9D KD"))
    assert (line.suit, line.cards, line.big, line.little) == ((2, 0), (1, 0), (2, 0), (1, 0))
    assert (line.aces, line.last, line.sweeps) == ((4, 0), (1, 0), (1, 0))
    assert line.points == line.total == (12, 0)


def test_a_tie_for_most_cards_or_most_of_the_suit_is_nobodys() -> None:
    line = scored(last_play("3C", "4C 6H 7H", hand="9H", loose="9D"))
    assert (line.suit, line.cards) == ((0, 0), (0, 0))
    # A third seat with fewer changes nothing, one with more has it all.
    assert scored(last_play("3C", "4C 6H 7H", "6D")).cards == (0, 0, 0)
    assert scored(last_play("3C", "4C 6H 7H", "6D 7D 8D 6S")).cards == (0, 0, 1)


def test_the_special_suit_scores_for_most_cards_and_for_its_two() -> None:
    piles = ("2S 3S", "2C 3C 4C")
    assert scored(last_play(*piles)).suit == (0, 2)
    assert scored(last_play(*piles)).little == (0, 1)
    spades = last_play(*piles, special_suit="spades")
    assert (scored(spades).suit, scored(spades).little) == ((2, 0), (1, 0))


@pytest.mark.parametrize(("cancel", "expected"), [("on", (0, 2, 1)), ("off", (1, 3, 2))])
def test_the_fewest_sweeps_of_any_player_are_taken_off_everybodys(
    cancel: str, expected: tuple[int, ...]
) -> None:
    at = last_play("", "", "", sweeps=(1, 3, 2), loose="9D KS", sweeps_cancel=cancel)
    assert scored(at).sweeps == expected


@pytest.mark.parametrize(("hand", "play", "sweep"), [("9H", "9Hx9D", 1), ("5C", "5Cx*", 1)])
def test_a_capture_that_clears_the_table_is_a_sweep_with_the_last_card_too(
    hand: str, play: str, sweep: int
) -> None:
    assert scored(last_play("", "", hand=hand, play=play)).sweeps == (sweep, 0)


def test_a_build_that_stays_is_no_cleared_table() -> None:
    at = Table(position("9H 3D", "8C", loose="9D", builds=[build("8:5D+3S", 1)]))
    at.play("9Hx9D")
    assert at.state.table.sweeps == (0, 0)


def test_what_is_left_goes_to_the_last_who_captured_and_is_no_sweep() -> None:
    at = last_play("", "AS", hand="3H", play="3H", loose="AD 10D", taker=1)
    assert [line for line in at.lines if isinstance(line, LeftLine)] == [LeftLine(1, ("AD", "10D", "3H"))]
    line = scored(at)
    assert (line.last, line.sweeps, line.aces, line.big) == ((0, 1), (0, 0), (0, 2), (0, 2))
    assert GAME.view(at.state, None).piles == ((), ("AS", "AD", "10D", "3H"))


def test_where_nobody_captured_what_is_left_is_nobodys() -> None:
    at = last_play("", "", hand="3H", play="3H", loose="AD 10D 2C")
    assert not any(isinstance(line, LeftLine) for line in at.lines)
    assert scored(at).points == (0, 0)


def test_nothing_left_writes_no_line() -> None:
    assert not any(isinstance(line, LeftLine) for line in last_play("", "").lines)


# -- the end


@pytest.mark.parametrize("target", ["21", "16", "11"])
def test_at_the_target_the_highest_total_wins(target: str) -> None:
    short = int(target) - 3  # last card, sweep and most cards: 3 points
    at = last_play("", "", totals=(short - 1, 0), target=target)
    assert GAME.result(at.state) is None
    assert at.state.table.deal == 1
    over = last_play("", "", totals=(short, int(target) - 1), target=target)
    result = GAME.result(over.state)
    assert result is not None
    assert (result.totals, result.winners, result.reason) == ((int(target), int(target) - 1), (0,), "points")
    assert GAME.on_turn(over.state) == ()
    assert over.refused("9H", "trail") == "over"
    assert list(GAME.legal(over.state, 0)) == []


def test_equal_totals_share_the_win_and_more_than_the_target_counts() -> None:
    at = last_play("", "", "", totals=(20, 23, 4))
    result = GAME.result(at.state)
    assert result is not None
    assert (result.totals, result.winners) == ((23, 23, 4), (0, 1))


def test_the_most_points_of_a_deal_are_told_of_a_record() -> None:
    at = last_play("", "")
    lines = [*at.lines, msgspec.structs.replace(scored(at), points=(1, 6))]
    assert GAME.highlights(lines) == {"deal": [3, 6]}
    assert GAME.highlights([]) == {}


# -- options


def test_options_that_are_none_are_no_game() -> None:
    chance = GivenOrder(range(52))
    for options, seats in (({}, 2), (DEFAULTS | {"target": "12"}, 2), (DEFAULTS, 1), (DEFAULTS, 5)):
        with pytest.raises(ValueError, match="no game"):
            GAME.start(options, ("ann",) * seats, chance)
    assert all(GAME.read_options(options) == options for options in ALL_OPTIONS)
    assert len(ALL_OPTIONS) == 24
