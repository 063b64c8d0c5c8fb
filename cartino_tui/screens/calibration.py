"""The terminal check: show colours and characters, and ask whether they line up."""

from collections.abc import Callable
from typing import Final, Protocol

import msgspec

from cartino_protocol.text import N_
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_row, put_rows, wrap_rows
from cartino_tui.draw.text import plain
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.keys import CALIBRATION, KeyTable
from cartino_tui.pages.settings_rows import (
    SETTING_ROWS,
    SettingRow,
    next_value,
    relevant_rows,
    relevant_screens,
    value_text,
)
from cartino_tui.preferences import Preferences
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.visit.pending import Press
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.layout import Hints, footer, footer_height, title_bar

_X: Final = 2
_SWATCH_ROLES: Final = ("reversed", "selected", "button", "late")
_UNICODE_BOX: Final = (
    "┌───────────────┐",
    "│ ♠ ♥ ♦ ♣ ■ ★ ● │",
    "│ ○ ► ◄ · − … √ │",
    "│ ╔═╗ ╭─╮ ░ █ ╌ │",
    "└───────────────┘",
)
_ASCII_BOX: Final = ("+---------------+", "| S H D C # * o |", "| . > < - ~ x : |", "+---------------+")


class CalibrationModel(msgspec.Struct, frozen=True):
    """What the check shows; `colours`: the terminal's depth in words, `sample`: rows of the games' pieces."""

    colours: str
    status: str = ""
    settings: tuple[SettingRow, ...] = SETTING_ROWS
    sample: tuple[Row, ...] = ()


def draw_calibration(model: CalibrationModel, look: Look, wanted: Preferences, hints: Hints) -> Frame:
    """Draw the screen."""
    canvas, gettext = Canvas(look.width, look.height), look.translator.gettext
    title_bar(canvas, look, gettext("Your terminal"), f"{look.width} x {look.height}, {model.colours}")
    _draw_colours(canvas, look, 2 + (look.height > 21))
    status = model.status or _current_choices(model, look, wanted)
    y = 5 + (look.height > 21)
    room = look.height - footer_height(look, status) - 1 - len(_UNICODE_BOX) - y
    y = put_rows(canvas, _X, y, model.sample[: max(0, room)])
    _draw_edge_test(canvas, look, wanted, y + 1)
    footer(canvas, look, status, hints)
    return canvas.frame()


def _draw_colours(canvas: Canvas, look: Look, y: int) -> None:
    """Draw filled blocks in the look's colours, and each kind of emphasis."""
    x = _X
    for role in _SWATCH_ROLES:
        x = canvas.put(x, y, "     ", role) + 1
    kinds: list[Row] = [
        ((say, role),)
        for say, role in (
            (look.translator.gettext("bold"), "strong"),
            (look.translator.gettext("underlined"), "underlined"),
            (look.translator.gettext("reversed"), "reversed"),
            (look.translator.gettext("dim"), "dim"),
        )
    ]
    x = _X
    for kind in kinds:
        x = put_row(canvas, x, y + 1, _printable(kind, look)) + 2


def _draw_edge_test(canvas: Canvas, look: Look, wanted: Preferences, y: int) -> None:
    """Draw a box whose right edge is straight if every character is one cell wide, and a question beside it."""
    gettext = look.translator.gettext
    # An ASCII terminal might take these for control sequences.
    tries_all = not wanted.own_ascii or wanted.settings.characters == "unicode"
    picture = _UNICODE_BOX if tries_all else _ASCII_BOX
    for line, text in enumerate(picture):
        canvas.put(_X, y + line, text, "text")
    question = (
        gettext(
            "Is the right edge of this box one straight line? y keeps all characters, n takes plain letters."
        )
        if tries_all
        else gettext("Your terminal says that it has plain letters only. Settings can ask for all.")
    )
    x = _X + len(picture[0]) + 3
    put_rows(canvas, x, y, wrap_rows(question, "text", look.width - x - 1, ascii=look.ascii))


def _current_choices(model: CalibrationModel, look: Look, wanted: Preferences) -> str:
    """Return the current settings in a sentence."""
    by_name = {setting.name: value_text(setting, wanted, look.translator) for setting in model.settings}
    if "deck" not in by_name:
        return look.translator.gettext(
            "Colours: {theme}. Characters: {characters}.",
            theme=by_name["theme"],
            characters=by_name["characters"],
        )
    return look.translator.gettext(
        "Colours: {theme}. Deck: {deck}. Characters: {characters}.",
        theme=by_name["theme"],
        deck=by_name["deck"],
        characters=by_name["characters"],
    )


def _printable(row: Row, look: Look) -> Row:
    return tuple((plain(text) if look.ascii else text, role) for text, role in row)


_COLOUR_DEPTHS: Final[dict[ColourDepth, str]] = {
    "true": N_("all colours"),
    "256": N_("256 colours"),
    "16": N_("16 colours"),
    "mono": N_("no colours"),
}
_WITHOUT_DECK: Final = KeyTable(*(row for row in CALIBRATION.rows if row.action != "deck"))


class ChangeSettings(Protocol):
    """Changes settings, by the names of `Settings`, at once."""

    def __call__(self, **choices: object) -> None:
        """Apply the choices."""


class CalibrationScreen(AppScreen):
    """The terminal check; answers change settings."""

    def __init__(self, stage: AppContext, known: ClientState, choose: ChangeSettings) -> None:
        """Create the screen; answers go to `choose`."""
        super().__init__(stage, known)
        self._choose = choose
        self._game_screens = relevant_screens(stage.game_screens, known.room)
        self._settings = {setting.name: setting for setting in relevant_rows(self._game_screens)}

    def draw(self, look: Look) -> Frame:
        """Draw with the current settings."""
        app = self.app
        depth = _COLOUR_DEPTHS[app.session_depth] if isinstance(app, SessionApp) else ""
        settings, sample = tuple(self._settings.values()), tuple(all_samples(self._game_screens, look))
        model = CalibrationModel(look.translator.gettext(depth), self.news, settings, sample)
        return draw_calibration(model, look, self.stage.preferences, self.shown_hints())

    def keys(self) -> KeyTable:
        """Return the keys; none for the deck without card games."""
        return CALIBRATION if "deck" in self._settings else _WITHOUT_DECK

    def hints(self) -> HintRow:
        """Return the hints."""
        deck = ("deck",) if "deck" in self._settings else ()
        return CALIBRATION.hints("yes", "no", "next", *deck, "actions", "back")

    def press(self, press: Press) -> None:
        """Change a setting."""
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
        self._choose(**{name: next_value(self._settings[name], self.stage.preferences, by)})

    def _leave(self) -> None:
        # Wide characters may have moved their neighbours.
        self.mark_dirty()
        self.app.pop_screen()
