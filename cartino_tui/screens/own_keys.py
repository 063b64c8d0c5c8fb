"""The screen on which people choose which key does what."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from cartino_protocol.marking import N_
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_row
from cartino_tui.draw.text import safe
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.key_names import named, written
from cartino_tui.keymap import ARROWS, chosen_keys, may_stand_for
from cartino_tui.keys import LOBBY, OWN_KEYS, TABLE, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.calibration import Choose
from cartino_tui.screens.parts import Hints, bar, foot, foot_height, key_name, marks
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

_TOP: Final = 2
_KEY: Final = 3
_MOVES: Final = (
    *zip(ARROWS, (N_("up"), N_("down"), N_("left"), N_("right")), strict=True),
    ("enter", N_("confirm: play, join, choose")),
    ("escape", N_("back")),
)

Chosen = tuple[str, str]
"""A key of the tables, and what it does, in English."""


def choosable(plugs: Mapping[str, AnyScreen]) -> tuple[Chosen, ...]:
    """All that may have another key: what moves, what the games have, what is done at every table."""
    game = ((named(key), what) for plug in plugs.values() for key, what in plug.key_help if len(key) == 1)
    frame = ((row.keys[0], row.what) for row in TABLE.rows if may_stand_for(row.keys[0]))
    found: dict[str, str] = {}
    for key, what in (*_MOVES, *game, *frame):
        if key in dict(_MOVES) or (may_stand_for(key) and written(key).isascii()):
            found.setdefault(key, what)
    return tuple(found.items())


class OwnKeysModel(msgspec.Struct, frozen=True):
    """What may be chosen, the marked one, the first row in sight, and a sentence about what happened."""

    rows: tuple[Chosen, ...]
    cursor: int = 0
    top: int = 0
    status: str = ""


def draw_own_keys(model: OwnKeysModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, of a `scrolled` model."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, look.tongue.say("Your keys"), f"{model.cursor + 1}/{len(model.rows)}")
    keys = _keys(model, look)
    width = max(map(len, keys)) + 2
    shown = list(_lines(model, look))[model.top : model.top + _height(model, look)]
    before = -1
    for y, (number, row) in enumerate(shown, _TOP):
        here = number == model.cursor
        if number != before:
            canvas.put(_KEY, y, keys[number], "key")
            if here:
                canvas.put(1, y, marks(look).pick, "key")
        put_row(canvas, _KEY + width, y, row)
        if here:
            canvas.paint(_KEY + width, y, look.width - _KEY - width - 1, "selected")
        before = number
    foot(canvas, look, _note(model, look), hints)
    return canvas.frame()


def scrolled(model: OwnKeysModel, look: Look) -> OwnKeysModel:
    """The model with all of the marked one in sight."""
    lines = [number for number, _ in _lines(model, look)]
    first, height = lines.index(model.cursor), _height(model, look)
    last = len(lines) - 1 - lines[::-1].index(model.cursor)
    top = max(last - height + 1, min(model.top, first, max(0, len(lines) - height)), 0)
    return msgspec.structs.replace(model, top=top)


def row_at(model: OwnKeysModel, look: Look, y: int) -> int | None:
    """The number of what stands in row `y`, or None."""
    lines = list(_lines(model, look))
    line = y - _TOP
    if 0 <= line < _height(model, look) and model.top + line < len(lines):
        return lines[model.top + line][0]
    return None


def _keys(model: OwnKeysModel, look: Look) -> list[str]:
    return [key_name(look.keymap.all_shown(written(key)), look) for key, _ in model.rows]


def _lines(model: OwnKeysModel, look: Look) -> Iterator[tuple[int, Row]]:
    """Every row of the list, with the number of what it belongs to."""
    width = max(map(len, _keys(model, look))) + 2
    for number, (_, what) in enumerate(model.rows):
        words = look.tongue.say(what)
        for row in in_rows(words, "text", look.width - _KEY - width - 1, ascii=look.ascii):
            yield number, row


def _height(model: OwnKeysModel, look: Look) -> int:
    return look.height - _TOP - max(foot_height(look, _note(model, look)), 3)


def _note(model: OwnKeysModel, look: Look) -> str:
    return model.status or look.tongue.say("Enter chooses another key; arrows, Enter and Esc always work.")


class OwnKeysScreen(HouseScreen):
    """What each key does. `choose` has the person's choices changed and kept."""

    def __init__(self, stage: Stage, known: Known, choose: Choose) -> None:
        """The keymap as it is now."""
        super().__init__(stage, known)
        self.model = OwnKeysModel(choosable(stage.plugs))
        self._change = choose
        self._waits = False
        """Whether the next key is the one to choose."""

    def draw(self, look: Look) -> Frame:
        """The keys in sight."""
        self.model = scrolled(msgspec.structs.replace(self.model, status=self.news), look)
        return draw_own_keys(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The keys of this screen."""
        return OWN_KEYS

    def hints(self) -> HintRow:
        """What can be done here."""
        return OWN_KEYS.hints("choose", "clear", "actions", "back")

    def meant(self, press: Press) -> Press:
        """The key to choose is itself."""
        return press if self._waits else super().meant(press)

    def do_key(self, press: Press) -> None:
        """Take the key that is waited for, whatever it does elsewhere."""
        if self._waits:
            self._waits = False
            self._take(press)
        else:
            super().do_key(press)

    def press(self, press: Press) -> None:
        """Move, or ask for a key."""
        count = len(self.model.rows)
        match OWN_KEYS.action(press.key):
            case "up":
                self._mark((self.model.cursor - 1) % count)
            case "down":
                self._mark((self.model.cursor + 1) % count)
            case "first":
                self._mark(0)
            case "last":
                self._mark(count - 1)
            case "choose":
                self._waits = True
                self.status = self.look.tongue.say("Press the key for it; Esc leaves it as it is.")
            case "clear":
                self._keep(self.model.rows[self.model.cursor][0], "")
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """A click marks a line; one on the marked line asks for its key."""
        row = row_at(self.model, self.look, tap.y)
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
        say, key = self.look.tongue.say, press.key
        self.status = ""
        if key in {"escape", "backspace"}:
            return
        if not may_stand_for(key):
            self.status = say(
                "A letter or a sign can be chosen: other keys and numbers mean the same to all."
            )
            return
        self._keep(self.model.rows[self.model.cursor][0], key)
        shown = safe(written(key), ascii=self.look.ascii)
        other = self.look.keymap.key(key)
        if other != key and (TABLE.action(key) or LOBBY.action(key)):
            self.status = say(
                "{key} it is; what {key} did is done by {other} now.", key=shown, other=written(other)
            )
        else:
            self.status = say("{key} it is.", key=shown)

    def _keep(self, meaning: str, key: str) -> None:
        """`key`, or for "" no other than before, stands for `meaning` from now on."""
        own = chosen_keys(self.stage.preferences.settings)
        own = {each: other for each, other in own.items() if each != meaning and other != key}
        self._change(keymap="own", own_keys=own | ({meaning: key} if key not in {"", meaning} else {}))
