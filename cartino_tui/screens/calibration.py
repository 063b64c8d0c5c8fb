"""A card that shows what the terminal can do, and asks what nobody but a person in front of it can see."""

from collections.abc import Callable
from typing import Final, Protocol

from cartino_protocol.marking import N_
from cartino_tui.draw.canvas import Frame
from cartino_tui.driver.depth import Depth
from cartino_tui.driver.session_app import SessionApp
from cartino_tui.games.screen import Look, samples_of
from cartino_tui.keys import CALIBRATION, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.calibration_drawing import CalibrationModel, draw_calibration
from cartino_tui.screens.settings_rows import at_hand, rows_for, turned
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press

_COLOURS: Final[dict[Depth, str]] = {
    "true": N_("all colours"),
    "256": N_("256 colours"),
    "16": N_("16 colours"),
    "mono": N_("no colours"),
}
_WITHOUT_DECK: Final = KeyTable(*(row for row in CALIBRATION.rows if row.action != "deck"))


class Choose(Protocol):
    """Takes choices by the names of `Settings`, and has them hold at once."""

    def __call__(self, **choices: object) -> None:
        """Prefer these from now on."""


class CalibrationScreen(HouseScreen):
    """The card. What is answered here is a setting like any other."""

    def __init__(self, stage: Stage, known: Known, choose: Choose) -> None:
        """The card over the settings; answers go to `choose`."""
        super().__init__(stage, known)
        self._choose = choose
        self._plugs = at_hand(stage.plugs, known.room)
        self._settings = {setting.name: setting for setting in rows_for(self._plugs)}

    def draw(self, look: Look) -> Frame:
        """The card as it looks with what is chosen."""
        app = self.app
        depth = _COLOURS[app.session_depth] if isinstance(app, SessionApp) else ""
        settings, sample = tuple(self._settings.values()), tuple(samples_of(self._plugs, look))
        model = CalibrationModel(look.tongue.say(depth), self.news, settings, sample)
        return draw_calibration(model, look, self.stage.preferences, self.shown_hints())

    def keys(self) -> KeyTable:
        """The card's keys."""
        return CALIBRATION if "deck" in self._settings else _WITHOUT_DECK

    def hints(self) -> HintRow:
        """What can be answered."""
        deck = ("deck",) if "deck" in self._settings else ()
        return CALIBRATION.hints("yes", "no", "next", *deck, "actions", "back")

    def press(self, press: Press) -> None:
        """Answer, or try other colours."""
        answers: dict[str, Callable[[], None]] = {
            "yes": lambda: self._choose(characters="unicode"),
            "no": lambda: self._choose(characters="ascii"),
            "next": lambda: self._turn("theme", 1),
            "before": lambda: self._turn("theme", -1),
            "deck": lambda: self._turn("deck", 1),
            "back": self._leave,
        }
        answer = answers.get(self.keys().action(press.key) or "")
        if answer is not None:
            answer()

    def _turn(self, name: str, by: int) -> None:
        self._choose(**{name: turned(self._settings[name], self.stage.preferences, by)})

    def _leave(self) -> None:
        # Characters that were drawn too wide have moved what stands beside them.
        self.distrust()
        self.app.pop_screen()
