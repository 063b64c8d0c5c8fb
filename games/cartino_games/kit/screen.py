"""The base of a game's screen: it draws title, foot and the pages of the end, and reads the keys for them.

A game's screen inherits its own description and `GameTableScreen`, and gives: `scene`, `state`, `ending`, `draw_still`,
`press`, `tap`, and what else of the methods below it needs.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.bars import (
    Hint,
    draw_hints,
    draw_status,
    draw_title,
    end_hints,
    fitting_hints,
    hint_at,
)
from cartino_games.kit.result import TURNS, Ending, Page, draw_page, turned
from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Piece
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean
from cartino_tui.game_port.description import View, review_sentences
from cartino_tui.game_port.screen import MIN_LOOK, GameScreen, Look, Reaction, TableChrome

BACK: Final = ("escape", "backspace")
"""The keys that put back what was picked."""
WATCHING: Final = N_("You're watching; only players can make moves.")
_DIGITS: Final = "123456789"


class TablePointer(msgspec.Struct, frozen=True, kw_only=True):
    """Where somebody points at a table; a game extends it with what is picked and where its cursor stands.

    `page` is the page they look at when the game is over.
    """

    page: Page = "result"


PointerT = TypeVar("PointerT", bound=TablePointer)
SceneT = TypeVar("SceneT", bound=TableScene)


class GameTableScreen(GameScreen[View, PointerT], Generic[View, PointerT, SceneT]):
    """A game's screen. Instances hold nothing that changes."""

    @abstractmethod
    def scene(
        self, table: TableView, view: View, pointer: PointerT, look: Look, around: TableChrome
    ) -> SceneT:
        """Return all that drawing and keys need, gathered once; it is made for every key and every drawing."""

    @abstractmethod
    def state(self, scene: SceneT) -> str:
        """Return what the table waits for, in a sentence (see `bars.waiting`, `bars.describe_end`)."""

    @abstractmethod
    def ending(self, scene: SceneT) -> Ending:
        """Return what the pages of the end show."""

    @abstractmethod
    def draw_still(self, canvas: Canvas, scene: SceneT) -> None:
        """Draw the table without title, status and hints, and nothing that hangs on the pointer.

        `scene` has the pointer of `fresh`. When the game is over this is the page `board`.
        """

    def draw_choice(self, canvas: Canvas, scene: SceneT) -> None:
        """Draw over it what hangs on the pointer: what is picked, the cursor. Not called when the game is over."""

    @abstractmethod
    def press(self, scene: SceneT, key: str) -> Reaction[PointerT]:
        """Return what `key` means in a running game, to players and to spectators (see `not_now`)."""

    @abstractmethod
    def tap(self, scene: SceneT, x: int, y: int) -> Reaction[PointerT]:
        """Return what a click on the cell (x, y) means in a running game, unless it is on a hint."""

    def signs(self, scene: SceneT) -> Sequence[Piece]:
        """Return the game's signs before the title."""
        return ()

    def title_facts(self, scene: SceneT) -> Sequence[str]:
        """Return what stands right in the title, the most important first: what is left in the pack, the round."""
        return ()

    def hints(self, table: TableView, look: Look) -> Sequence[Sequence[Hint]]:
        """Return the hints of a running game for its players, in variants, the longest first.

        Only what can be done now: most of them stand while it is one's turn. What hangs on the pointer changes none
        of them, so that they need not be sent again for a key.
        """
        return ((),)

    def canvas(self, scene: SceneT) -> Canvas:
        """Return the canvas that the table is drawn on: empty, or with what hardly changes and was kept."""
        return Canvas(scene.look.width, scene.look.height)

    @override
    def update_pointer(self, table: TableView, view: View, pointer: PointerT) -> PointerT:
        """Return the same pointer, where a game has nothing that may be gone."""
        return pointer

    @override
    def key(
        self, table: TableView, view: View, pointer: PointerT, key: str, look: Look = MIN_LOOK
    ) -> Reaction[PointerT]:
        scene = self.scene(table, view, pointer, look, TableChrome(""))
        if not scene.is_over:
            return self.press(scene, key)
        if key in TURNS:
            return Reaction(self._page(turned(pointer.page, key)))
        if key in BACK and pointer.page != "result":
            return Reaction(self._page("result"))
        return Reaction(pointer, taken=False)

    @override
    def click(
        self, table: TableView, view: View, pointer: PointerT, look: Look, x: int, y: int
    ) -> Reaction[PointerT]:
        scene = self.scene(table, view, pointer, look, TableChrome(""))
        if y == scene.hint_row and (key := hint_at(self.own_hints(scene), x)):
            return self.key(table, view, pointer, key, look)
        return Reaction(pointer, taken=False) if scene.is_over else self.tap(scene, x, y)

    @override
    def under(self, table: TableView, view: View, look: Look, around: TableChrome) -> Frame | None:
        """Return what no pointer changes; None after the end, whose pages are drawn when they are opened."""
        scene = self.scene(table, view, self.fresh(), look, around)
        return None if scene.is_over else self._still(scene)

    @override
    def draw(
        self,
        table: TableView,
        view: View,
        pointer: PointerT,
        look: Look,
        around: TableChrome,
        under: Frame | None = None,
    ) -> Frame:
        scene = self.scene(table, view, pointer, look, around)
        if scene.is_over and pointer.page != "board":
            canvas = Canvas(look.width, look.height)
            self._draw_around(canvas, scene)
            review = review_sentences(table, look.translator, lambda move: self.move_shown(move, table, look))
            ending = msgspec.structs.replace(self.ending(scene), review=review)
            draw_page(canvas, scene, ending, pointer.page)
        else:
            still = under or self._still(self.scene(table, view, self.fresh(), look, around))
            canvas = Canvas.from_frame(still)
            if not scene.is_over:
                self.draw_choice(canvas, scene)
        draw_status(canvas, scene, self.state(scene))
        return canvas.frame()

    def own_hints(self, scene: SceneT) -> Sequence[Hint]:
        """Return the game's hints: none for spectators, that of the pages when the game is over."""
        if scene.is_over:
            return end_hints(scene.look)
        if scene.you is None:
            return ()
        return fitting_hints(scene.table, scene.look, self.hints(scene.table, scene.look))

    def _page(self, page: Page) -> PointerT:
        return msgspec.structs.replace(self.fresh(), page=page)

    def _still(self, scene: SceneT) -> Frame:
        canvas = self.canvas(scene)
        self._draw_around(canvas, scene)
        self.draw_still(canvas, scene)
        return canvas.frame()

    def _draw_around(self, canvas: Canvas, scene: SceneT) -> None:
        draw_title(canvas, scene, self.signs(scene), self.title_facts(scene))
        draw_hints(canvas, scene, self.own_hints(scene))


def not_now(scene: TableScene) -> str:
    """Return why the person who looks at the table can't move, in a sentence; "" if it is their turn."""
    gettext = scene.look.translator.gettext
    if scene.mine:
        return ""
    if scene.you is None:
        return gettext(WATCHING)
    line = scene.seat(scene.turn[0]) if scene.turn else None
    if line is None:
        return gettext("It's another player's turn.")
    return gettext("It's {name}'s turn.", name=clean(line.name))


def number_of(key: str) -> int | None:
    """Return which of a row of cards or choices a digit picks, counted from 0; None for another key."""
    return _DIGITS.index(key) if len(key) == 1 and key in _DIGITS else None
