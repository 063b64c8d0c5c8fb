"""A game's screen on the kit: a little game of a grid and a hand, drawn and played at several sizes."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
import pytest

from cartino_games.kit.arrangement import Arrangement, arrange
from cartino_games.kit.bars import Hint, describe_end, waiting
from cartino_games.kit.card_roles import CARD_ROLES, MAT_ROLES
from cartino_games.kit.cards import card_face, draw_row, lay_row
from cartino_games.kit.grid import DIRECTIONS, CellGrid
from cartino_games.kit.log import draw_log
from cartino_games.kit.marks import marks_for, number
from cartino_games.kit.players import PlayerLine, draw_players
from cartino_games.kit.result import Accounts, Ending, Entry, Heading, part
from cartino_games.kit.scene import TableScene, names_of
from cartino_games.kit.screen import GameTableScreen, TablePointer, not_now, number_of
from cartino_games.kit.text import first_that_fits, inked, phrase
from cartino_protocol.views import ResultView, TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import ANY_SCHEME, FRAME, merge_role_sets
from cartino_tui.game_port.screen import Look, Reaction, TableChrome
from cartino_tui.i18n import Translator
from tests.support.kit_table import AROUND, LOOKS, NAMES, kit_table
from tests.support.whole import drawn_whole

SIZE = 5
LOOKED = pytest.mark.parametrize("look", LOOKS)


class View(msgspec.Struct, frozen=True):
    """Which cells are taken by whom, and what is in hand."""

    taken: dict[str, int]
    hand: tuple[str, ...] = ("KS", "2H")


class Put(msgspec.Struct, frozen=True):
    """Take the cell at a row and column."""

    row: int
    column: int


class Pointer(TablePointer, frozen=True):
    """Where the cursor stands."""

    at: tuple[int, int] = (2, 2)


class Scene(TableScene, frozen=True):
    """The table with its view, pointer and places."""

    view: View
    pointer: Pointer
    plan: Arrangement


def cells_of(scene: Scene) -> CellGrid:
    return CellGrid(scene.plan.main.x, scene.plan.main.y, 3, 1, SIZE, SIZE)


class Screen(GameTableScreen[View, Pointer, Scene]):
    """A game's whole screen."""

    name = "toy"
    title = "Toy"
    rules = ()
    key_help: ClassVar[Sequence[tuple[str, str]]] = ()

    def read(self, raw: msgspec.Raw) -> View:
        return View({})

    def describe_last_action(self, table: TableView, view: View, translator: Translator) -> str:
        return ""

    def fresh(self) -> Pointer:
        return Pointer()

    def scene(self, table: TableView, view: View, pointer: Pointer, look: Look, around: TableChrome) -> Scene:
        plan = arrange(look, len(table.seats), hand=7)
        return Scene(table, look, around, marks_for(look), names_of(table, look), view, pointer, plan)

    def state(self, scene: Scene) -> str:
        if scene.is_over:
            return describe_end(scene)
        lines = ("Your turn.",) if scene.mine else waiting(scene, scene.turn[0])
        return first_that_fits(lines, scene.width - 2)

    def ending(self, scene: Scene) -> Ending:
        entries = [
            Entry(seat, seat + 1, (part(scene, 2), (number(7 - seat, scene.marks), "points")))
            for seat in range(len(scene.names))
        ]
        headings = (Heading("bonus for cells", "bonus"), Heading("total", "total"))
        courses = [(0, 3 + seat, 7 - seat) for seat in range(len(scene.names))]
        return Ending("The grid is full.", "", Accounts(headings, entries), courses)

    def hints(self, table: TableView, look: Look) -> Sequence[Sequence[Hint]]:
        return ((Hint("1-2", "card"), Hint("Enter", "take", "enter")), (Hint("Enter", "take", "enter"),))

    def title_facts(self, scene: Scene) -> Sequence[str]:
        return ("9 left",)

    def draw_still(self, canvas: Canvas, scene: Scene) -> None:
        plan, names = scene.plan, range(len(scene.names))
        draw_players(canvas, scene, plan.players, [PlayerLine(str(seat), ()) for seat in names])
        faces = [card_face(scene.marks, name) for name in scene.view.hand]
        draw_row(canvas, scene, lay_row(plan.hand, len(faces)), faces)
        turns = [phrase(inked("{name} took a cell", "dim", name=((scene.name(0), "name"),)))]
        draw_log(canvas, scene, turns, plan.moves, plan.talk, headed=plan.headed)

    def draw_choice(self, canvas: Canvas, scene: Scene) -> None:
        grid = cells_of(scene)
        for row in range(SIZE):
            for column in range(SIZE):
                box = grid.cell_box(row, column)
                assert box is not None
                here = scene.mine and scene.pointer.at == (row, column)
                text = "x" if f"{row}{column}" in scene.view.taken else scene.marks.dot
                canvas.put(box.x + 1, box.y, text, "cursor" if here else "slot")

    def press(self, scene: Scene, key: str) -> Reaction[Pointer]:
        pointer = scene.pointer
        if key not in {*DIRECTIONS, "enter"} and number_of(key) is None:
            return Reaction(pointer, taken=False)
        if said := not_now(scene):
            return Reaction(pointer, status=said)
        if key in DIRECTIONS:
            (row, column), (down, right) = pointer.at, DIRECTIONS[key]
            return Reaction(Pointer(at=((row + down) % SIZE, (column + right) % SIZE)))
        return Reaction(pointer, Put(*pointer.at))

    def tap(self, scene: Scene, x: int, y: int) -> Reaction[Pointer]:
        found = cells_of(scene).cell_at(x, y)
        if found is not None:
            return Reaction(Pointer(at=found), Put(*found))
        return Reaction(scene.pointer, taken=False)


