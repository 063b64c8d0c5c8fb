"""The settings screen, one row per setting; changes apply at once."""

from typing import Final

import msgspec

from cartino_protocol.commands import Prefer
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_row, row_width
from cartino_tui.draw.text import safe
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
from cartino_tui.screens.key_bindings import KeyBindingsScreen
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.help import HelpModel, HelpScreen, keys_help
from cartino_tui.widgets.layout import (
    Hints,
    cursor_round,
    footer,
    footer_height,
    glyphs,
    scroll_top,
    title_bar,
)
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


class SettingsDrawing:
    """The settings at one size; `model` is scrolled so that the selected row is visible."""

    def __init__(self, model: SettingsModel, look: Look, wanted: Preferences) -> None:
        """Lay out the rows above the longest note."""
        translator, self._look = look.translator, look
        self._labels = [safe(translator.gettext(row.label), ascii=look.ascii) for row in model.rows]
        self._values = [safe(value_text(row, wanted, translator), ascii=look.ascii) for row in model.rows]
        notes = [note_text(row, wanted, translator) for row in model.rows]
        self._note = model.status or notes[model.cursor]
        room = (
            look.height - _TOP - max(footer_height(look, note) for note in (*notes, model.status)) - _SAMPLE
        )
        self.height = min(len(model.rows), room)
        """Rows in sight."""
        self.first = _TOP + (room - self.height > 1)
        """The first row of the list."""
        self.value_x = _LABEL + max(map(len, self._labels)) + 2
        """The column of the values."""
        top = scroll_top(model.top, model.cursor, len(model.rows), self.height)
        self.model = msgspec.structs.replace(model, top=top)

    def frame(self, hints: Hints) -> Frame:
        """Draw the whole screen."""
        look, model = self._look, self.model
        canvas = Canvas(look.width, look.height)
        where = f"{model.cursor + 1}/{len(model.rows)}"
        title_bar(canvas, look, look.translator.gettext("Settings"), where)
        less, more = ("<", ">") if look.ascii else ("◄", "►")
        for y, at in enumerate(range(model.top, model.top + self.height), self.first):
            here = at == model.cursor
            if here:
                canvas.put(1, y, glyphs(look).pick, "key")
            canvas.put(_LABEL, y, self._labels[at], "title" if here else "text")
            x = canvas.put(self.value_x, y, less, "key" if here else "dim") + 1
            x = canvas.put(x, y, self._values[at], "selected" if here else "you") + 1
            canvas.put(x, y, more, "key" if here else "dim")
        self._draw_sample(canvas)
        footer(canvas, look, self._note, hints)
        return canvas.frame()

    def setting_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the row at the cell (x, y) and the step that a click there takes, 0 on its label; None outside."""
        line = y - self.first
        if not 0 <= line < self.height or x >= self._look.width:
            return None
        at = self.model.top + line
        if x < self.value_x or x > self.value_x + len(self._values[at]) + 3:
            return at, 0
        return at, -1 if x <= self.value_x + 1 else 1

    def _draw_sample(self, canvas: Canvas) -> None:
        """Draw the pieces below the list, and some text behind their last row."""
        sample = self.model.sample[:_SAMPLE]
        y, x = self.first + self.height + (self.first > _TOP), _LABEL
        for line, row in enumerate(sample):
            x = put_row(canvas, _LABEL, y + line, row) + 2
        words: Row = (("12", "points"), (" ", "ground"), ("Ann", "chat-name"))
        if x + row_width(words) < self._look.width:
            put_row(canvas, x, y + max(0, len(sample) - 1), words)


_RESET_QUESTION: Final = N_("Reset all settings?")


class SettingsScreen(AppScreen):
    """All settings, one per row; changes apply to the screens below, too."""

    KEYS = KEYS
    HINTS = ("more", "own", "defaults", "actions", "help", "back")

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the screen."""
        super().__init__(context, known)
        self._game_screens = relevant_screens(context.game_screens, known.room)
        self.model = SettingsModel(rows=relevant_rows(self._game_screens))

    def draw(self, look: Look) -> Frame:
        """Draw the visible rows."""
        drawing = self._drawing(look)
        self.model = drawing.model
        return drawing.frame(self.shown_hints())

    def _drawing(self, look: Look) -> SettingsDrawing:
        sample = tuple(all_samples(self._game_screens, look))
        model = msgspec.structs.replace(self.model, status=self.news, sample=sample)
        return SettingsDrawing(model, look, self.context.preferences)

    def refused(self, refusal: Refusal) -> bool:
        """Show why settings were not saved."""
        return super().refused(refusal) if refusal.to in {"", Prefer.__name__} else False

    def press(self, press: Press) -> None:
        """Handle a key."""
        action, rows = KEYS.action(press.key), len(self.model.rows)
        line = cursor_round(action, self.model.cursor, rows)
        if line is not None:
            self._mark(line)
            return
        match action:
            case "less":
                self._turn(-1)
            case "more":
                self._turn(1)
            case "own":
                self.app.push_screen(KeyBindingsScreen(self.context, self.known))
            case "defaults":
                self.question = Confirmation(self.look.translator.gettext(_RESET_QUESTION), self._forget)
            case "help":
                translator = self.look.translator
                part = keys_help(N_("In the settings"), KEYS, translator)
                model = HelpModel(translator.gettext("Settings"), (part,))
                self.app.push_screen(HelpScreen(self.context, self.known, model))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Select a row; a click on its value or arrows changes it."""
        hit = self._drawing(self.look).setting_at(tap.x, tap.y)
        if hit is not None:
            line, by = hit
            self._mark(line)
            if by:
                self._turn(by)

    def _mark(self, line: int) -> None:
        self.model = msgspec.structs.replace(self.model, cursor=line)

    def _turn(self, by: int) -> None:
        setting = self.model.rows[self.model.cursor]
        self.prefer(**{setting.name: next_value(setting, self.context.preferences, by)})

    def _forget(self) -> None:
        # How far the person has come is no choice of theirs; hints are on as after a newcomer's first game.
        now = self.context.preferences.settings
        kept: dict[str, object] = {
            "taught": now.taught,
            "game": now.game,
            "wins": now.wins,
            "lessons": now.lessons,
            "hints": bool(now.game),
        }
        self.prefer(**msgspec.structs.asdict(Settings()) | kept)
