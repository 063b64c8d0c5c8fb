"""What somebody has played: their ratings, their games by kind, and how one did against them."""

from typing import Final

import msgspec

from cartino_protocol.commands import History, Profile, tag_of
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ProfileView, Told
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look
from cartino_tui.keys import PROFILE, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.help import HelpScreen
from cartino_tui.screens.history import HistoryScreen
from cartino_tui.screens.people_help import people_help
from cartino_tui.screens.profile_drawing import (
    ProfileModel,
    draw_profile,
    last_top,
    page_height,
    profile_hints,
)
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press

MOST_NAME: Final = 20
"""Characters of a name, with "bot" before it."""


class ProfileScreen(HouseScreen):
    """A profile; another one takes its place."""

    def __init__(self, stage: Stage, known: Known, view: ProfileView) -> None:
        """The profile that the house has told."""
        super().__init__(stage, known)
        self._guest = known.welcome is not None and known.welcome.guest
        self.model = self._model(view)
        self._asked: Profile | None = None

    def draw(self, look: Look) -> Frame:
        """As much as there is room for."""
        model = msgspec.structs.replace(self.model, status=self.news)
        top = min(model.top, last_top(model, look, self.stage.plugs))
        self.model = msgspec.structs.replace(model, top=top)
        return draw_profile(self.model, look, self.stage.plugs, self.shown_hints())

    def keys(self) -> KeyTable:
        """The profile's keys."""
        return PROFILE

    def hints(self) -> HintRow:
        """What can be done with this profile."""
        return profile_hints(self.model)

    def press(self, press: Press) -> None:
        """Scroll, look at the games, or at somebody else."""
        action = PROFILE.action(press.key)
        by = step(action, page_height(self.model, self.look) - 1, 0)
        if by is not None:
            self._scroll(by)
            return
        match action:
            case "games":
                self._games()
            case "mine":
                self._wait_for(Profile())
            case "player":
                label = self.look.tongue.say("Profile of")
                self.ask(Ask(label, MOST_NAME, self._open_named, to=(Profile.__name__,)))
            case "against":
                label = self.look.tongue.say("Compare with")
                self.ask(Ask(label, MOST_NAME, self._compare, to=(Profile.__name__,)))
            case "help":
                model = people_help(self.look.tongue, PROFILE, self.hints())
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "back":
                self.app.pop_screen()

    def answered(self, answer: Told) -> bool:
        """The other profile is here."""
        if self._asked is None or not isinstance(answer, ProfileView):
            return False
        if self._asked.against and not answer.against:
            self.status = self.look.tongue.say(
                "There is nobody called {name} to compare with.", name=self._asked.against
            )
        self._asked = None
        self.model = self._model(answer)
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Nothing comes of what was asked; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        return super().refused(refusal)

    def line_lost(self) -> None:
        """What was asked for will not come."""
        self._asked = None

    def _model(self, view: ProfileView) -> ProfileModel:
        return ProfileModel(view, guest=self._guest and view.you)

    def _scroll(self, by: int) -> None:
        top = max(0, min(self.model.top + by, last_top(self.model, self.look, self.stage.plugs)))
        self.model = msgspec.structs.replace(self.model, top=top)

    def _games(self) -> None:
        view = self.model.view
        name = f"{BOT}{view.name}" if view.bot else view.name
        asked = History("mine") if view.you else History("player", name)
        self.wish(asked)
        self.app.push_screen(HistoryScreen(self.stage, self.known, asked))

    def _open_named(self, name: str) -> None:
        self._wait_for(Profile(name))

    def _compare(self, name: str) -> None:
        view = self.model.view
        self._wait_for(Profile("" if view.player else view.name, player=view.player, against=name))

    def _wait_for(self, command: Profile) -> None:
        self._asked = command
        self.wish(command)
