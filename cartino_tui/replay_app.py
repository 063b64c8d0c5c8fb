"""The Textual app that shows a game record from a file, without a server."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual.driver import Driver
from textual.screen import Screen

from cartino_protocol.views import CourseTurn
from cartino_tui.context import AppContext
from cartino_tui.draw.theme import Ground
from cartino_tui.game_port.screen import AnyScreen, all_roles
from cartino_tui.i18n import Language
from cartino_tui.preferences import Preferences, Settings
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.visit.farewell import Farewell, wrap_farewell
from cartino_tui.visit.replay_cursor import ReplayCursor, ReplayStep
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import Quit

__all__ = ["ReplayApp", "ReplayStep"]


class ReplayApp(SessionApp[str]):
    """Steps forward and back through a game's moments."""

    TITLE = "Cartino"
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(
        self,
        steps: Iterable[ReplayStep],
        *,
        depth: ColourDepth | None = None,
        driver_class: type[Driver] | None = None,
        ascii: bool = False,
        language: Language = "en",
        ground: Ground | None = None,
        game_screens: Mapping[str, AnyScreen],
        turns: tuple[CourseTurn, ...] = (),
        settings: Settings = Settings(),  # noqa: B008 - a constant
    ) -> None:
        """Show `steps` to somebody who reads `language`, unless their `settings` say otherwise.

        `turns` is how the totals went.

        Raises ValueError where there are none, or none of `game_screens` can draw their game.
        """
        super().__init__(
            depth=depth, driver_class=driver_class, ascii=ascii, ground=ground, roles=all_roles(game_screens)
        )
        self.steps = tuple(steps)
        if not self.steps:
            raise ValueError("a record without a moment to show")
        game_screen = game_screens.get(self.steps[0].view.game)
        if game_screen is None:
            raise ValueError(f"no way to show a game of {self.steps[0].view.game}")
        preferences = Preferences(language, ascii=ascii, ground=ground, settings=settings)
        self.dress(preferences)
        self._screen = ReplayScreen(
            AppContext(game_screens, preferences),
            ClientState(),
            ReplayCursor(self.steps, turns=turns),
            game_screen,
        )

    def get_default_screen(self) -> Screen[None]:
        """Return the replay's screen."""
        return self._screen

    def on_quit(self, message: Quit) -> None:
        """Enough seen."""
        translator = self._screen.context.preferences.translator
        told = translator.render(message.farewell.sentence)
        self.exit(wrap_farewell(told, self.size.width), return_code=message.farewell.code)

    def action_help_quit(self) -> None:
        """Ctrl-C leaves, as everywhere in a terminal."""
        self.exit("", return_code=Farewell().code)
