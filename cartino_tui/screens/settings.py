"""The settings screen, one row per setting, and the terminal check; changes apply at once."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.commands import Prefer
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_row, put_rows, row_width, wrap_rows
from cartino_tui.draw.text import safe
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.keys import CALIBRATION, KeyTable
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
from cartino_tui.screens.key_bindings import KeyBindingsScreen, KeyTestScreen
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
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


_X: Final = 2
_SWATCH_ROLES: Final = ("reversed", "selected", "button", "late")
_EMPHASIS: Final = (
    (N_("bold"), "strong"),
    (N_("underlined"), "underlined"),
    (N_("reversed"), "reversed"),
    (N_("dim"), "dim"),
)
_UNICODE_BOX: Final = (
    "┌───────────────┐",
    "│ ♠ ♥ ♦ ♣ ■ ★ ● │",
    "│ ○ ► ◄ · − … √ │",
    "│ ╔═╗ ╭─╮ ░ █ ╌ │",
    "└───────────────┘",
)
_ASCII_BOX: Final = ("+---------------+", "| S H D C # * o |", "| . > < - ~ x : |", "+---------------+")


_COLOUR_DEPTHS: Final[Mapping[ColourDepth, str]] = {
    "true": N_("all colours"),
    "256": N_("256 colours"),
    "16": N_("16 colours"),
    "mono": N_("no colours"),
}


def draw_calibration(
    colours: str,
    sample: Sequence[Row],
    rows: Sequence[SettingRow],
    look: Look,
    wanted: Preferences,
    hints: Hints,
    status: str = "",
) -> Frame:
    """Draw the terminal check; `colours`: the terminal's depth in words, `sample`: rows of the games' pieces."""
    canvas, gettext = Canvas(look.width, look.height), look.translator.gettext
    title_bar(canvas, look, gettext("Your terminal"), f"{look.width} x {look.height}, {colours}")
    y = 2 + (look.height > 21)
    x = _X
    for role in _SWATCH_ROLES:
        x = canvas.put(x, y, "     ", role) + 1
    x = _X
    for words, role in _EMPHASIS:
        x = canvas.put(x, y + 1, safe(gettext(words), ascii=look.ascii), role) + 2
    status = status or _current_choices(rows, look, wanted)
    room = look.height - footer_height(look, status) - 1 - len(_UNICODE_BOX) - y - 3
    y = put_rows(canvas, _X, y + 3, sample[: max(0, room)])
    _draw_edge_test(canvas, look, wanted, y + 1)
    footer(canvas, look, status, hints)
    return canvas.frame()


def _draw_edge_test(canvas: Canvas, look: Look, wanted: Preferences, y: int) -> None:
    """Draw a box whose right edge is straight if every character is one cell wide, and a question beside it."""
    gettext = look.translator.gettext
    # An ASCII terminal might take these for control sequences.
    tries_all = not wanted.own_ascii or wanted.settings.characters == "unicode"
    picture = _UNICODE_BOX if tries_all else _ASCII_BOX
    for line, text in enumerate(picture):
        canvas.put(_X, y + line, text, "text")
    question = (
        gettext("Is the right edge of this box one straight line? y keeps all characters, n only plain ones.")
        if tries_all
        else gettext("Your terminal reports plain characters only. Settings can turn them all on.")
    )
    x = _X + len(picture[0]) + 3
    put_rows(canvas, x, y, wrap_rows(question, "text", look.width - x - 1, ascii=look.ascii))


def _current_choices(rows: Sequence[SettingRow], look: Look, wanted: Preferences) -> str:
    """Return the current settings in a sentence."""
    now = {row.name: value_text(row, wanted, look.translator) for row in rows}
    theme, characters = now["theme"], now["characters"]
    if "deck" in now:
        return look.translator.gettext(
            "Colours: {theme}. Deck: {deck}. Characters: {characters}.",
            theme=theme,
            deck=now["deck"],
            characters=characters,
        )
    return look.translator.gettext(
        "Colours: {theme}. Characters: {characters}.", theme=theme, characters=characters
    )


class CalibrationScreen(AppScreen):
    """The terminal check; answers change settings."""

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the screen."""
        super().__init__(context, known)
        self._game_screens = relevant_screens(context.game_screens, known.room)
        self._rows = {row.name: row for row in relevant_rows(self._game_screens)}

    def draw(self, look: Look) -> Frame:
        """Draw with the current settings."""
        depth = _COLOUR_DEPTHS[self.app.session_depth] if isinstance(self.app, SessionApp) else ""
        rows, sample = tuple(self._rows.values()), all_samples(self._game_screens, look)
        colours, hints = look.translator.gettext(depth), self.shown_hints()
        return draw_calibration(colours, sample, rows, look, self.context.preferences, hints, self.news)

    def keys(self) -> KeyTable:
        """Return the keys; none for the deck without card games."""
        return KeyTable(*(row for row in CALIBRATION.rows if row.action != "deck" or "deck" in self._rows))

    def hints(self) -> HintRow:
        """Return the hints."""
        deck = ("deck",) if "deck" in self._rows else ()
        return CALIBRATION.hints("yes", "no", "next", *deck, "actions", "back")

    def press(self, press: Press) -> None:
        """Change a setting."""
        match self.keys().action(press.key):
            case "yes":
                self.prefer(characters="unicode")
            case "no":
                self.prefer(characters="ascii")
            case "next":
                self._turn("theme", 1)
            case "before":
                self._turn("theme", -1)
            case "deck":
                self._turn("deck", 1)
            case "back":
                # Wide characters may have moved their neighbours.
                self.mark_dirty()
                self.app.pop_screen()

    def _turn(self, name: str, by: int) -> None:
        self.prefer(**{name: next_value(self._rows[name], self.context.preferences, by)})


_RESET_QUESTION: Final = N_("Reset all settings?")


class SettingsScreen(AppScreen):
    """All settings, one per row; changes apply to the screens below, too."""

    KEYS = KEYS
    HINTS = ("more", "card", "test", "own", "defaults", "actions", "help", "back")

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
            case "card":
                self.app.push_screen(CalibrationScreen(self.context, self.known))
            case "test":
                self.app.push_screen(KeyTestScreen(self.context, self.known))
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
