"""A game that is over, step by step, on the screen of the game it was played in."""

import msgspec

from cartino_protocol.commands import Replay, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, ReplayView
from cartino_tui.draw.canvas import Frame
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.plug import AnyPlug, Around, Look
from cartino_tui.keys import REPLAY, KeyTable
from cartino_tui.known import Known, moment
from cartino_tui.reel import Reel
from cartino_tui.screens.base import HintRow, HouseScreen, Quit
from cartino_tui.screens.help import HelpScreen, replay_help
from cartino_tui.screens.parts import marks
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

FAR = 10
"""How many steps PageUp and PageDown go."""


class ReplayScreen(HouseScreen):
    """One step of a reel, drawn by the game's plug; nothing can be played here."""

    def __init__(self, stage: Stage, known: Known, reel: Reel, plug: AnyPlug) -> None:
        """Stand where `reel` stands. Raises msgspec.DecodeError where the plug can't read its table."""
        super().__init__(stage, known)
        self.reel = reel
        self.plug = plug
        self.view: msgspec.Struct = plug.read(reel.here.view.table)

    def draw(self, look: Look) -> Frame:
        """The table at the step that is here, and how far the wanted one is."""
        reel, plug, step = self.reel, self.plug, self.reel.here
        around = Around(
            title=f"{plug.title} {plug.options_line(step.view.options)} · {reel.name}",
            facts=f"{reel.wanted + 1}/{reel.last + 1}{marks(look).ellipsis if reel.due else ''}",
            status=self.news or step.caption,
            hints=self.shown_hints(),
            alone=True,
        )
        return plug.draw(step.view, self.view, plug.fresh(), look, around)

    def keys(self) -> KeyTable:
        """The keys that step."""
        return REPLAY

    def hints(self) -> HintRow:
        """The keys that step, in short."""
        return REPLAY.hints("back", "on", "help", "quit")

    def press(self, press: Press) -> None:
        """Step, or leave."""
        at, last = self.reel.wanted, self.reel.last
        match REPLAY.action(press.key):
            case "back":
                self._go(at - 1)
            case "on":
                self._go(at + 1)
            case "far-back":
                self._go(at - FAR)
            case "far-on":
                self._go(at + FAR)
            case "first":
                self._go(0)
            case "last":
                self._go(last)
            case "help":
                model = replay_help(self.plug, self.reel.here.view)
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "quit":
                self._leave()

    def tap(self, tap: Tap) -> None:
        """A click on the table means nothing."""

    def answered(self, answer: HistoryView | ReplayView) -> bool:
        """A step that was asked for is here."""
        if not isinstance(answer, ReplayView) or self.reel.due is None:
            return False
        following = self.reel.hear(answer)
        self._show()
        self._ask(following)
        return True

    def refused(self, refusal: Refusal) -> bool:
        """The house won't show that step: stay where one is, and say why."""
        due = self.reel.due
        if due is not None and refusal.to in {"", tag_of(due)}:
            self.reel.give_up()
        return super().refused(refusal)

    def _go(self, step: int) -> None:
        self._ask(self.reel.want(step))
        self._show()

    def _show(self) -> None:
        """Read what is here now."""
        try:
            self.view = self.plug.read(self.reel.here.view.table)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))

    def _ask(self, command: Replay | None) -> None:
        """Ask the house, if need be. Nobody waits for the answer: the keys here go by the wanted step."""
        if command is not None:
            self.wish(command, awaited=False)

    def _leave(self) -> None:
        """Back to what lies below; where nothing does, the visit ends."""
        if len(self.app.screen_stack) == 1:
            self.post_message(Quit())
            return
        if self.reel.due is not None:
            # Its answer is still to come, and must not pass for that to the next wish of the screen below.
            self.stage.typeahead.asked(moment(self.known), self.reel.due)
        self.app.pop_screen()
