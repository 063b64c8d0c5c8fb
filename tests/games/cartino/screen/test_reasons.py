"""Why a lay brought what it brought, and what a beginner is told: the view has it all."""

from itertools import islice

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.port import Step
from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.bots.advice import advise
from cartino_games.cartino.bots.levels import moves_of
from cartino_games.cartino.bots.planning import best_turn
from cartino_games.cartino.bots.reading import read_position
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.pointer import NOWHERE, CartinoPointer
from cartino_games.cartino.screen.reasons import hint, keys_now, touched_by, why
from cartino_games.cartino.screen.scene import Scene, scene
from cartino_games.cartino.views import CartinoView
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of, view_of
from tests.support.languages import in_others
from tests.support.pseudo import PSEUDO


@given(st.integers(0, 2**32), st.sampled_from(["1974", "1969"]), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_what_was_touched_makes_up_the_points_of_every_lay(seed: int, edition: Edition, seats: int) -> None:
    values = BOARDS[edition].values
    for state, _ in random_game(seed, edition, seats):
        view: CartinoView = GAME.view(state, None)
        for number, event in enumerate(view.recent):
            if event.kind in {"lay", "swap"}:
                assert sum(values[spot // 2] for spot in touched_by(view, number)) == event.points


def seen(state: CartinoState, pointer: CartinoPointer = NOWHERE, look: Look = Look(80, 24)) -> Scene:  # noqa: B008
    table = table_of(state, 0)
    return scene(table, view_of(table), pointer, look, TableChrome(""))


def laid(*spots: str, hand: str, stones: tuple[str, ...] = ()) -> CartinoState:
    table = Table(position(hand, "7C", bag="9C 8C 7D 9D 8D", stones=stones))
    table.lay(*spots)
    return table.state


@pytest.mark.parametrize(
    "look",
    [Look(60, 20), Look(60, 20, translator=PSEUDO), Look(60, 20, ascii=True), *in_others(Look(60, 20))],
)
def test_it_fits_the_smallest_status_line(look: Look) -> None:
    state = laid("KSl", hand="KS QS AS", stones=("ASl", "QSl", "KSu", "KDu"))
    said = why(seen(state, look=look), 0)
    assert len(said) <= look.width - 2
    assert "5" in said
    assert "16" in said


def test_a_hint_says_why_its_turn_is_better_than_the_one_with_most_points() -> None:
    state = position("KS JS 7D 9H", "7C", bag="9C", stones=("ASu", "QSl"))
    said = hint(seen(state))
    assert said.startswith("Hint: 7♦ upper: 0 points. J♠ lower, K♠ upper scores 8, but opens ")
    assert said.endswith(" worse.")
    advice = advise(GAME.view(state, 0))
    assert advice is not None
    assert advice.comparison is not None
    assert advice.comparison.open is not None
    assert advice.comparison.in_hand is not None
    found = advice.comparison
    parts = advice.plan.points - found.instead.points + advice.comparison.open + advice.comparison.in_hand
    assert parts == pytest.approx(found.worse), "the reasons add up"
    assert found.instead == best_turn(read_position(GAME.view(state, 0)))


def test_an_end_in_which_all_is_known_needs_no_reasons() -> None:
    """The last stones of two players: the hint counts what comes, and says so."""
    found = []
    for state in (state for seed in range(12) for state, _ in random_game(seed, "1974", 2)):
        if GAME.on_turn(state) and state.bag.count == 0:
            table = table_of(state, state.seat)
            found.append(hint(scene(table, view_of(table), NOWHERE, Look(80, 24), TableChrome(""))))
    assert any(" worse" in said for said in found)
    assert all("by the end" in said for said in found if " worse" in said)


def test_a_hint_says_nothing_of_less_than_a_point() -> None:
    for state, _ in islice(random_game(7, "1974", 3), 0, 90, 3):
        advice = advise(GAME.view(state, state.seat)) if GAME.on_turn(state) else None
        if advice is not None and advice.comparison is not None:
            assert advice.comparison.worse >= 1
            assert advice.plan != advice.comparison.instead


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_the_turn_of_a_hint_can_be_played_and_makes_its_points(edition: Edition) -> None:
    played = 0
    for before, _ in islice(random_game(4, edition, 2), 0, 120, 3):
        advice = advise(GAME.view(before, before.seat)) if GAME.on_turn(before) else None
        if advice is None:
            continue
        state = before
        for move in moves_of(BOARDS[edition], advice.plan):
            step = GAME.apply(state, before.seat, move)
            assert isinstance(step, Step)
            state = step.state
        assert not GAME.on_turn(state) or GAME.turns(state) != GAME.turns(before)
        if GAME.result(state) is None:
            played += 1
            assert state.totals[before.seat] - before.totals[before.seat] == advice.plan.points
    assert played > 20


def test_a_hint_fits_the_status_lines_of_the_smallest_terminal_in_a_longer_language() -> None:
    look = Look(60, 20, translator=PSEUDO)
    for state in (
        position("AS 7D", "7C"),
        position("AS KS QS JS *", "7C", bag="9C"),
        position("KS 7D 9H", "7C", bag="9C", stones=("ASl", "QSl", "KSu", "KDu")),
        laid("ASu", hand="AS 10S"),
    ):
        assert 0 < len(hint(seen(state, look=look))) <= 4 * (look.width - 2)


def test_spectators_have_no_keys_and_at_the_end_pages_are_turned() -> None:
    table = table_of(position("AS KS 7D", "7C"), 0)
    assert keys_now(msgspec.structs.replace(table, you=None), view_of(table), NOWHERE) == frozenset()
    *_, (over, _) = random_game(1, "1974", 2)
    ended = table_of(over, 0)
    assert keys_now(ended, view_of(ended), NOWHERE) == {"Tab → ←"}
    assert "Tab → ←" in {key for key, _ in CARTINO_SCREEN.key_help}
