"""A screen on which every key says what it is called, and what it does elsewhere."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from cartino_protocol.marking import N_
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.draw.text import fit
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.key_names import written
from cartino_tui.keys import KEY_TEST, LOBBY, TABLE, WAITING, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.parts import Hints, bar, foot, key_name
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

_TABLES: Final = ((N_("In the lobby"), LOBBY), (N_("Before the game"), WAITING), (N_("At a table"), TABLE))


class Tried(msgspec.Struct, frozen=True):
    """The last key: what it is `called`, and what it does as (where, what), in the reader's language."""

    called: str = ""
    does: tuple[tuple[str, str], ...] = ()


def tried(press: Press, plugs: Mapping[str, AnyScreen], look: Look) -> Tried:
    """What is to be said of a key."""
    say = look.tongue.say
    name = written(press.key)
    called = key_name(name, look)
    if press.wheel:
        called = say("wheel up") if press.key == "up" else say("wheel down")
    key = look.keymap.meaning(press.key)
    does = [
        (say(where), say(row.help or row.what))
        for where, table in _TABLES
        for row in table.rows
        if key in row.keys
    ]
    games = [
        (plug.title, say(what))
        for plug in plugs.values()
        for what in _in_game(plug, written(key))
        if name.isprintable()
    ]
    return Tried(called, (*games, *does))


def draw_key_test(model: Tried, look: Look, hints: Hints, status: str = "") -> Frame:
    """The whole screen, `look.width` by `look.height` cells."""
    canvas, say = Canvas(look.width, look.height), look.tongue.say
    bar(canvas, look, say("Key test"), "")
    y = 3
    if not model.called:
        put_rows(
            canvas, 2, y, in_rows(say("Press any key, or click."), "text", look.width - 4, ascii=look.ascii)
        )
    else:
        canvas.put(2, y, f" {fit(model.called, look.width - 6, ascii=look.ascii)} ", "selected")
        does = model.does or ((say("Here"), say("This key does nothing.")),)
        for where, what in does:
            sentence = say("{place}: {what}", place=where, what=what)
            rows = in_rows(sentence, "text", look.width - 4, ascii=look.ascii)
            y = put_rows(canvas, 2, y + 2, rows) - 1
    foot(canvas, look, status or say("Esc twice, or Backspace twice, leads back."), hints)
    return canvas.frame()


def _in_game(plug: AnyScreen, name: str) -> Iterator[str]:
    """What the key shown as `name` does in a game, as its help has it: `1-5` stands for five keys."""
    for shown, what in plug.key_help:
        for part in shown.split():
            first, dash, last = part.partition("-")
            if part == name or (dash and len(name) == len(first) == len(last) == 1 and first <= name <= last):
                yield what


class KeyTestScreen(HouseScreen):
    """The key test. No key does anything here but leave, and that only twice in a row."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """Nothing was pressed yet."""
        super().__init__(stage, known)
        self._last: Press | None = None
        self._clicked = ""

    def draw(self, look: Look) -> Frame:
        """What there is to say of the last key or click."""
        model = Tried(self._clicked)
        if self._last is not None:
            model = tried(self._last, self.stage.plugs, look)
        elif self._clicked:
            model = Tried(
                self._clicked, ((look.tongue.say("Mouse"), look.tongue.say("a click came from here")),)
            )
        return draw_key_test(model, look, self.shown_hints(), self.news)

    def keys(self) -> KeyTable:
        """The way out."""
        return KEY_TEST

    def hints(self) -> HintRow:
        """The way out."""
        return KEY_TEST.hints("back")

    def meant(self, press: Press) -> Press:
        """Here a key is itself; what it means is told."""
        return press

    def press(self, press: Press) -> None:
        """Show the key; lead back when it is the second of two."""
        before, self._last, self._clicked = self._last, press, ""
        if before is not None and before.key == press.key and KEY_TEST.action(press.key) == "back":
            self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Show where the click was."""
        self._last, self._clicked = None, f"{tap.x + 1}, {tap.y + 1}"
