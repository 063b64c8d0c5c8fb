"""The settings screen: one row per setting; changes apply at once."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from textual.message import Message

from cartino_protocol.commands import Prefer
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_row, row_width
from cartino_tui.draw.text import plain
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.keys import SETTINGS as KEYS
from cartino_tui.pages.settings_rows import (
    SETTING_ROWS,
    SettingRow,
    next_value,
    note_text,
    relevant_rows,
    relevant_screens,
    value_text,
)
from cartino_tui.preferences import Preferences, Settings
from cartino_tui.screens.calibration import CalibrationScreen
from cartino_tui.screens.key_bindings import KeyBindingsScreen, KeyTestScreen
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.help import HelpModel, HelpPart, HelpScreen, translate_keys
from cartino_tui.widgets.layout import Hints, footer, footer_height, glyphs, scroll_top, title_bar
from cartino_tui.widgets.prompt import Confirmation

_TOP = 2
_LABEL = 3
_SAMPLE = 2
"""Rows of the games' pieces."""


class SettingsModel(msgspec.Struct, frozen=True):
    """What the settings screen shows; `sample` are rows of the games' pieces."""

    cursor: int = 0
    top: int = 0
    status: str = ""
    rows: tuple[SettingRow, ...] = SETTING_ROWS
    sample: tuple[Row, ...] = ()


class SettingsLayout(NamedTuple):
    """The first row of the list, its visible rows, and the column of the values."""

    first: int
    height: int
    value: int


def settings_layout(model: SettingsModel, look: Look, wanted: Preferences) -> SettingsLayout:
    """Return the layout for `look`."""
    labels = [_printable(look, look.translator.gettext(setting.label)) for setting in model.rows]
    foot_rows = max(
        footer_height(look, note_text(setting, wanted, look.translator)) for setting in model.rows
    )
    foot_rows = max(foot_rows, footer_height(look, model.status))
    room = look.height - _TOP - foot_rows - _SAMPLE
    height = min(len(model.rows), room)
    spare = room - height
    return SettingsLayout(_TOP + min(1, max(0, spare - 1)), height, _LABEL + max(map(len, labels)) + 2)


def scroll_settings(model: SettingsModel, look: Look, wanted: Preferences) -> SettingsModel:
    """Return the model with the selected row visible."""
    height = settings_layout(model, look, wanted).height
    return msgspec.structs.replace(model, top=scroll_top(model.top, model.cursor, len(model.rows), height))


def draw_settings(model: SettingsModel, look: Look, wanted: Preferences, hints: Hints) -> Frame:
    """Draw a scrolled model."""
    canvas, gettext = Canvas(look.width, look.height), look.translator.gettext
    there = settings_layout(model, look, wanted)
    title_bar(canvas, look, gettext("Settings"), f"{model.cursor + 1}/{len(model.rows)}")
    less, more = _arrows(look)
    for line, setting in enumerate(model.rows[model.top : model.top + there.height]):
        y, here = there.first + line, model.top + line == model.cursor
        if here:
            canvas.put(1, y, glyphs(look).pick, "key")
        canvas.put(_LABEL, y, _printable(look, gettext(setting.label)), "title" if here else "text")
        x = canvas.put(there.value, y, less, "key" if here else "dim") + 1
        x = canvas.put(
            x,
            y,
            _printable(look, value_text(setting, wanted, look.translator)),
            "selected" if here else "you",
        )
        canvas.put(x + 1, y, more, "key" if here else "dim")
    _draw_sample(canvas, look, there, model.sample)
    note = model.status or note_text(model.rows[model.cursor], wanted, look.translator)
    footer(canvas, look, note, hints)
    return canvas.frame()


def setting_at(
    model: SettingsModel, look: Look, wanted: Preferences, x: int, y: int
) -> tuple[int, int] | None:
    """Return the row at the cell (x, y) and the step that a click there takes, 0 on its label; None outside."""
    there = settings_layout(model, look, wanted)
    line = y - there.first
    if not 0 <= line < there.height or x >= look.width:
        return None
    at = model.top + line
    value = _printable(look, value_text(model.rows[at], wanted, look.translator))
    if x < there.value or x > there.value + len(value) + 3:
        return at, 0
    return at, -1 if x <= there.value + 1 else 1


def _draw_sample(canvas: Canvas, look: Look, there: SettingsLayout, sample: Sequence[Row]) -> None:
    """Draw the pieces below the list, and some text behind their last row."""
    y = there.first + there.height + (there.first > _TOP)
    x = _LABEL
    for line, row in enumerate(sample[:_SAMPLE]):
        x = put_row(canvas, _LABEL, y + line, row) + 2
    words: tuple[tuple[str, str], ...] = (("12", "points"), (" ", "ground"), ("Ann", "chat-name"))
    if x + row_width(words) < look.width:
        put_row(canvas, x, y + max(0, len(sample[:_SAMPLE]) - 1), words)


def _arrows(look: Look) -> tuple[str, str]:
    return ("<", ">") if look.ascii else ("◄", "►")


def _printable(look: Look, text: str) -> str:
    return plain(text) if look.ascii else text


_RESET_QUESTION: Final = N_("Forget all that you have chosen here?")


class SettingsChanged(Message):
    """Posted when a setting has changed, so that the app applies and saves it."""


class SettingsScreen(AppScreen):
    """All settings, one per row; changes apply to the screens below, too."""

    KEYS = KEYS
    HINTS = ("more", "card", "test", "own", "defaults", "actions", "help", "back")

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """Create the screen."""
        super().__init__(stage, known)
        self._game_screens = relevant_screens(stage.game_screens, known.room)
        self.model = SettingsModel(rows=relevant_rows(self._game_screens))

    def draw(self, look: Look) -> Frame:
        """Draw the visible rows."""
        wanted = self.stage.preferences
        sample = tuple(all_samples(self._game_screens, look))
        model = msgspec.structs.replace(self.model, status=self.news, sample=sample)
        self.model = scroll_settings(model, look, wanted)
        return draw_settings(self.model, look, wanted, self.shown_hints())

    def refused(self, refusal: Refusal) -> bool:
        """Show why settings were not saved."""
        return super().refused(refusal) if refusal.to in {"", Prefer.__name__} else False

    def press(self, press: Press) -> None:
        """Handle a key."""
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
        """Select a row; a click on its value or arrows changes it."""
        hit = setting_at(self.model, self.look, self.stage.preferences, tap.x, tap.y)
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
                self.app.push_screen(KeyBindingsScreen(self.stage, self.known, self._prefer))
            case "defaults":
                self.question = Confirmation(self.look.translator.gettext(_RESET_QUESTION), self._forget)
            case "help":
                gettext = self.look.translator.gettext
                part = HelpPart(gettext("In the settings"), translate_keys(KEYS.help(), self.look.translator))
                self.app.push_screen(
                    HelpScreen(self.stage, self.known, HelpModel(gettext("Settings"), (part,)))
                )
            case "back":
                self.app.pop_screen()

    def _mark(self, line: int) -> None:
        self.model = msgspec.structs.replace(self.model, cursor=line)

    def _turn(self, by: int) -> None:
        setting = self.model.rows[self.model.cursor]
        self._prefer(**{setting.name: next_value(setting, self.stage.preferences, by)})

    def _prefer(self, **choices: object) -> None:
        self.stage.preferences.choose(**choices)
        self.post_message(SettingsChanged())

    def _forget(self) -> None:
        # These are no choices of the person.
        now = self.stage.preferences.settings
        kept: dict[str, object] = {"taught": now.taught, "game": now.game}
        self._prefer(**msgspec.structs.asdict(Settings()) | kept)
