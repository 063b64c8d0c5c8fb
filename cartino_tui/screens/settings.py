"""The settings, one row per setting, and the key bindings; changes apply at once."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.commands import Prefer
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_row, row_width, wrap_rows
from cartino_tui.draw.text import safe
from cartino_tui.game_port.screen import AnyScreen, Look, all_samples
from cartino_tui.key_table import key_from_label, key_label
from cartino_tui.keys import LOBBY, OWN_KEYS, TABLE
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
from cartino_tui.preferences import ARROWS, Preferences, Settings, chosen_keys, is_rebindable
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


class SettingsDrawing:
    """The settings at one size, scrolled from the row `top` so that the selected one is visible."""

    def __init__(
        self,
        look: Look,
        wanted: Preferences,
        cursor: int = 0,
        top: int = 0,
        rows: Sequence[SettingRow] = SETTING_ROWS,
        status: str = "",
        sample: Sequence[Row] = (),
    ) -> None:
        """Lay out the rows above the longest note; `sample` are rows of the games' pieces."""
        translator, self._look = look.translator, look
        self._labels = [safe(translator.gettext(row.label), ascii=look.ascii) for row in rows]
        self._values = [safe(value_text(row, wanted, translator), ascii=look.ascii) for row in rows]
        notes = [note_text(row, wanted, translator) for row in rows]
        self._cursor, self._sample, self._note = cursor, sample[:_SAMPLE], status or notes[cursor]
        room = look.height - _TOP - max(footer_height(look, note) for note in (*notes, status)) - _SAMPLE
        self.height = min(len(rows), room)
        """Rows in sight."""
        self.first = _TOP + (room - self.height > 1)
        """The first row of the list."""
        self.value_x = _LABEL + max(map(len, self._labels)) + 2
        """The column of the values."""
        self.top = scroll_top(top, cursor, len(rows), self.height)
        """The first row in sight."""

    def frame(self, hints: Hints) -> Frame:
        """Draw the whole screen."""
        look = self._look
        canvas = Canvas(look.width, look.height)
        where = f"{self._cursor + 1}/{len(self._labels)}"
        title_bar(canvas, look, look.translator.gettext("Settings"), where)
        less, more = ("<", ">") if look.ascii else ("◄", "►")
        for y, at in enumerate(range(self.top, self.top + self.height), self.first):
            here = at == self._cursor
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
        at = self.top + line
        if x < self.value_x or x > self.value_x + len(self._values[at]) + 3:
            return at, 0
        return at, -1 if x <= self.value_x + 1 else 1

    def _draw_sample(self, canvas: Canvas) -> None:
        """Draw the pieces below the list, and some text behind their last row."""
        y, x = self.first + self.height + (self.first > _TOP), _LABEL
        for line, row in enumerate(self._sample):
            x = put_row(canvas, _LABEL, y + line, row) + 2
        words: Row = (("12", "points"), (" ", "ground"), ("Ann", "chat-name"))
        if x + row_width(words) < self._look.width:
            put_row(canvas, x, y + max(0, len(self._sample) - 1), words)


_RESET_QUESTION: Final = N_("Reset all settings?")


class SettingsScreen(AppScreen):
    """All settings, one per row; changes apply to the screens below, too."""

    KEYS = KEYS
    HINTS = ("more", "own", "defaults", "actions", "help", "back")

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the screen."""
        super().__init__(context, known)
        self._game_screens = relevant_screens(context.game_screens, known.table)
        self._rows = relevant_rows(self._game_screens)
        self._cursor = self._top = 0

    def draw(self, look: Look) -> Frame:
        """Draw the visible rows."""
        drawing = self._drawing(look)
        self._top = drawing.top
        return drawing.frame(self.shown_hints())

    def _drawing(self, look: Look) -> SettingsDrawing:
        sample, wanted = tuple(all_samples(self._game_screens, look)), self.context.preferences
        return SettingsDrawing(look, wanted, self._cursor, self._top, self._rows, self.status_text, sample)

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Show why settings were not saved."""
        return super().handle_refusal(refusal) if refusal.to in {"", Prefer.__name__} else False

    def press(self, press: Press) -> None:
        """Handle a key."""
        action = KEYS.action(press.key)
        line = cursor_round(action, self._cursor, len(self._rows))
        if line is not None:
            self._cursor = line
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
            self._cursor, by = hit
            if by:
                self._turn(by)

    def _turn(self, by: int) -> None:
        setting = self._rows[self._cursor]
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


_KEY_X: Final = 3
_MOVES: Final = (
    *zip(ARROWS, (N_("up"), N_("down"), N_("left"), N_("right")), strict=True),
    ("enter", N_("confirm: play, join, choose")),
    ("escape", N_("back")),
)

Binding = tuple[str, str]
"""A key of the tables, and what it does, in English."""


def bindable_keys(game_screens: Mapping[str, AnyScreen]) -> tuple[Binding, ...]:
    """Return all keys that can be changed: for movement, in games, at a table."""
    game = (
        (key_from_label(key), what)
        for game_screen in game_screens.values()
        for key, what in game_screen.key_help
        if len(key) == 1
    )
    frame = ((row.keys[0], row.what) for row in TABLE.rows if is_rebindable(row.keys[0]))
    found: dict[str, str] = {}
    for key, what in (*_MOVES, *game, *frame):
        if key in dict(_MOVES) or (is_rebindable(key) and key_label(key).isascii()):
            found.setdefault(key, what)
    return tuple(found.items())


