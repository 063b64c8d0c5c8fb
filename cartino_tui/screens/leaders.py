"""Who plays best; from here to what each of them has played."""

import msgspec

from cartino_protocol.commands import Leaders, Profile, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LeadersView, ProfileView, Told
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look
from cartino_tui.keys import LEADERS, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.help import HelpScreen
from cartino_tui.screens.leaders_drawing import (
    LeadersModel,
    draw_leaders,
    leaders_hints,
    line_at,
    list_height,
    scrolled,
)
from cartino_tui.screens.people_help import people_help
from cartino_tui.screens.profile import MOST_NAME, ProfileScreen
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap


class LeadersScreen(HouseScreen):
    """The list of the best at one game, with a cursor."""

    def __init__(self, stage: Stage, known: Known, asked: Leaders) -> None:
        """The list that the house was just `asked` for."""
        super().__init__(stage, known)
        welcome = known.welcome
        self.model = LeadersModel(
            guest=welcome is not None and welcome.guest,
            games=len(welcome.games) if welcome is not None else 1,
        )
        self._asked: Leaders | Profile | None = asked

    def draw(self, look: Look) -> Frame:
        """The list, scrolled so that the cursor is in sight."""
        model = msgspec.structs.replace(self.model, waiting=self._asked is not None, status=self.news)
        self.model = msgspec.structs.replace(model, top=scrolled(model, look))
        return draw_leaders(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return LEADERS

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return leaders_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, open a profile, or go to the next game."""
        action = LEADERS.action(press.key)
        by = step(action, list_height(self.model, self.look), len(self.model.lines))
        if by is not None:
            self._move(by)
            return
        match action:
            case "open":
                self._open_marked()
            case "mine":
                self._wait_for(Profile())
            case "player":
                player = self.look.tongue.say("Profile of")
                self.ask(Ask(player, MOST_NAME, self._open_named, to=(Profile.__name__,)))
            case "next":
                self._next_game()
            case "help":
                model = people_help(self.look.tongue, LEADERS, self.hints())
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """A click marks a line; a click on the marked one, or a double click, opens the profile."""
        number = line_at(self.model, self.look, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again:
            self._open_marked()

    def answered(self, answer: Told) -> bool:
        """The list or the profile that was asked for is here."""
        asked, self._asked = self._asked, None
        match asked, answer:
            case Leaders(), LeadersView():
                plug = self.stage.plugs.get(answer.game)
                title = plug.title if plug is not None else answer.game
                self.model = msgspec.structs.replace(self.model, view=answer, title=title, cursor=0, top=0)
            case Profile(), ProfileView():
                self.app.push_screen(ProfileScreen(self.stage, self.known, answer))
            case _:
                self._asked = asked
                return False
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Nothing comes of what was asked; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        return super().refused(refusal)

    def line_lost(self) -> None:
        """What was asked for will not come."""
        self._asked = None

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.lines) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _open_marked(self) -> None:
        if self.model.marked is not None:
            self._wait_for(Profile(player=self.model.marked.player))

    def _open_named(self, name: str) -> None:
        self._wait_for(Profile(name))

    def _next_game(self) -> None:
        welcome, view = self.known.welcome, self.model.view
        names = [game.name for game in welcome.games] if welcome is not None else []
        if view is not None and view.game in names and len(names) > 1:
            self._wait_for(Leaders(names[(names.index(view.game) + 1) % len(names)]))

    def _wait_for(self, command: Leaders | Profile) -> None:
        self._asked = command
        self.wish(command)
