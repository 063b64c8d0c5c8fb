"""The app that shows a record: no link, no house, one screen."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual.driver import Driver
from textual.screen import Screen

from cartino_protocol.views import CourseTurn
from cartino_tui.draw.theme import Ground
from cartino_tui.driver.depth import Depth
from cartino_tui.driver.session_app import SessionApp
from cartino_tui.farewell import Farewell, in_lines
from cartino_tui.games.screen import AnyScreen, roles_of
from cartino_tui.known import Known
from cartino_tui.preferences import Preferences
from cartino_tui.reel import ReplayStep, WholeReel
from cartino_tui.screens.base import Quit
from cartino_tui.screens.replay import ReplayScreen
from cartino_tui.settings import Settings
from cartino_tui.stage import Stage
from cartino_tui.tongue import Language

__all__ = ["ReplayApp", "ReplayStep"]


class ReplayApp(SessionApp[str]):
    """Steps forward and back through a game's moments."""

    TITLE = "Cartino"
    ALLOW_SELECT: ClassVar[bool] = False
    PAINTS: ClassVar[bool] = True

    def __init__(
        self,
        steps: Iterable[ReplayStep],
        *,
        depth: Depth | None = None,
        driver_class: type[Driver] | None = None,
        ascii: bool = False,
        language: Language = "en",
        ground: Ground | None = None,
        plugs: Mapping[str, AnyScreen],
        turns: tuple[CourseTurn, ...] = (),
        settings: Settings = Settings(),  # noqa: B008 - a constant
    ) -> None:
        """Show `steps` to somebody who reads `language`, unless their `settings` say otherwise.

        `turns` is how the totals went.

        Raises ValueError where there are none, or none of `plugs` can draw their game.
        """
        super().__init__(
            depth=depth, driver_class=driver_class, ascii=ascii, ground=ground, roles=roles_of(plugs)
        )
        self.steps = tuple(steps)
        if not self.steps:
            raise ValueError("a record without a moment to show")
        plug = plugs.get(self.steps[0].view.game)
        if plug is None:
            raise ValueError(f"no way to show a game of {self.steps[0].view.game}")
        preferences = Preferences(language, ascii=ascii, ground=ground)
        preferences.settings = settings
        self.dress(preferences)
        self._screen = ReplayScreen(
            Stage(plugs, preferences),
            Known(),
            WholeReel(self.steps, turns=turns),
            plug,
        )

    def get_default_screen(self) -> Screen[None]:
        """The one screen."""
        return self._screen

    def on_quit(self, message: Quit) -> None:
        """Enough seen."""
        tongue = self._screen.stage.preferences.tongue
        told = tongue.tell(message.farewell.sentence)
        self.exit(in_lines(told, self.size.width), return_code=message.farewell.code)

    def action_help_quit(self) -> None:
        """Ctrl-C leaves, as everywhere in a terminal."""
        self.exit("", return_code=Farewell().code)
