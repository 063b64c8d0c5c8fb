"""Choose which key does what, and try what a key does."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from cartino_protocol.text import N_
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, put_row, put_rows, wrap_rows
from cartino_tui.draw.text import fit, safe
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.key_positions import key_by_place
from cartino_tui.key_table import key_from_label, key_label
from cartino_tui.keys import KEY_TEST, LOBBY, OWN_KEYS, TABLE, WAITING
from cartino_tui.preferences import ARROWS, chosen_keys, is_rebindable
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.layout import Hints, cursor_round, footer, footer_height, glyphs, title_bar

_TOP: Final = 2
_KEY_X: Final = 3
_MOVES: Final = (
    *zip(ARROWS, (N_("up"), N_("down"), N_("left"), N_("right")), strict=True),
    ("enter", N_("confirm: play, join, choose")),
    ("escape", N_("back")),
)

Binding = tuple[str, str]
"""A key of the tables, and what it does, in English."""


def bindable_keys(game_screens: Mapping[str, AnyScreen]) -> tuple[Binding, ...]:
    """Return all keys that can be changed: movement, the games', those of the table."""
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


class KeyBindingsModel(msgspec.Struct, frozen=True):
    """The bindings, the selected one, the first visible row, and the status."""

    rows: tuple[Binding, ...]
    cursor: int = 0
    top: int = 0
    status: str = ""


class KeyBindingsDrawing:
    """The bindings at one size; `model` is scrolled so that the selected one is visible."""

    def __init__(self, model: KeyBindingsModel, look: Look) -> None:
        """Wrap all bindings."""
        gettext, self._look = look.translator.gettext, look
        self._note = model.status or gettext(
            "Press Enter to choose another key; arrows, Enter and Esc always work."
        )
        self._keys = [look.key_name(look.keymap.all_shown(key_label(key))) for key, _ in model.rows]
        self._x = _KEY_X + max(map(len, self._keys)) + 2
        self._lines = [
            (number, row)
            for number, (_, what) in enumerate(model.rows)
            for row in wrap_rows(gettext(what), "text", look.width - self._x - 1, ascii=look.ascii)
        ]
        self._height = look.height - _TOP - max(footer_height(look, self._note), 3)
        numbers = [number for number, _ in self._lines]
        last = len(numbers) - 1 - numbers[::-1].index(model.cursor)
        most = min(model.top, numbers.index(model.cursor), max(0, len(numbers) - self._height))
        self.model = msgspec.structs.replace(model, top=max(last - self._height + 1, most, 0))

    def frame(self, hints: Hints) -> Frame:
        """Draw the visible bindings."""
        look, model = self._look, self.model
        canvas = Canvas(look.width, look.height)
        where = f"{model.cursor + 1}/{len(model.rows)}"
        title_bar(canvas, look, look.translator.gettext("Your keys"), where)
        before = -1
        for y, (number, row) in enumerate(self._lines[model.top : model.top + self._height], _TOP):
            here = number == model.cursor
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
        shown = 0 <= line < self._height and self.model.top + line < len(self._lines)
        return self._lines[self.model.top + line][0] if shown else None


class KeyBindingsScreen(AppScreen):
    """The person's key bindings."""

    KEYS = OWN_KEYS
    HINTS = ("choose", "clear", "actions", "back")

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the screen."""
        super().__init__(context, known)
        self.model = KeyBindingsModel(bindable_keys(context.game_screens))
        self._waits = False
        """Whether the next key is the one to bind."""

    def draw(self, look: Look) -> Frame:
        """Draw the visible bindings."""
        drawing = KeyBindingsDrawing(msgspec.structs.replace(self.model, status=self.news), look)
        self.model = drawing.model
        return drawing.frame(self.shown_hints())

    def meant(self, press: Press) -> Press:
        """Leave the key to bind untranslated."""
        return press if self._waits else super().meant(press)

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
        row = cursor_round(action, self.model.cursor, len(self.model.rows))
        if row is not None:
            self._mark(row)
        match action:
            case "choose":
                self._waits = True
                self.status = self.look.translator.gettext("Press the new key, or Esc to cancel.")
            case "clear":
                self._keep(self.model.rows[self.model.cursor][0], "")
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Select a row; a click on the selected one asks for its key."""
        row = KeyBindingsDrawing(self.model, self.look).binding_at(tap.y)
        if row is None:
            return
        again = row == self.model.cursor
        self._mark(row)
        if again:
            self.press(Press("enter"))

    def _mark(self, row: int) -> None:
        self._waits = False
        self.model = msgspec.structs.replace(self.model, cursor=row)

    def _take(self, press: Press) -> None:
        gettext, key = self.look.translator.gettext, press.key
        self.status = ""
        if key in {"escape", "backspace"}:
            return
        if not is_rebindable(key):
            self.status = gettext("Choose a letter or a symbol; digits and other keys are fixed.")
            return
        self._keep(self.model.rows[self.model.cursor][0], key)
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


