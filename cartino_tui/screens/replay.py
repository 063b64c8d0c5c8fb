"""A record, step by step, on the screen of the game it was played in."""

from collections.abc import Sequence

import msgspec

from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.plug import AnyPlug, Around, Look
from cartino_tui.keys import REPLAY, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen, Quit
from cartino_tui.screens.help import HelpScreen, replay_help
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

FAR = 10
"""How many steps PageUp and PageDown go."""


class ReplayStep(msgspec.Struct, frozen=True):
    """A moment of a game: the table then, and a few words on where that is in the record."""

    view: RoomView
    caption: str = ""


class ReplayScreen(HouseScreen):
    """One step of `steps`, drawn by the game's plug; nothing can be played here."""

    def __init__(self, stage: Stage, steps: Sequence[ReplayStep], plug: AnyPlug) -> None:
        """Stand at the first of `steps`, of which there is at least one."""
        super().__init__(stage, Known())
        self.steps = steps
        self.plug = plug
        self.at = 0

    def draw(self, look: Look) -> Frame:
        """The table at this step, and how far that is."""
        step, plug = self.steps[self.at], self.plug
        around = Around(
            title=f"{plug.title} {plug.options_line(step.view.options)} · a record",
            facts=f"{self.at + 1}/{len(self.steps)}",
            status=step.caption,
            hints=self.shown_hints(),
            alone=True,
        )
        return plug.draw(step.view, plug.read(step.view.table), plug.fresh(), look, around)

    def keys(self) -> KeyTable:
        """The keys that step."""
        return REPLAY

    def hints(self) -> HintRow:
        """The keys that step, in short."""
        return REPLAY.hints("back", "on", "help", "quit")

    def press(self, press: Press) -> None:
        """Step, or leave."""
        match REPLAY.action(press.key):
            case "back":
                self._step(-1)
            case "on":
                self._step(1)
            case "far-back":
                self._step(-FAR)
            case "far-on":
                self._step(FAR)
            case "first":
                self._step(-len(self.steps))
            case "last":
                self._step(len(self.steps))
            case "help":
                self.app.push_screen(HelpScreen(self.stage, self.known, replay_help(self.plug)))
            case "quit":
                self.post_message(Quit())

    def tap(self, tap: Tap) -> None:
        """A click on the table means nothing."""

    def _step(self, by: int) -> None:
        self.at = max(0, min(self.at + by, len(self.steps) - 1))
