"""The help: the keys as the tables in `keys` have them, and a game's rules from its plug."""

from collections.abc import Sequence

import msgspec

from cartino_protocol.refusals import Refusal
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.door import Door
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.plug import AnyPlug, Look
from cartino_tui.keys import FORM, HELP, HISTORY, LOBBY, REPLAY_IN_HOUSE, TABLE, WAITING, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens import help_drawing
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.help_drawing import HelpModel, HelpPart, draw_help, last_top, page_height
from cartino_tui.screens.shuffle import promise_help, shuffle_help
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

_PAST = (
    "Every finished game has a name of its own, like K7QP-12: the table's code and a number. "
    "A game of a private table is listed for its players alone. Times are UTC."
)


def lobby_help(welcome: Welcome | None = None) -> HelpModel:
    """The help of somebody in the lobby, who was told `welcome`."""
    return HelpModel(
        "Help: the lobby",
        (
            HelpPart("In the lobby", tuple(LOBBY.help())),
            HelpPart(
                "With the mouse",
                text="Click a table to mark it, click it again to go there. The words in the last line are buttons.",
            ),
            HelpPart("In the form for a new table", tuple(FORM.help())),
            HelpPart("At a table that has not begun", tuple(WAITING.help())),
            *promise_help(welcome),
        ),
    )


def history_help() -> HelpModel:
    """The help of somebody who looks at the games that are over."""
    return HelpModel(
        "Help: finished games",
        (
            HelpPart("In the list", tuple(HISTORY.help()), _PAST),
            HelpPart("In a replay", tuple(REPLAY_IN_HOUSE.help())),
            HelpPart("With the mouse", text="Click a game to mark it, click it again to replay it."),
        ),
    )


def waiting_help(plug: AnyPlug) -> HelpModel:
    """The help of somebody whose game has not begun."""
    return HelpModel(
        f"Help: {plug.title}",
        (HelpPart("Before the game", tuple(WAITING.help())), *_game_parts(plug)),
    )


def table_help(plug: AnyPlug, room: RoomView, more: Sequence[HelpPart] = ()) -> HelpModel:
    """The help of somebody at the table `room` of `plug`'s game; `more` stands behind the keys."""
    keys, rules = _game_parts(plug)
    return HelpModel(f"Help: {plug.title}", (keys, *more, shuffle_help(room), rules))


def way_back_help(welcome: Welcome | None, door: Door) -> tuple[HelpPart, ...]:
    """How a guest with a seat comes back to it; () for others. `door` as in `HouseApp`."""
    if welcome is None or not welcome.word:
        return ()
    lines = [
        f"Your word to come back: {welcome.word}",
        "It works from anywhere, in the lobby with b or in a terminal with",
        str(door.back(welcome.word)),
        "When you have come back the house gives you a new one.",
    ]
    return (HelpPart("Your seat", text="\n".join(lines)),)


def replay_help(plug: AnyPlug, room: RoomView, table: KeyTable) -> HelpModel:
    """The help of somebody who steps through a record with the keys of `table`, and is at `room`."""
    keys, rules = HelpPart("Keys", tuple(table.help())), HelpPart("Rules", text=plug.rules)
    return HelpModel(f"Help: a record of {plug.title}", (keys, shuffle_help(room), rules))


def _game_parts(plug: AnyPlug) -> tuple[HelpPart, HelpPart]:
    keys = (*plug.key_help, *TABLE.help())
    return HelpPart("In the game", keys), HelpPart("Rules", text=plug.rules)


class HelpScreen(HouseScreen):
    """The help over another screen; every key that goes back anywhere goes back here."""

    def __init__(self, stage: Stage, known: Known, model: HelpModel) -> None:
        """The help that `model` holds."""
        super().__init__(stage, known)
        self.model = model

    def draw(self, look: Look) -> Frame:
        """The lines in sight."""
        return draw_help(self.model, look)

    def keys(self) -> KeyTable:
        """The help's keys."""
        return HELP

    def hints(self) -> HintRow:
        """The help's hints."""
        return help_drawing.HINTS

    def refused(self, refusal: Refusal) -> bool:
        """Nothing is asked for here; the screen below has the sentence."""
        return False

    def press(self, press: Press) -> None:
        """Scroll, or go back."""
        page = page_height(self.look) - 1
        match HELP.action(press.key):
            case "up":
                self._scroll(-1)
            case "down":
                self._scroll(1)
            case "page-up":
                self._scroll(-page)
            case "page-down":
                self._scroll(page)
            case "first":
                self._scroll(-self.model.top)
            case "last":
                self._scroll(last_top(self.model, self.look))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """A click on the text means nothing."""

    def _scroll(self, by: int) -> None:
        top = max(0, min(self.model.top + by, last_top(self.model, self.look)))
        self.model = msgspec.structs.replace(self.model, top=top)
