"""The tables that one was asked to, as a frame: a row an invitation."""

from collections.abc import Mapping

import msgspec

from cartino_protocol.neighbours import Invitation
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean, fit
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import INVITATIONS
from cartino_tui.screens.parts import Hints, bar, centre, foot, marks

TOP = 3
"""The row where the list begins; two rows an invitation. There are never more than a few."""
EACH = 2


class InvitationsModel(msgspec.Struct, frozen=True):
    """What the screen shows: the invitations, oldest first, the marked one, and a line about what happened."""

    lines: tuple[Invitation, ...] = ()
    cursor: int = 0
    status: str = ""

    @property
    def marked(self) -> Invitation | None:
        """The marked one."""
        return self.lines[self.cursor] if self.lines else None


def invitations_hints(model: InvitationsModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something here, in English."""
    answers = ("join", "watch", "decline", "ignore") if model.lines else ()
    return INVITATIONS.hints(*answers, "actions", "back")


def invitation_at(model: InvitationsModel, y: int) -> int | None:
    """The number of the invitation that stands in row `y`, or None."""
    number = (y - TOP) // EACH
    return number if y >= TOP and number < len(model.lines) else None


def draw_invitations(
    model: InvitationsModel, look: Look, plugs: Mapping[str, AnyScreen], hints: Hints
) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `plugs` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    say = look.tongue.say
    bar(canvas, look, say("Invitations"))
    for number, line in enumerate(model.lines):
        y = TOP + EACH * number
        plug = plugs.get(line.game)
        game = plug.title if plug is not None else line.game
        text = say("{name} invites you to {code}: {game}", name=clean(line.name), code=line.code, game=game)
        canvas.put(4, y, fit(text, look.width - 6, ascii=look.ascii), "text")
        if number == model.cursor:
            canvas.put(2, y, marks(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if not model.lines:
        nothing = say("Nobody has invited you just now. At your own table, i asks others to come.")
        centre(canvas, look.height // 2 - 1, nothing, "text", ascii=look.ascii)
    foot(canvas, look, model.status, hints)
    return canvas.frame()
