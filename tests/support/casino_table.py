"""Casino's table as its screen draws it: a table around a state, and keys pressed at it."""

from collections.abc import Sequence

import msgspec

from cartino_games.casino.game import PACKAGE
from cartino_games.casino.rules import CasinoState
from cartino_games.casino.scene import CasinoPointer, CasinoScene
from cartino_games.casino.screen import CasinoScreen
from cartino_games.casino.speech import CasinoSpeech
from cartino_games.casino.views import CasinoView
from cartino_protocol.base import Seat
from cartino_protocol.views import ResultView, SeatView, TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, Reaction, TableChrome
from tests.support.casino import GAME, NOTATION
from tests.support.table_script import Setting

SCREEN, SPEECH = CasinoScreen(), CasinoSpeech()
RULES = PACKAGE.rules
SMALL, MIDDLE, LARGE = Look(80, 24), Look(120, 40), Look(160, 50)
LEAST = Look(60, 20)
LOOKS = (LEAST, SMALL, MIDDLE, LARGE, Look(60, 20, ascii=True), Look(80, 24, ascii=True))
NAMES = ("Ann", "Bartholomew XVI.", "Léa", "Johann")
AROUND = TableChrome(
    "Casino (card game) · K7QP",
    "3 watching",
    (("Léa", "good luck"), ("", "eve is watching")),
    "",
    (("t", "talk"), (":", "more"), ("?", "help"), ("q", "leave")),
)


def table_of(state: CasinoState, you: Seat | None) -> TableView:
    """The room in which `state` is played, as `you` sees it."""
    result = GAME.result(state)
    return TableView(
        code="K7QP",
        game="casino",
        options={},
        state="playing" if result is None else "finished",
        number=1,
        seats=tuple(SeatView(name, "human") for name in NAMES[: len(state.hands)]),
        owner=0,
        you=you,
        spectators=0,
        commitment="91cd04ee" * 8,
        turn=GAME.on_turn(state),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
    )


SETTING = Setting(NOTATION, SCREEN, SPEECH, table_of, AROUND)


class Player:
    """Somebody who presses keys at a table; a move is kept, not made."""

    def __init__(self, state: CasinoState, you: Seat | None = 0, look: Look = SMALL) -> None:
        """Sit down at `state`."""
        self.table, self.look = table_of(state, you), look
        self.view: CasinoView = GAME.view(state, you)
        self.pointer = SCREEN.fresh()
        self.move: msgspec.Struct | None = None
        self.status = ""

    def press(self, *keys: str) -> "Player":
        """Press keys, one after the other."""
        for key in keys:
            self._take(SCREEN.key(self.table, self.view, self.pointer, key, self.look))
        return self

    def click(self, text: str) -> "Player":
        """Click on the first cell of `text` where it stands first."""
        rows = self.rows()
        y = next(y for y, row in enumerate(rows) if text in row)
        x = rows[y].index(text)
        self._take(SCREEN.click(self.table, self.view, self.pointer, self.look, x, y))
        return self

    def text(self) -> str:
        """The screen."""
        return self.frame().text()

    def frame(self) -> Frame:
        """The screen with its roles."""
        around = msgspec.structs.replace(AROUND, status=self.status)
        return SCREEN.draw(self.table, self.view, self.pointer, self.look, around)

    def scene(self) -> CasinoScene:
        """What the screen is drawn from."""
        return SCREEN.scene(self.table, self.view, self.pointer, self.look, AROUND)

    def rows(self) -> Sequence[str]:
        """The screen row by row."""
        return self.text().split("\n")

    def _take(self, reaction: Reaction[CasinoPointer]) -> None:
        self.pointer, self.status = reaction.pointer, reaction.status
        self.move = reaction.move or self.move
