"""One's account: what is kept of oneself, and to delete it all."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_protocol.account import Account, AccountView, DeleteAccount
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Told
from cartino_tui.account import account_lines
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.games.screen import Look
from cartino_tui.keys import ACCOUNT, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.parts import Hints, bar, centre, foot, foot_height
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press

TOP: Final = 2
MOST_NAME: Final = 20
_OURS: Final = frozenset(kind.__name__ for kind in (Account, DeleteAccount))


class AccountModel(msgspec.Struct, frozen=True):
    """What the server told (None before), the first row in sight, and a status."""

    view: AccountView | None = None
    top: int = 0
    status: str = ""


def draw_account(model: AccountModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, look.tongue.say("Your account"), "" if model.view is None else model.view.name)
    if model.view is None and not model.status:
        centre(canvas, look.height // 2, look.tongue.say("Looking in the register…"), "dim", ascii=look.ascii)
    rows = _rows(model, look)
    put_rows(canvas, 2, TOP, rows[model.top : model.top + height_of(model, look)])
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def height_of(model: AccountModel, look: Look) -> int:
    """How many rows are in sight at once."""
    return max(1, look.height - TOP - foot_height(look, model.status))


def last_top(model: AccountModel, look: Look) -> int:
    """The first row in sight where the last one is, too."""
    return max(0, len(_rows(model, look)) - height_of(model, look))


def _rows(model: AccountModel, look: Look) -> Sequence[Row]:
    lines = () if model.view is None else account_lines(model.view, look.tongue)
    return [row for line in lines for row in in_rows(line, "text", look.width - 4, ascii=look.ascii)]


class AccountScreen(HouseScreen):
    """What is kept, over the lobby; the server was just asked for it."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """It is empty until the server has answered."""
        super().__init__(stage, known)
        self.model = AccountModel()

    def draw(self, look: Look) -> Frame:
        """As much as there is room for."""
        model = msgspec.structs.replace(self.model, status=self.news)
        self.model = msgspec.structs.replace(model, top=min(model.top, last_top(model, look)))
        return draw_account(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The screen's keys."""
        return ACCOUNT

    def hints(self) -> HintRow:
        """What can be done here; a guest has nothing to delete."""
        view = self.model.view
        can = () if view is None or view.guest else ("delete",)
        return ACCOUNT.hints(*can, "actions", "back")

    def press(self, press: Press) -> None:
        """Scroll, or ask for the name that confirms the deletion."""
        action = ACCOUNT.action(press.key)
        by = step(action, height_of(self.model, self.look) - 1, 0)
        view = self.model.view
        if by is not None:
            top = max(0, min(self.model.top + by, last_top(self.model, self.look)))
            self.model = msgspec.structs.replace(self.model, top=top)
        elif action == "back":
            self.app.pop_screen()
        elif action == "delete" and view is not None and not view.guest:
            label = self.look.tongue.say("Your name, to delete your account for good")
            self.ask(Ask(label, MOST_NAME, self._delete, to=(DeleteAccount.__name__,)))

    def answered(self, answer: Told) -> bool:
        """What is kept; that it was deleted is the last word of the visit."""
        if not isinstance(answer, AccountView):
            return False
        self.model = msgspec.structs.replace(self.model, view=answer)
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """What was asked for here is told here; anything else where it was asked for."""
        return super().refused(refusal) if refusal.to in _OURS else False

    def _delete(self, name: str) -> None:
        self.wish(DeleteAccount(name))
