"""What was just laid as a few pictures: pure, over the picture that stays."""

import itertools

import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.motion import PICTURES, events_between
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_games.cartino.views import CartinoEvent, CartinoView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, LARGE, MIDDLE, NAMES, SMALL, table_of, view_of
from tests.support.games import DARK

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
COMPACT = Look(60, 20)


def view(state: CartinoState) -> CartinoView:
    return GAME.view(state, None)


def pictures(
    before: CartinoState, after: CartinoState, look: Look = SMALL, you: int | None = None
) -> list[Frame]:
    """All that is shown of how one led to the other, the picture that stays last."""
    table, then = table_of(after, you), GAME.view(before, you)
    now = view_of(table)
    moving = [
        CARTINO_SCREEN.draw_picture(table, now, NOWHERE, look, AROUND, then, number)
        for number in range(CARTINO_SCREEN.pictures(then, now))
    ]
    return [*moving, CARTINO_SCREEN.draw(table, now, NOWHERE, look, AROUND)]


def lit(frame: Frame, role: str) -> str:
    """What stands in a role that begins so."""
    return "".join(text for row in frame.rows for text, its in row if its.startswith(role))


def played(
    *lays: str, hand: str = "AS KS QS JS 10S", totals: tuple[int, int] = (17, 3)
) -> list[CartinoState]:
    """A table before these lays, and after each."""
    table = Table(position(hand, "7C 8C", stones=("AHl", "KHu"), bag="7D 7D 7H 7H 8H 8H", totals=totals))
    states = [table.state]
    for each in lays:
        table.lay(each)
        states.append(table.state)
    return states


@pytest.mark.parametrize("look", [COMPACT, SMALL], ids=["60x20", "80x24"])
def test_pictures(look: Look, snapshot: SnapshotAssertion) -> None:
    """Proves that a stone lights up with its points, and that then the marker goes on."""
    _, before, after = played("ASl", "KSl")
    found = pictures(before, after, look)
    assert len(found) == PICTURES + 1
    assert "\n".join(frame.text() for frame in found[:-1]) == snapshot


def test_the_stone_its_points_and_what_it_touches_are_lit_until_the_marker_moves() -> None:
    _, before, after = played("ASl", "KSl")
    found = pictures(before, after)
    for text in ("K♠", "+5"):
        assert [text in lit(frame, "cursor-S") for frame in found] == [True] * 2 + [False] * 2
    assert [lit(frame, "touched-") for frame in found] == ["+5", "", "", ""]
    assert (before.totals[0], after.totals[0]) == (22, 27)
    assert [lit(frame, "points").split()[0][:2] for frame in found] == ["22", "27", "27", "27"]


def test_a_chip_that_was_won_is_there_once_the_marker_has_reached_the_end_of_the_track() -> None:
    before, after, _ = played("ASl", "KSl")
    assert (before.totals[0], after.totals[0]) == (17, 22)
    found = pictures(before, after)
    assert [lit(frame, "chips")[:2] for frame in found] == ["●0"] * 2 + ["● "] * 2
    filled = ["".join(text for text, role in frame.rows[2] if role == "seat-1") for frame in found]
    assert [len(each.strip()) for each in filled] == [17, 20, 2, 2]


@pytest.mark.parametrize("look", [COMPACT, SMALL, MIDDLE, LARGE])
def test_no_picture_covers_a_name_or_a_card(look: Look) -> None:
    *_, before, after = played("ASl", "KSl", "QSl", "JSu", "10Sl")
    kinds = [event.kind for event in events_between(view(before), view(after))]
    assert kinds == ["lay", "five", "turn"]
    *moving, _ = pictures(before, after, look)
    for frame in moving:
        text = frame.text()
        assert all(name in text for name in NAMES[:2])
        for card in BOARDS["1974"].cards:
            assert text.count(marks_for(look).card(card)) >= 2, card


def test_several_stones_that_come_at_once_all_light_up() -> None:
    before, _, after = played("ASl", "KSl")
    first = pictures(before, after)[0]
    assert {"A♠", "K♠"} <= {card for card in ("A♠", "K♠", "Q♠") if card in lit(first, "cursor-S")}


def test_going_out_is_seen_on_the_board_before_the_end_is() -> None:
    table = Table(position("KS", "AC * 7D", stones=("ASu",), totals=(0, 3)))
    before = table.state
    table.lay("KSu")
    assert table.state.settlement is not None
    *moving, still = pictures(before, table.state, you=0)
    assert len(moving) == PICTURES
    assert all("A♠" in lit(frame, "stone-S") + lit(frame, "new-S") for frame in moving)
    assert all("win" not in frame.text() for frame in moving)
    assert "+5" in lit(moving[0], "cursor-S")
    assert "You win with 15." in still.text()


def test_what_is_no_lay_moves_nothing() -> None:
    """Nor another game, the same view again, or a table that one comes back to."""
    table = Table(position("KS QS 7C", "7C 8C", bag="7D 7D 7D 7D"))
    start = table.state
    table.lay("KSu")
    laid = table.state
    table.end()
    states = [state for state, _ in random_game(5, "1974", 2)]
    for before, after in (
        (laid, table.state),
        (start, start),
        (laid, laid),
        (laid, start),
        (states[2], states[30]),
    ):
        assert CARTINO_SCREEN.pictures(view(before), view(after)) == 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_all_that_happened_is_told_through_a_game(edition: Edition) -> None:
    states = [state for state, _ in random_game(11, edition, 3)]
    told: list[CartinoEvent] = []
    for before, after in itertools.pairwise(states):
        told += events_between(view(before), view(after))
    assert sum(event.kind in {"lay", "swap"} for event in told) >= 60
    turns = [event.points for event in told if event.kind in {"turn", "pass"}]
    assert tuple(turns) == view(states[-1]).course


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("look", [COMPACT, SMALL, MIDDLE, LARGE, Look(80, 24, ascii=True)])
def test_every_picture_has_the_size_of_the_screen_and_roles_that_the_theme_knows(
    edition: Edition, look: Look
) -> None:
    states = [state for state, _ in random_game(4, edition, 4)]
    for before, after in list(itertools.pairwise(states))[::14]:
        for frame in pictures(before, after, look):
            assert [sum(len(text) for text, _ in row) for row in frame.rows] == [look.width] * look.height
            assert {role for row in frame.rows for _, role in row} <= set(DARK.styles)
            assert not look.ascii or frame.text().isascii()


@pytest.mark.parametrize(
    ("stones", "jokers", "lay", "lit_up"),
    [((), (), "10Sl", ("10♠", "+0")), (("ASl",), ("KSl",), "KSl", ("K♠", "+5"))],
    ids=["without points", "in a joker's place"],
)
def test_every_stone_lights_up(
    stones: tuple[str, ...], jokers: tuple[str, ...], lay: str, lit_up: tuple[str, str]
) -> None:
    table = Table(position("KS 10S 7C", "7C", jokers=jokers, stones=stones, bag="7D 7D"))
    before = table.state
    table.lay(lay)
    found = pictures(before, table.state)
    assert len(found) == PICTURES + 1
    assert all(text in lit(frame, "cursor-S") for text in lit_up for frame in found[:2])
