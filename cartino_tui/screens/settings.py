"""The screen on which people choose how all of it looks, sounds and is steered."""

from typing import Final

import msgspec
from textual.message import Message

from cartino_protocol.commands import Prefer
from cartino_protocol.marking import N_
from cartino_protocol.refusals import Refusal
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look, samples_of
from cartino_tui.keys import SETTINGS as KEYS
from cartino_tui.keys import KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.calibration import CalibrationScreen
from cartino_tui.screens.help import HelpScreen, keys_said
from cartino_tui.screens.help_drawing import HelpModel, HelpPart
from cartino_tui.screens.key_test import KeyTestScreen
from cartino_tui.screens.own_keys import OwnKeysScreen
from cartino_tui.screens.question import Question
from cartino_tui.screens.settings_drawing import SettingsModel, draw_settings, part_at, scrolled
from cartino_tui.screens.settings_rows import at_hand, rows_for, turned
from cartino_tui.settings import Settings
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

_DEFAULTS: Final = N_("Forget all that you have chosen here?")


class Preferred(Message):
    """Something else is preferred now: whoever hears this looks so, and has it kept."""


class SettingsScreen(HouseScreen):
    """All settings, one a line. Each change holds at once, also for what lies below."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """The settings as `stage` has them."""
        super().__init__(stage, known)
        self._plugs = at_hand(stage.plugs, known.room)
        self.model = SettingsModel(rows=rows_for(self._plugs))

    def draw(self, look: Look) -> Frame:
        """The lines in sight."""
        wanted = self.stage.preferences
        sample = tuple(samples_of(self._plugs, look))
        model = msgspec.structs.replace(self.model, status=self.news, sample=sample)
        self.model = scrolled(model, look, wanted)
        return draw_settings(self.model, look, wanted, self.shown_hints())

    def keys(self) -> KeyTable:
        """The keys of the settings."""
        return KEYS

    def hints(self) -> HintRow:
        """What can be done here."""
        return KEYS.hints("more", "card", "test", "own", "defaults", "actions", "help", "back")

    def refused(self, refusal: Refusal) -> bool:
        """What could not be kept, where that is why."""
        return super().refused(refusal) if refusal.to in {"", Prefer.__name__} else False

    def press(self, press: Press) -> None:
        """Move, choose, or open what belongs to it."""
        cursor = self.model.cursor
        match KEYS.action(press.key):
            case "up":
                self._mark((cursor - 1) % len(self.model.rows))
            case "down":
                self._mark((cursor + 1) % len(self.model.rows))
            case "first":
                self._mark(0)
            case "last":
                self._mark(len(self.model.rows) - 1)
            case "less":
                self._turn(-1)
            case "more":
                self._turn(1)
            case action:
                self._open(action)

    def tap(self, tap: Tap) -> None:
        """A click marks a line; one on its value or its arrows turns it."""
        hit = part_at(self.model, self.look, self.stage.preferences, tap.x, tap.y)
        if hit is not None:
            line, by = hit
            self._mark(line)
            if by:
                self._turn(by)

    def _open(self, action: str | None) -> None:
        match action:
            case "card":
                self.app.push_screen(CalibrationScreen(self.stage, self.known, self._prefer))
            case "test":
                self.app.push_screen(KeyTestScreen(self.stage, self.known))
            case "own":
                self.app.push_screen(OwnKeysScreen(self.stage, self.known, self._prefer))
            case "defaults":
                self.question = Question(self.look.tongue.say(_DEFAULTS), self._forget)
            case "help":
                say = self.look.tongue.say
                part = HelpPart(say("In the settings"), keys_said(KEYS.help(), self.look.tongue))
                self.app.push_screen(HelpScreen(self.stage, self.known, HelpModel(say("Settings"), (part,))))
            case "back":
                self.app.pop_screen()

    def _mark(self, line: int) -> None:
        self.model = msgspec.structs.replace(self.model, cursor=line)

    def _turn(self, by: int) -> None:
        setting = self.model.rows[self.model.cursor]
        self._prefer(**{setting.name: turned(setting, self.stage.preferences, by)})

    def _prefer(self, **choices: object) -> None:
        self.stage.preferences.choose(**choices)
        self.post_message(Preferred())

    def _forget(self) -> None:
        # What the person learned and played are no choices.
        now = self.stage.preferences.settings
        kept: dict[str, object] = {"taught": now.taught, "game": now.game}
        self._prefer(**msgspec.structs.asdict(Settings()) | kept)
