import msgspec
import pytest

from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.screen.ending import best, ending
from cartino_games.cartino.screen.pointer import CartinoPointer
from cartino_games.cartino.screen.scene import Scene
from cartino_games.kit.result import reasons
from cartino_protocol.views import MissedTurn, RatingChange, ResultView
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import Look
from tests.support.cartino import random_game
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, SMALL, scene_of, table_of, view_of

OVER = [state for state, _ in random_game(3, "1974", 4)][-1]


def with_result(result: ResultView | None, you: int | None = None) -> Scene:
    scene = scene_of(OVER, you)
    return msgspec.structs.replace(scene, table=msgspec.structs.replace(scene.table, result=result))


def with_view(scene: Scene, **changes: object) -> Scene:
    return msgspec.structs.replace(scene, view=msgspec.structs.replace(scene.view, **changes))


@pytest.mark.parametrize(
    ("totals", "winners", "bonus", "you", "sentence"),
    [
        (
            (9, 12),
            (1,),
            (0, 10),
            0,
            "3 points ahead. Léa went out: their hand and the bag are empty.",
        ),
        (
            (9, 8),
            (0,),
            (10, 0),
            0,
            "One point ahead. You went out: your hand and the bag are empty.",
        ),
        ((9, 9), (0, 1), (0, 0), None, "Nobody could lay another stone."),
        ((9, 3), (), (0, 0), None, ""),
    ],
)
def test_why_it_was_over_and_by_how_much_it_was_won(
    totals: tuple[int, ...], winners: tuple[int, ...], bonus: tuple[int, ...], you: int | None, sentence: str
) -> None:
    scene = with_view(with_result(ResultView(totals, winners, "out"), you), bonus=bonus)
    assert reasons(scene, ending(scene).why) == sentence


def test_the_best_turn_is_named_with_its_player() -> None:
    course = {"first": 2, "course": (1, 30, 4)}
    assert best(with_view(scene_of(OVER, 0), **course)) == (
        "Johann Sebastian had the best turn: 30 points in turn 2."
    )
    assert best(with_view(scene_of(OVER, 3), **course)) == "You had the best turn: 30 points in turn 2."
    assert best(with_view(scene_of(OVER, 3), course=())) == ""


def test_the_column_the_sentence_and_the_lines_below_mean_the_same_by_a_best_turn() -> None:
    """The points for going out are in none of them."""
    for seed in range(3, 9):
        state = [state for state, _ in random_game(seed, "1974", 2)][-1]
        found = ending(scene_of(state, None))
        most = [max(state.course[seat::2]) for seat in ((each - state.first) % 2 for each in range(2))]
        assert list(found.gains) == most
        assert f": {max(most)} points in turn" in found.best
        for seat, pieces in found.best_steps:
            said = " ".join(text for text, _ in pieces)
            turn = int(said.split()[1])
            assert (state.first + turn - 1) % 2 == seat
            assert state.course[turn - 1] == most[seat]
            assert said.endswith(f"+{most[seat]}")


def test_the_board_of_the_end_shows_every_hand() -> None:
    table = table_of(OVER, 0)
    scene = scene_of(OVER, 0)
    text = CARTINO_SCREEN.draw(table, view_of(table), CartinoPointer(page="board"), SMALL, AROUND).text()
    for penalty, hand in zip(scene.view.penalty, scene.view.hands, strict=True):
        shown = " ".join(scene.marks.card(stone) for stone in hand)
        assert (f"−{penalty} {shown}" if hand else "+10 went out") in text


def reviewed(result: ResultView, look: Look) -> str:
    table = msgspec.structs.replace(table_of(OVER, 0), result=result)
    page = CARTINO_SCREEN.draw(table, view_of(table), CartinoPointer(page="result"), look, AROUND)
    return " ".join(page.text().split())


@pytest.mark.parametrize("look", [SMALL, Look(120, 40)], ids=["80x24", "120x40"])
def test_the_result_names_the_new_rating_and_the_turn_that_lost_most(look: Look) -> None:
    moves = tuple(map(encode_raw, (Lay("KS", "KSu"), Lay("QS", "QSl"), EndTurn())))
    end = table_of(OVER, 0).result
    assert end is not None
    full = msgspec.structs.replace(end, rating=RatingChange(1012, 1003), missed=MissedTurn(9, 5, 19, moves))
    shown = reviewed(full, look)
    assert "Your rating: 1003 (−9)." in shown
    assert "The best turn you missed: 19 points instead of 5 in turn 9 (K♠ upper; Q♠ lower)." in shown
    assert "The best turn you missed" not in reviewed(end, look)
    assert "Your rating" not in reviewed(end, look)


@pytest.mark.parametrize(
    ("made", "best", "lost", "said"),
    [
        (5, 19, 14, "The best turn you missed: 19 points instead of 5 in turn 9 (★ as K♠ upper)."),
        (
            8,
            6,
            4,
            "Your costliest turn: turn 9. ★ as K♠ upper: about 4 points better in the long run, "
            "6 instead of 8 at once.",
        ),
    ],
)
def test_points_that_come_later_are_told_from_those_of_the_turn(
    made: int, best: int, lost: int, said: str
) -> None:
    moves = (encode_raw(Lay("*", "KSu")), encode_raw(EndTurn()))
    end = table_of(OVER, 0).result
    assert end is not None
    full = msgspec.structs.replace(end, missed=MissedTurn(9, made, best, moves, lost))
    assert said in reviewed(full, SMALL)