class KeyBindingsDrawing:
    """The bindings at one size, scrolled from the line `top` so that the selected one is visible."""

    def __init__(
        self, rows: Sequence[Binding], look: Look, cursor: int = 0, top: int = 0, status: str = ""
    ) -> None:
        """Wrap all bindings."""
        gettext, self._look = look.translator.gettext, look
        self._cursor = cursor
        self._note = status or gettext(
            "Press Enter to choose another key; arrows, Enter and Esc always work."
        )
        self._keys = [look.key_name(look.keymap.all_shown(key_label(key))) for key, _ in rows]
        self._x = _KEY_X + max(map(len, self._keys)) + 2
        self._lines = [
            (number, row)
            for number, (_, what) in enumerate(rows)
            for row in wrap_rows(gettext(what), "text", look.width - self._x - 1, ascii=look.ascii)
        ]
        self._height = look.height - _TOP - max(footer_height(look, self._note), 3)
        numbers = [number for number, _ in self._lines]
        last = len(numbers) - 1 - numbers[::-1].index(cursor)
        most = min(top, numbers.index(cursor), max(0, len(numbers) - self._height))
        self.top = max(last - self._height + 1, most, 0)
        """The first line in sight."""

    def frame(self, hints: Hints) -> Frame:
        """Draw the visible bindings."""
        look = self._look
        canvas = Canvas(look.width, look.height)
        where = f"{self._cursor + 1}/{len(self._keys)}"
        title_bar(canvas, look, look.translator.gettext("Your keys"), where)
        before = -1
        for y, (number, row) in enumerate(self._lines[self.top : self.top + self._height], _TOP):
            here = number == self._cursor
            if number != before:
                canvas.put(_KEY_X, y, self._keys[number], "key")
                if here:
                    canvas.put(1, y, glyphs(look).pick, "key")
            put_row(canvas, self._x, y, row)
            if here:
                canvas.paint(self._x, y, look.width - self._x - 1, "selected")
            before = number
        footer(canvas, look, self._note, hints)
        return canvas.frame()

    def binding_at(self, y: int) -> int | None:
        """Return the binding in row `y`, or None."""
        line = y - _TOP
        shown = 0 <= line < self._height and self.top + line < len(self._lines)
        return self._lines[self.top + line][0] if shown else None


class KeyBindingsScreen(AppScreen):
    """The person's key bindings."""

    KEYS = OWN_KEYS
    HINTS = ("choose", "clear", "actions", "back")

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the screen."""
        super().__init__(context, known)
        self._rows = bindable_keys(context.game_screens)
        self._cursor = self._top = 0
        self._waits = False
        """Whether the next key is the one to bind."""

    def draw(self, look: Look) -> Frame:
        """Draw the visible bindings."""
        drawing = self._drawing(look)
        self._top = drawing.top
        return drawing.frame(self.shown_hints())

    def _drawing(self, look: Look) -> KeyBindingsDrawing:
        return KeyBindingsDrawing(self._rows, look, self._cursor, self._top, self.status_text)

    def translate_key(self, press: Press) -> Press:
        """Leave the key to bind untranslated."""
        return press if self._waits else super().translate_key(press)

    def do_key(self, press: Press) -> None:
        """Bind the key that is waited for."""
        if self._waits:
            self._waits = False
            self._take(press)
        else:
            super().do_key(press)

    def press(self, press: Press) -> None:
        """Handle a key."""
        action = OWN_KEYS.action(press.key)
        row = cursor_round(action, self._cursor, len(self._rows))
        if row is not None:
            self._cursor = row
        match action:
            case "choose":
                self._waits = True
                self.status = self.look.translator.gettext("Press the new key, or Esc to cancel.")
            case "clear":
                self._keep(self._rows[self._cursor][0], "")
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Select a row; a click on the selected one asks for its key."""
        row = self._drawing(self.look).binding_at(tap.y)
        if row is None:
            return
        again, self._cursor, self._waits = row == self._cursor, row, False
        if again:
            self.press(Press("enter"))

    def _take(self, press: Press) -> None:
        gettext, key = self.look.translator.gettext, press.key
        self.status = ""
        if key in {"escape", "backspace"}:
            return
        if not is_rebindable(key):
            self.status = gettext("Choose a letter or a symbol; digits and other keys are fixed.")
            return
        self._keep(self._rows[self._cursor][0], key)
        shown = safe(key_label(key), ascii=self.look.ascii)
        other = self.look.keymap.key(key)
        if other != key and (TABLE.action(key) or LOBBY.action(key)):
            self.status = gettext(
                "Set to {key}. Its old action moved to {other}.", key=shown, other=key_label(other)
            )
        else:
            self.status = gettext("Set to {key}.", key=shown)

    def _keep(self, meaning: str, key: str) -> None:
        """Bind `key` to `meaning`; "" restores the default."""
        own = chosen_keys(self.context.preferences.settings)
        own = {each: other for each, other in own.items() if each != meaning and other != key}
        self.prefer(keymap="own", own_keys=own | ({meaning: key} if key not in {"", meaning} else {}))
