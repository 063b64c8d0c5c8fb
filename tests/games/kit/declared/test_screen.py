"""The generic screen: cursor, choices, picking, clicks, and what each of them draws."""

from functools import reduce
from itertools import pairwise

import pytest

from cartino_crazy_eights import CrazyEights
from cartino_engine.port import Step
from cartino_games.kit.arrangement import FOOT_ROWS
from cartino_games.kit.cards import HUGE, LARGE
from cartino_games.kit.declared.game import AnyDeclared
from cartino_games.kit.declared.layout import GenericPointer, plan_of
from cartino_games.kit.declared.package import generic_package
from cartino_games.kit.declared.screen import GenericScreen
from cartino_protocol.base import Audience
from cartino_protocol.declared import Choose, DeclaredView, Ref
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, Reaction, TableChrome
from tests.support.declared import NAMES, LowestBid, of_eights, position
from tests.support.window import blank_share

EIGHTS = CrazyEights()
START = of_eights(("7C 8H", "KS"), "9D 7D")
LOOK = Look(80, 24)
SIZES = [(60, 20), (80, 24), (100, 30), (200, 60)]


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

    def rows(self) -> list[str]:
        return self.frame().text().split("\n")

    def frame(self) -> Frame:
        return self.screen.draw(self.table, self.view, self.pointer, self.look, TableChrome("Crazy Eights"))

    def click(self, text: str, below: str = "") -> Reaction[GenericPointer]:
        """Click in the middle of `text`, in a row below that of `below`."""
        rows = self.rows()
        top = next(y for y, row in enumerate(rows) if below in row)
        y, row = next((y, row) for y, row in enumerate(rows) if text in row and y >= top)
        x = row.index(text) + len(text) // 2
        return self.screen.click(self.table, self.view, self.pointer, self.look, x, y)


def eights(you: Audience = 0, look: Look = LOOK) -> Table:
    return Table(EIGHTS, START, you, look)


def bids(you: Audience = 0) -> Table:
    game = LowestBid()
    return Table(game, game.start({}, NAMES[:2], START.chance).state, you)


@pytest.mark.parametrize(("key", "word"), [("1", "7C"), ("5", "8H-C")])
def test_a_digit_makes_a_choice(key: str, word: str) -> None:
    assert eights().press(key).move == Choose(word)


def test_the_cursor_goes_to_what_choices_use_and_enter_chooses() -> None:
    table = eights()
    assert table.press("down").pointer.cursor == Ref(0, 0)
    assert any(row.startswith(" ► 7♣ ◄") for row in table.rows())
    assert table.press("enter").move == Choose("7C")


def test_an_item_of_several_choices_is_picked_and_put_back() -> None:
    table = eights()
    answer = table.press("down", "right", "enter")
    assert (answer.move, answer.pointer.picked) == (None, (Ref(0, 1),))
    assert "Play 7♣" not in "\n".join(table.rows()), "only the choices that use it are left"
    assert table.press("2").move == Choose("8H-H")
    table.pointer = answer.pointer
    assert table.press("escape").pointer == GenericPointer(cursor=Ref(0, 1))
    assert "Play 7♣" in "\n".join(table.rows())


def test_two_items_make_one_choice() -> None:
    """Of a grid: where from, where to."""
    table = bids()
    assert table.press("down", "enter").pointer.picked == (Ref(0, 0),)
    assert table.click("●", below="Board").move == Choose("low-left")


def test_picking_another_item_begins_again() -> None:
    table = bids()
    table.press("down", "enter")
    assert table.click(" H").move == Choose("high")


def test_a_click_chooses() -> None:
    assert eights().click("Play 8♥ and name spades").move == Choose("8H-S")
    assert eights().click(" 7♣ ").move == Choose("7C")
    assert eights().click("stock").status == "No option uses that now."


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_click_on_any_cell_of_a_large_card_chooses_it(size: tuple[int, int]) -> None:
    for dx, dy in ((0, -1), (3, 1)):
        table = eights(look=Look(*size))
        y, row = next((y, row) for y, row in enumerate(table.rows()) if " 7♣ " in row)
        x = row.index("7♣") + dx - 1
        assert table.screen.click(
            table.table, table.view, table.pointer, table.look, x, y + dy
        ).move == Choose("7C")


def test_cards_that_no_choice_uses_are_dark_but_not_those_in_other_places() -> None:
    table = eights(look=Look(120, 40))
    roles = {text.strip(): role for row in table.frame().rows for text, role in row}
    assert roles["7♣"] == "card-C"
    assert roles["7♦"] == "card-D", "the pile's"
    table = Table(EIGHTS, of_eights(("7C 8H 2S", "KS"), "9D 7D"), look=Look(120, 40))
    roles = {text.strip(): role for row in table.frame().rows for text, role in row}
    assert roles["2♠"] == "closed-S"


@pytest.mark.parametrize(("size", "most"), [((120, 40), 0.51), ((160, 50), 0.66)])
def test_a_large_terminal_is_used_in_the_middle_of_a_game(size: tuple[int, int], most: float) -> None:
    """A game that only declares what lies on its table has no more to show: its mat stays free.

    So does the place of the chat: without people there is no frame for it.
    """
    table = eights(look=Look(*size))
    assert blank_share(table.frame()) <= most
    table.press("down", "right")
    assert blank_share(table.frame()) <= most