_KEY_TABLES: Final = (
    (N_("In the lobby"), LOBBY),
    (N_("Before the game"), WAITING),
    (N_("At a table"), TABLE),
)


class KeyReport(msgspec.Struct, frozen=True):
    """The last key: its name, and what it does as (where, what), translated."""

    called: str = ""
    does: tuple[tuple[str, str], ...] = ()


def describe_key(press: Press, game_screens: Mapping[str, AnyScreen], look: Look) -> KeyReport:
    """Return the report about a key."""
    gettext = look.translator.gettext
    called = look.key_name(key_label(press.key))
    if press.wheel:
        called = gettext("wheel up") if press.key == "up" else gettext("wheel down")
    key = look.keymap.meaning(press.key)
    keys = (key, look.keymap.meaning(key_by_place(key)))
    return KeyReport(called, next(filter(None, (_meanings(each, game_screens, look) for each in keys)), ()))


def _meanings(key: str, game_screens: Mapping[str, AnyScreen], look: Look) -> tuple[tuple[str, str], ...]:
    """Return what a key of the tables does, as (where, what)."""
    gettext, name = look.translator.gettext, key_label(key)
    games = [
        (game_screen.title, gettext(what))
        for game_screen in game_screens.values()
        for what in _game_meanings(game_screen, name)
        if name.isprintable()
    ]
    does = [
        (gettext(where), gettext(row.help or row.what))
        for where, table in _KEY_TABLES
        for row in table.rows
        if key in row.keys
    ]
    return (*games, *does)


def draw_key_test(model: KeyReport, look: Look, hints: Hints, status: str = "") -> Frame:
    """Draw the screen."""
    canvas, gettext = Canvas(look.width, look.height), look.translator.gettext
    title_bar(canvas, look, gettext("Key test"), "")
    y = 3
    if not model.called:
        rows = wrap_rows(gettext("Press any key, or click."), "text", look.width - 4, ascii=look.ascii)
        put_rows(canvas, 2, y, rows)
    else:
        canvas.put(2, y, f" {fit(model.called, look.width - 6, ascii=look.ascii)} ", "selected")
        does = model.does or ((gettext("Here"), gettext("This key does nothing.")),)
        for where, what in does:
            sentence = gettext("{place}: {what}", place=where, what=what)
            rows = wrap_rows(sentence, "text", look.width - 4, ascii=look.ascii)
            y = put_rows(canvas, 2, y + 2, rows) - 1
    footer(canvas, look, status or gettext("Press Esc or Backspace twice to go back."), hints)
    return canvas.frame()


def _game_meanings(game_screen: AnyScreen, name: str) -> Iterator[str]:
    """Yield what a key does in a game, from its help; `1-5` stands for five keys."""
    for shown, what in game_screen.key_help:
        for part in shown.split():
            first, dash, last = part.partition("-")
            if part == name or (dash and len(name) == len(first) == len(last) == 1 and first <= name <= last):
                yield what


class KeyTestScreen(AppScreen):
    """The key test: shows each key; pressing back twice leaves."""

    KEYS = KEY_TEST
    HINTS = ("back",)

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create it empty."""
        super().__init__(context, known)
        self._last: Press | None = None
        self._clicked = ""

    def draw(self, look: Look) -> Frame:
        """Draw the report about the last key or click."""
        model = KeyReport(self._clicked)
        if self._last is not None:
            model = describe_key(self._last, self.context.game_screens, look)
        elif self._clicked:
            model = KeyReport(
                self._clicked,
                ((look.translator.gettext("Mouse"), look.translator.gettext("a click here")),),
            )
        return draw_key_test(model, look, self.shown_hints(), self.news)

    def meant(self, press: Press) -> Press:
        """Leave the key untranslated: its meaning is shown."""
        return press

    def press(self, press: Press) -> None:
        """Show the key; leave on the second back."""
        before, self._last, self._clicked = self._last, press, ""
        if before is not None and before.key == press.key and KEY_TEST.action(press.key) == "back":
            self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Show the position of the click."""
        self._last, self._clicked = None, f"{tap.x + 1}, {tap.y + 1}"
