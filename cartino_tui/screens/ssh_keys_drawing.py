"""One's ssh keys as a frame: two rows a key, and below them what to do with a code."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_protocol.own_keys import KeyLine, KeysView
from cartino_protocol.refusals import HOW_TO_MAKE_A_KEY
from cartino_tui.door import Door
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import first_that_fits, in_rows, put_rows
from cartino_tui.draw.text import clean, fit, wrap_command
from cartino_tui.games.screen import Look
from cartino_tui.keys import SSH_KEYS
from cartino_tui.own_keys import code_words, facts_of
from cartino_tui.screens.parts import Hints, bar, centre, first_in_sight, foot, foot_height, marks

TOP: Final = 3
"""The row where the list begins."""
EACH: Final = 2
"""Rows a key."""
_LEFT: Final = 4


class SshKeysModel(msgspec.Struct, frozen=True):
    """What the screen shows: what the house told (None before), the marked key, the first in sight, a status.

    A `guest` has no key. `door` is what is typed to come here.
    """

    view: KeysView | None = None
    cursor: int = 0
    top: int = 0
    status: str = ""
    guest: bool = False
    door: Door = Door()

    @property
    def lines(self) -> Sequence[KeyLine]:
        """The keys."""
        return self.view.keys if self.view is not None else ()

    @property
    def marked(self) -> KeyLine | None:
        """The marked one."""
        return self.lines[self.cursor] if self.lines else None


def keys_hints(model: SshKeysModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something here, in English."""
    can = () if model.guest else ("code", "add", "drop") if len(model.lines) > 1 else ("code", "add")
    return SSH_KEYS.hints(*can, "actions", "back")


def list_height(model: SshKeysModel, look: Look) -> int:
    """How many keys are in sight at once."""
    below = len(_below(model, look))
    return max(1, (look.height - TOP - foot_height(look, model.status) - below) // EACH)


def scrolled(model: SshKeysModel, look: Look) -> SshKeysModel:
    """The same with the marked one in sight."""
    top = first_in_sight(model.top, model.cursor, len(model.lines), list_height(model, look))
    return msgspec.structs.replace(model, top=top)


def key_at(model: SshKeysModel, look: Look, y: int) -> int | None:
    """The number of the key that stands in row `y`, or None."""
    line = (y - TOP) // EACH
    number = model.top + line
    return number if y >= TOP and line < list_height(model, look) and number < len(model.lines) else None


def draw_ssh_keys(model: SshKeysModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    say, mark = look.tongue.say, marks(look)
    count = len(model.lines)
    bar(canvas, look, say("Your ssh keys"), str(count) if count > 1 else "")
    last = min(count, model.top + list_height(model, look))
    for line, number in enumerate(range(model.top, last)):
        y, key = TOP + EACH * line, model.lines[number]
        room = look.width - _LEFT - 2
        canvas.put(_LEFT, y, fit(clean(key.fingerprint), room, ascii=look.ascii), "text")
        facts = [clean(fact) for fact in facts_of(key, look.tongue)]
        whole = f" {mark.dot} ".join(facts)
        canvas.put(_LEFT, y + 1, first_that_fits([whole, *reversed(facts)], room), "dim")
        if number == model.cursor:
            canvas.put(2, y, mark.pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if model.guest:
        # The command in it is to be read, and copied, in one piece.
        told = wrap_command(say(HOW_TO_MAKE_A_KEY), look.width - 4, ascii=look.ascii)
        put_rows(canvas, 2, TOP + 1, [((line, "text"),) for line in told])
    elif model.view is None and not model.status:
        centre(canvas, look.height // 2, say("Looking in the register…"), "dim", ascii=look.ascii)
    below = _below(model, look)
    put_rows(canvas, 2, look.height - foot_height(look, model.status) - len(below), below)
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def _below(model: SshKeysModel, look: Look) -> list[Row]:
    """What to do with the code, where there is one; else what these keys are."""
    cells = look.width - 4
    if model.view is None or model.guest:
        return []
    if model.view.code:
        told, typed = code_words(model.view, model.door, look.tongue)
        return [
            *in_rows(told, "text", cells, ascii=look.ascii),
            *in_rows(typed, "key", cells, ascii=look.ascii),
            (),
        ]
    about = look.tongue.say("The house knows you by these. A key that you lose is to be dropped.")
    return [*in_rows(about, "dim", cells, ascii=look.ascii), ()]
