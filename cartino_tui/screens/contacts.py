"""Lists of other people: invitations to tables, and people that one has muted. Both update live."""

from collections.abc import Mapping
from typing import Final

import msgspec

from cartino_protocol.accounts import IgnoredPerson, Invitation
from cartino_protocol.commands import Decline, Ignore, Join, Watch
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean, fit
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.keys import IGNORED, INVITATIONS, KeyTable
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.layout import (
    Hints,
    cursor_step,
    footer,
    footer_height,
    glyphs,
    put_centred,
    scroll_top,
    title_bar,
)
from cartino_tui.widgets.prompt import Confirmation, Prompt

LIST_TOP = 3
"""The row where the list begins; two rows an invitation. There are never more than a few."""
ROWS_PER_INVITATION = 2


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
    number = (y - LIST_TOP) // ROWS_PER_INVITATION
    return number if y >= LIST_TOP and number < len(model.lines) else None


def draw_invitations(
    model: InvitationsModel, look: Look, game_screens: Mapping[str, AnyScreen], hints: Hints
) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `game_screens` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    gettext = look.translator.gettext
    title_bar(canvas, look, gettext("Invitations"))
    for number, line in enumerate(model.lines):
        y = LIST_TOP + ROWS_PER_INVITATION * number
        game_screen = game_screens.get(line.game)
        game = game_screen.title if game_screen is not None else line.game
        text = gettext(
            "{name} invites you to {code}: {game}", name=clean(line.name), code=line.code, game=game
        )
        canvas.put(4, y, fit(text, look.width - 6, ascii=look.ascii), "text")
        if number == model.cursor:
            canvas.put(2, y, glyphs(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if not model.lines:
        nothing = gettext("Nobody has invited you just now. At your own table, i asks others to come.")
        put_centred(canvas, look.height // 2 - 1, nothing, "text", ascii=look.ascii)
    footer(canvas, look, model.status, hints)
    return canvas.frame()


class InvitationsScreen(AppScreen):
    """The list over the lobby, as it changes."""

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """What `known` has of them."""
        super().__init__(stage, known)
        self.model = InvitationsModel(known.invitations)

    def state_changed(self) -> None:
        """There may be others now."""
        lines = self.known.invitations
        cursor = max(0, min(self.model.cursor, len(lines) - 1))
        self.model = msgspec.structs.replace(self.model, lines=lines, cursor=cursor)

    def draw(self, look: Look) -> Frame:
        """All of them: a house lets only a few wait."""
        self.model = msgspec.structs.replace(self.model, status=self.news)
        return draw_invitations(self.model, look, self.stage.game_screens, self.shown_hints())

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
        sentence = self.look.translator.gettext(
            "Hear no more of {name}, not at tables either?", name=clean(marked.name)
        )
        self.question = Confirmation(sentence, lambda: self.wish(no_more, awaited=False))

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.lines) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)


class MutedModel(msgspec.Struct, frozen=True):
    """What the screen shows: the people, the marked one, the first in sight, and a line about what happened."""

    people: tuple[IgnoredPerson, ...] = ()
    cursor: int = 0
    top: int = 0
    status: str = ""

    @property
    def marked(self) -> IgnoredPerson | None:
        """The marked one."""
        return self.people[self.cursor] if self.people else None


def muted_hints(model: MutedModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something here, in English."""
    answers = ("hear",) if model.people else ()
    return IGNORED.hints(*answers, "ignore", "actions", "back")


def muted_height(look: Look, status: str) -> int:
    """How many people are in sight at once."""
    return max(1, look.height - LIST_TOP - footer_height(look, status))


def scroll_muted(model: MutedModel, look: Look) -> MutedModel:
    """The same with the marked one in sight."""
    height = muted_height(look, model.status)
    top = scroll_top(model.top, model.cursor, len(model.people), height)
    return msgspec.structs.replace(model, top=top)


def muted_at(model: MutedModel, look: Look, y: int) -> int | None:
    """The number of the person who stands in row `y`, or None."""
    number = model.top + y - LIST_TOP
    in_sight = LIST_TOP <= y < LIST_TOP + muted_height(look, model.status)
    return number if in_sight and number < len(model.people) else None


def draw_muted(model: MutedModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    gettext = look.translator.gettext
    count = len(model.people)
    title_bar(canvas, look, gettext("People whom you ignore"), str(count) if count else "")
    for y, number in enumerate(
        range(model.top, min(count, model.top + muted_height(look, model.status))), LIST_TOP
    ):
        name = clean(model.people[number].name)
        canvas.put(4, y, fit(name, look.width - 6, ascii=look.ascii), "text")
        if number == model.cursor:
            canvas.put(2, y, glyphs(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if not count:
        nothing = gettext("You ignore nobody. At a table, T has the talk, and x there ignores.")
        put_centred(canvas, look.height // 2 - 1, nothing, "text", ascii=look.ascii)
    footer(canvas, look, model.status, hints)
    return canvas.frame()


MAX_NAME: Final = 40


class MutedScreen(AppScreen):
    """The list over another screen, as it changes."""

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """What `known` has of it."""
        super().__init__(stage, known)
        self.model = MutedModel(known.ignored or ())

    def state_changed(self) -> None:
        """There may be others now."""
        people = self.known.ignored or ()
        cursor = max(0, min(self.model.cursor, len(people) - 1))
        self.model = msgspec.structs.replace(self.model, people=people, cursor=cursor)

    def draw(self, look: Look) -> Frame:
        """The part of the list with the marked one."""
        self.model = scroll_muted(msgspec.structs.replace(self.model, status=self.news), look)
        return draw_muted(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return IGNORED

    def hints(self) -> HintRow:
        """What can be done with the marked one."""
        return muted_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, hear somebody again, or ask whom to ignore."""
        marked, action = self.model.marked, IGNORED.action(press.key)
        by = cursor_step(action, muted_height(self.look, self.news), len(self.model.people))
        if by is not None:
            self._move(by)
            return
        match action:
            case "back":
                self.app.pop_screen()
            case "ignore":
                name = self.look.translator.gettext("Whom do you want to hear no more of")
                self.ask(Prompt(name, MAX_NAME, self._ignore, to=(Ignore.__name__,)))
            case "hear" if marked is not None:
                self.wish(Ignore(marked.who, marked.name, on=False), awaited=False)

    def tap(self, tap: Tap) -> None:
        """A click marks somebody."""
        number = muted_at(self.model, self.look, tap.y)
        if number is not None:
            self._move(number - self.model.cursor)

    def _ignore(self, name: str) -> None:
        self.wish(Ignore(name=name), awaited=False)

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.people) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)