def test_keys_that_mean_nothing_are_left_to_the_frame() -> None:
    assert not eights().press("t").taken
    assert eights().press("9").status == "There's no option with that number."
    assert eights().press("enter").status == "Move to an option with the arrows, or type its number."


@pytest.mark.parametrize(
    ("you", "said"),
    [(1, "It's Ann's turn."), (None, "You're watching; only players can make moves.")],
)
def test_others_can_look_around_and_choose_nothing(you: Audience, said: str) -> None:
    table = eights(you)
    assert table.press("1").status == said
    assert table.press("down").pointer.cursor is not None
    answer = table.press("enter")
    assert (answer.status, answer.move) == (said, None)


def test_what_is_no_longer_there_is_no_longer_pointed_at() -> None:
    game_table = eights()
    pointer = game_table.press("down", "right", "enter").pointer
    after = EIGHTS.apply(START, 0, Choose("8H-D"))
    assert isinstance(after, Step)
    table = position(EIGHTS, after.state, 0)
    assert (
        game_table.screen.update_pointer(table, game_table.screen.read(table.game_view), pointer)
        == GenericPointer()
    )


@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_all_that_is_on_the_table_is_drawn(size: tuple[int, int], ascii: bool) -> None:
    text = "\n".join(eights(look=Look(*size, ascii=ascii)).rows())
    seven = "7C" if ascii else "7♣"
    for shown in (
        "Ann",
        "Bob",
        "2 cards",
        f" {seven} ",
        f"1 Play {seven}",
        "stock 3",
        "Your turn. Play diamonds",
    ):
        assert shown in text


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
def test_without_a_panel_moves_and_chat_stand_below_the_sheet(size: tuple[int, int]) -> None:
    table = eights(look=Look(*size))
    scene = table.screen.scene(
        table.table, table.view, table.pointer, table.look, TableChrome("Crazy Eights")
    )
    plan = plan_of(scene)
    boxes = [plan.players, plan.sheet, plan.moves, plan.talk]
    assert not plan.panel
    assert all(above.y + above.height == below.y for above, below in pairwise(boxes))
    assert all(box.height > 0 for box in boxes)
    assert boxes[-1].y + boxes[-1].height == size[1] - FOOT_ROWS
    assert 0 <= plan.moves.height - plan.talk.height <= 1


@pytest.mark.parametrize("size", [(100, 30), (120, 40), (160, 50), (200, 60)])
def test_with_a_panel_the_sheet_has_the_whole_height_and_all_else_stands_in_a_column(
    size: tuple[int, int],
) -> None:
    table = eights(look=Look(*size))
    scene = table.screen.scene(
        table.table, table.view, table.pointer, table.look, TableChrome("Crazy Eights")
    )
    plan = plan_of(scene)
    column = [plan.players, plan.moves, plan.talk]
    assert plan.panel
    assert plan.sheet.y + plan.sheet.height == size[1] - FOOT_ROWS
    assert plan.moves.height > plan.talk.height > 0
    assert all(above.y + above.height < below.y for above, below in pairwise(column))
    assert {(box.x, box.width) for box in column} == {(plan.players.x, plan.players.width)}
    assert plan.sheet.x + plan.sheet.width < plan.players.x


def test_cards_are_as_large_as_all_that_is_declared_allows() -> None:
    hands = ("7C 8H", "KS"), (" ".join(f"{rank}S" for rank in "23456789"), "KS")
    heights = []
    for held in hands:
        table = Table(EIGHTS, of_eights(held, "9D 7D"), look=Look(120, 40))
        scene = table.screen.scene(table.table, table.view, table.pointer, table.look, TableChrome(""))
        heights.append(plan_of(scene).size)
    assert heights == [HUGE, LARGE]


def test_a_sheet_that_is_too_long_is_scrolled_to_the_cursor() -> None:
    cards = " ".join(f"8{suit}" for suit in "DHSC")
    table = Table(EIGHTS, of_eights((cards, *["KS"] * 4), "9D 7D"), look=Look(60, 20))
    last = table.view.choices[-1].word
    assert "Play 8♣ and name clubs" not in "\n".join(table.rows())
    table.pointer = GenericPointer(cursor=last)
    assert "Play 8♣ and name clubs" in "\n".join(table.rows())


def test_the_end_shows_who_won_with_what() -> None:
    game = LowestBid()
    state = reduce(
        lambda state, move: game.apply(state, *move).state,  # type: ignore[union-attr]
        [(0, Choose("low-left")), (1, Choose("high"))] * 2,
        game.start({}, NAMES[:2], START.chance).state,
    )
    table = Table(game, state)
    text = "\n".join(table.rows())
    for shown in ("You win with 2.", "Rounds", "the winning score was reached"):
        assert shown in text
    table.press("tab", "tab")
    assert "Board" in "\n".join(table.rows())
    assert not table.press("1").taken


def test_a_hidden_card_lies_on_its_face() -> None:
    table = eights(look=Look(120, 40))
    backs = [role for row in table.frame().rows for text, role in row if "★" in text]
    assert backs == ["back"], "the stock's"
    assert "##" not in table.frame().text()