SCREEN = Screen()
VIEW = View({"22": 0})
OVER = kit_table(result=ResultView((7, 6, 5, 4), (0,), "full"))


def text(look: Look, table: TableView | None = None, pointer: Pointer | None = None) -> list[str]:
    table = table or kit_table()
    frame = SCREEN.draw(table, VIEW, pointer or Pointer(), look, AROUND)
    known = merge_role_sets((FRAME, CARD_ROLES, MAT_ROLES), ANY_SCHEME)
    assert {role for row in frame.rows for _, role in row} <= set(known)
    return frame.text().split("\n")


@LOOKED
def test_a_running_game_is_whole_at_every_size(look: Look) -> None:
    with drawn_whole(*NAMES) as faults:
        rows = text(look)
    assert faults == []
    found = "\n".join(rows)
    assert len(rows) == look.height
    assert "9 left" in rows[0]
    assert rows[-2] == " Your turn."
    assert rows[-1].startswith(" 1-2 card  Enter take")
    assert rows[-1].endswith("q leave")
    # A small table has one row for talk, which is the chat's.
    heard = "eve is watching" if look.height > 24 else "good luck"
    for part_of_it in (*NAMES[:2], "a cell", heard, "took"):
        assert (part_of_it if not look.ascii else part_of_it.replace("é", "e")) in found
    assert found.isascii() == look.ascii


@LOOKED
def test_the_pages_of_the_end_are_turned_by_keys_and_by_a_click_on_their_hint(look: Look) -> None:
    pointer, seen = SCREEN.fresh(), []
    for key in ("tab", "right", "l", "h", "escape", "tab"):
        seen.append(pointer.page)
        reaction = SCREEN.key(OVER, VIEW, pointer, key, look)
        assert reaction.taken
        pointer = reaction.pointer
    assert seen == ["result", "course", "board", "result", "board", "result"]
    with drawn_whole(*NAMES) as faults:
        pages = {page: text(look, OVER, Pointer(page=page)) for page in ("result", "course", "board")}
    assert faults == []
    assert any("You win with 7." in row for row in pages["result"])
    assert any("The grid is full." in row for row in pages["result"])
    assert any("Totals by turn" in row for row in pages["course"])
    x = pages["result"][-1].index("next page")
    clicked = SCREEN.click(OVER, VIEW, Pointer(), look, x, look.height - 1)
    assert clicked.pointer.page == "course"
    for key in ("enter", "escape", "r"):
        assert not SCREEN.key(OVER, VIEW, Pointer(), key, look).taken
    assert not SCREEN.click(OVER, VIEW, Pointer(), look, 5, 5).taken


@LOOKED
def test_keys_and_clicks_mean_what_the_game_says(look: Look) -> None:
    table = kit_table()
    assert SCREEN.key(table, VIEW, Pointer(), "k", look).pointer.at == (1, 2)
    assert SCREEN.key(table, VIEW, Pointer(), "enter", look).move == Put(2, 2)
    assert not SCREEN.key(table, VIEW, Pointer(), "tab", look).taken
    rows = text(look)
    x = rows[-1].index("Enter take")
    assert SCREEN.click(table, VIEW, Pointer(), look, x, look.height - 1).move == Put(2, 2)


def test_whoever_cannot_move_is_told_why() -> None:
    assert SCREEN.key(kit_table(turn=(1,)), VIEW, Pointer(), "enter").status == (
        "It's Bartholomew XVI.'s turn."
    )
    watching = SCREEN.key(kit_table(you=None), VIEW, Pointer(), "enter")
    assert watching.move is None
    assert watching.status.startswith("You're watching")
    assert (
        SCREEN.draw(kit_table(you=None), VIEW, Pointer(), Look(80, 24), AROUND)
        .text()
        .endswith(" t talk  : more  ? help  q leave")
    )


def test_what_hangs_on_no_pointer_is_drawn_once() -> None:
    table, look = kit_table(), Look(80, 24)
    under = SCREEN.under(table, VIEW, look, AROUND)
    assert under is not None
    for pointer in (Pointer(), Pointer(at=(0, 0))):
        assert SCREEN.draw(table, VIEW, pointer, look, AROUND, under) == SCREEN.draw(
            table, VIEW, pointer, look, AROUND
        )
    assert SCREEN.under(OVER, VIEW, look, AROUND) is None


def test_digits_pick_cards_and_other_keys_do_not() -> None:
    assert [number_of(key) for key in ("1", "9", "0", "x", "12", "")] == [0, 8, None, None, None, None]
