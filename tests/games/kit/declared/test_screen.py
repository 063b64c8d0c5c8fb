"""The generic screen: the cases of screen.txt, and how large and where its parts are."""

from functools import reduce
from itertools import pairwise
from pathlib import Path

import pytest

from cartino_crazy_eights import CrazyEights
from cartino_games.kit.arrangement import FOOT_ROWS
from cartino_games.kit.cards import HUGE, LARGE
from cartino_games.kit.declared.game import AnyDeclared
from cartino_games.kit.declared.layout import GenericPointer, PartsLayout, plan_of
from cartino_games.kit.declared.package import generic_package
from cartino_games.kit.declared.screen import GenericScreen
from cartino_protocol.base import Audience
from cartino_protocol.declared import Choose, DeclaredView, Ref
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, Reaction, TableChrome
from tests.support.declared import NAMES, SETTING, LowestBid, of_eights, position
from tests.support.rules_script import cases
from tests.support.table_script import play
from tests.support.window import blank_share

EIGHTS = CrazyEights()
START = of_eights(("7C 8H", "KS"), "9D 7D")
LOOK = Look(80, 24)


class Table:
    """A position, and somebody who presses keys at it."""

    def __init__(self, game: AnyDeclared, state: object, you: Audience = 0, look: Look = LOOK) -> None:
        screen = generic_package(game).screen
        assert isinstance(screen, GenericScreen)
        self.screen, self.look = screen, look
        self.table: TableView = position(game, state, you)
        self.view: DeclaredView = screen.read(self.table.game_view)
        self.pointer = screen.update_pointer(self.table, self.view, screen.fresh())

    def press(self, *keys: str) -> Reaction[GenericPointer]:
        answer = Reaction(self.pointer)
        for key in keys:
            answer = self.screen.key(self.table, self.view, self.pointer, key, self.look)
            self.pointer = answer.pointer
        return answer

    def plan(self) -> PartsLayout:
        around = TableChrome("Crazy Eights")
        return plan_of(self.screen.scene(self.table, self.view, self.pointer, self.look, around))

    def frame(self) -> Frame:
        return self.screen.draw(self.table, self.view, self.pointer, self.look, TableChrome("Crazy Eights"))

    def text(self) -> str:
        return self.frame().text()

    def click(self, text: str, below: str = "") -> Reaction[GenericPointer]:
        """Click in the middle of `text`, in a row below that of `below`."""
        rows = self.text().split("\n")
        top = next(y for y, row in enumerate(rows) if below in row)
        y, row = next((y, row) for y, row in enumerate(rows) if text in row and y >= top)
        x = row.index(text) + len(text) // 2
        return self.screen.click(self.table, self.view, self.pointer, self.look, x, y)


def eights(you: Audience = 0, look: Look = LOOK) -> Table:
    return Table(EIGHTS, START, you, look)


def bids(you: Audience = 0) -> Table:
    game = LowestBid()
    return Table(game, game.start({}, NAMES[:2], START.chance).state, you)


def test_two_items_make_one_choice_and_another_first_one_begins_again() -> None:
    """Of a grid: where from, where to."""
    table = bids()
    assert table.press("down", "enter").pointer.picked == (Ref(0, 0),)
    assert table.click("●", below="Board").move == Choose("low-left")
    assert table.click(" H").move == Choose("high")


@pytest.mark.parametrize(("size", "most"), [((120, 40), 0.51), ((160, 50), 0.66)])
def test_a_large_terminal_is_used_in_the_middle_of_a_game(size: tuple[int, int], most: float) -> None:
    """A game that only declares what lies on its table has no more to show: its mat stays free.

    So does the place of the chat: without people there is no frame for it.
    """
    table = eights(look=Look(*size))
    assert blank_share(table.frame()) <= most
    table.press("down", "right")
    assert blank_share(table.frame()) <= most


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
def test_without_a_panel_moves_and_chat_stand_below_the_sheet(size: tuple[int, int]) -> None:
    plan = eights(look=Look(*size)).plan()
    boxes = [plan.players, plan.sheet, plan.moves, plan.talk]
    assert not plan.panel
    assert all(above.y + above.height == below.y for above, below in pairwise(boxes))
    assert all(box.height > 0 for box in boxes)
    assert boxes[-1].y + boxes[-1].height == size[1] - FOOT_ROWS
    assert 0 <= plan.moves.height - plan.talk.height <= 1


@pytest.mark.parametrize("size", [(100, 30), (120, 40), (200, 60)])
def test_with_a_panel_the_sheet_has_the_whole_height_and_all_else_stands_in_a_column(
    size: tuple[int, int],
) -> None:
    plan = eights(look=Look(*size)).plan()
    column = [plan.players, plan.moves, plan.talk]
    assert plan.panel
    assert plan.sheet.y + plan.sheet.height == size[1] - FOOT_ROWS
    assert plan.moves.height > plan.talk.height > 0
    assert all(above.y + above.height < below.y for above, below in pairwise(column))
    assert {(box.x, box.width) for box in column} == {(plan.players.x, plan.players.width)}
    assert plan.sheet.x + plan.sheet.width < plan.players.x


def test_cards_are_as_large_as_all_that_is_declared_allows() -> None:
    hands = ("7C 8H", "KS"), (" ".join(f"{rank}S" for rank in "23456789"), "KS")
    tables = [Table(EIGHTS, of_eights(held, "9D 7D"), look=Look(120, 40)) for held in hands]
    assert [table.plan().size for table in tables] == [HUGE, LARGE]


def test_a_sheet_that_is_too_long_is_scrolled_to_the_cursor() -> None:
    cards = " ".join(f"8{suit}" for suit in "DHSC")
    table = Table(EIGHTS, of_eights((cards, *["KS"] * 4), "9D 7D"), look=Look(60, 20))
    assert "Play 8♣ and name clubs" not in table.text()
    table.pointer = GenericPointer(cursor=table.view.choices[-1].word)
    assert "Play 8♣ and name clubs" in table.text()


def test_the_end_shows_who_won_with_what() -> None:
    game = LowestBid()
    state = reduce(
        lambda state, move: game.apply(state, *move).state,  # type: ignore[union-attr]
        [(0, Choose("low-left")), (1, Choose("high"))] * 2,
        game.start({}, NAMES[:2], START.chance).state,
    )
    table = Table(game, state)
    for shown in ("You win with 2.", "Rounds", "the winning score was reached"):
        assert shown in table.text()
    table.press("tab", "tab")
    assert "Board" in table.text()
    assert not table.press("1").taken


def test_a_hidden_card_lies_on_its_face_and_unused_ones_of_the_hand_are_dark() -> None:
    table = Table(EIGHTS, of_eights(("7C 8H 2S", "KS"), "9D 7D"), look=Look(120, 40))
    runs = [(text, role) for row in table.frame().rows for text, role in row]
    assert [role for text, role in runs if "★" in text] == ["back"], "the stock's"
    roles = {text.strip(): role for text, role in runs}
    assert (roles["7♣"], roles["7♦"], roles["2♠"]) == ("card-C", "card-D", "closed-S")


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("screen.txt")))
def test_table(case: list[str]) -> None:
    play(SETTING, case)
