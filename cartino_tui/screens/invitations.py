"""The tables that one was asked to: go there, or don't."""

import msgspec

from cartino_protocol.commands import Decline, Join, Watch
from cartino_protocol.neighbours import Invitation
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.text import clean
from cartino_tui.games.screen import Look
from cartino_tui.keys import INVITATIONS, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.invitations_drawing import (
    InvitationsModel,
    draw_invitations,
    invitation_at,
    invitations_hints,
)
from cartino_tui.screens.question import Question
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap


class InvitationsScreen(HouseScreen):
    """The list over the lobby, as it changes."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """What `known` has of them."""
        super().__init__(stage, known)
        self.model = InvitationsModel(known.invitations)

    def learned(self) -> None:
        """There may be others now."""
        lines = self.known.invitations
        cursor = max(0, min(self.model.cursor, len(lines) - 1))
        self.model = msgspec.structs.replace(self.model, lines=lines, cursor=cursor)

    def draw(self, look: Look) -> Frame:
        """All of them: a house lets only a few wait."""
        self.model = msgspec.structs.replace(self.model, status=self.news)
        return draw_invitations(self.model, look, self.stage.plugs, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return INVITATIONS

    def hints(self) -> HintRow:
        """What can be done with the marked one."""
        return invitations_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, or answer the marked invitation."""
        action, marked = INVITATIONS.action(press.key), self.model.marked
        match action:
            case "up":
                self._move(-1)
            case "down":
                self._move(1)
            case "back":
                self.app.pop_screen()
            case "join" if marked is not None:
                self.wish(Join(marked.code))
            case "watch" if marked is not None:
                self.wish(Watch(marked.code))
            case "decline" if marked is not None:
                self.wish(Decline(marked.code), awaited=False)
            case "ignore" if marked is not None:
                self._ignore(marked)

    def tap(self, tap: Tap) -> None:
        """A click marks an invitation; a click on the marked one, or a double click, goes there."""
        number = invitation_at(self.model, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again and self.model.marked is not None:
            self.wish(Join(self.model.marked.code))

    def _ignore(self, marked: Invitation) -> None:
        """What else they say isn't heard either, so it is asked about."""
        no_more = Decline(marked.code, for_good=True)
        sentence = self.look.tongue.say(
            "Hear no more of {name}, not at tables either?", name=clean(marked.name)
        )
        self.question = Question(sentence, lambda: self.wish(no_more, awaited=False))

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.lines) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)
