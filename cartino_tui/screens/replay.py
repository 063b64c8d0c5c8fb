"""A game that is over, step by step, on the screen of the game it was played in."""

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.commands import Course, Replay, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import CourseTurn, CourseView, ReplayView, Told
from cartino_tui.draw.canvas import Frame
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.screen import AnyScreen, Around, Look
from cartino_tui.keys import REPLAY, REPLAY_IN_HOUSE, KeyTable
from cartino_tui.known import Known, moment
from cartino_tui.reel import Reel
from cartino_tui.screens.base import HintRow, HouseScreen, Quit
from cartino_tui.screens.course import CourseScreen, ask_for_turn
from cartino_tui.screens.course_drawing import CourseModel, turn_of
from cartino_tui.screens.help import HelpScreen, replay_help
from cartino_tui.screens.parts import marks
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

FAR = 10
"""How many steps PageUp and PageDown go."""
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 4.0
"""Seconds, the least and the most, after which a busy house is asked again."""


class ReplayScreen(HouseScreen):
    """One step of a reel, drawn by the game's plug; nothing can be played here."""

    def __init__(self, stage: Stage, known: Known, reel: Reel, plug: AnyScreen) -> None:
        """Stand where `reel` stands. Raises msgspec.DecodeError where the plug can't read its table."""
        super().__init__(stage, known)
        self.reel = reel
        self.plug = plug
        self.view: msgspec.Struct = plug.read(reel.here.view.table)
        self.turns: tuple[CourseTurn, ...] = reel.turns
        """How the totals went, () until the house has told it."""
        self._then: Callable[[], None] | None = None
        """What is to be done once it has."""
        self._pause = 0.0
        """Seconds after which the busy house is asked again, 0 where it isn't busy."""

    def draw(self, look: Look) -> Frame:
        """The table at the step that is here, and how far the wanted one is."""
        reel, plug, step = self.reel, self.plug, self.reel.here
        waits = reel.due is not None or self._pause > 0
        around = Around(
            title=self._title,
            facts=self._where(look) + (marks(look).ellipsis if waits else ""),
            status=self.news or self._done(look),
            hints=self.shown_hints(),
            alone=True,
        )
        return plug.draw(step.view, self.view, plug.fresh(), look, around)

    def _where(self, look: Look) -> str:
        """Which step of how many, and where that is known which turn."""
        reel = self.reel
        step = f"{reel.wanted + 1}/{reel.last + 1}"
        if not self.turns:
            return step
        turn = look.tongue.say("turn {n}", n=turn_of(self.turns, reel.wanted) + 1)
        return f"{turn} {marks(look).dot} {step}"

    def _done(self, look: Look) -> str:
        """What was done in the step that is here, in the game's words, and where that is in the record."""
        step = self.reel.here
        deal = "" if step.view.number else look.tongue.say("The deal")
        done = self.plug.told(step.view, self.view, look.tongue) or deal
        if not step.line:
            return done
        where = look.tongue.say("line {line} of the record", line=step.line)
        both = f"{done} ({where})" if done else where
        return both if len(both) <= look.width - 2 else done

    def keys(self) -> KeyTable:
        """The keys that step."""
        return REPLAY if self._alone else REPLAY_IN_HOUSE

    def hints(self) -> HintRow:
        """The keys that step, in short."""
        return self.keys().hints("back", "on", "course", "turn", "actions", "help", "quit")

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
            case "course":
                self._with_turns(self._open_course)
            case "turn":
                self._with_turns(partial(self._ask_for_turn, press.key))
            case "help":
                model = replay_help(self.plug, self.reel.here.view, self.keys(), self.look.tongue)
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "quit":
                self._leave()

    def tap(self, tap: Tap) -> None:
        """A click on the table means nothing."""

    def answered(self, answer: Told) -> bool:
        """A step that was asked for is here, or the course."""
        if isinstance(answer, CourseView) and self._then is not None:
            then, self._then = self._then, None
            self.turns = answer.turns
            self._do_with_turns(then)
            return True
        if not isinstance(answer, ReplayView) or self.reel.due is None:
            return False
        self._pause = 0.0
        following = self.reel.hear(answer)
        self._show()
        self._ask(following)
        return True

    def refused(self, refusal: Refusal) -> bool:
        """The house won't show that step: stay where one is, and say why; ask a busy house again in a moment."""
        due = self.reel.due
        if refusal.to == Course.__name__:
            self._then = None
        if due is not None and refusal.to in {"", tag_of(due)}:
            if refusal.reason == "busy":
                self._ask_later()
                return True
            self._pause = 0.0
            self.reel.give_up()
        return super().refused(refusal)

    def line_lost(self) -> None:
        """The step that was asked for will not come."""
        self._pause = 0.0
        self._then = None
        self.reel.give_up()

    def _with_turns(self, then: Callable[[], None]) -> None:
        """Do `then` with the turns, at once or when the house has told them."""
        if self.turns or self._alone:
            self._do_with_turns(then)
        else:
            self._then = then
            self.wish(Course(self.reel.name))

    def _do_with_turns(self, then: Callable[[], None]) -> None:
        if self.turns:
            then()
        else:
            self.status = self.look.tongue.say("Nobody has had a turn in this game.")

    def _open_course(self) -> None:
        room = self.reel.here.view
        model = CourseModel(room, self._title, self.turns, turn_of(self.turns, self.reel.wanted))
        self.app.push_screen(CourseScreen(self.stage, self.known, model, self._go))

    def _ask_for_turn(self, key: str) -> None:
        self.ask(ask_for_turn(self.look.tongue, len(self.turns), key, self._go_to_turn))

    def _go_to_turn(self, turn: int) -> None:
        self._go(self.turns[turn].step)

    @property
    def _title(self) -> str:
        plug, options = self.plug, self.reel.here.view.options
        return f"{plug.title_of(options, self.look.tongue)} · {self.look.tongue.say(self.reel.name)}"

    def _ask_later(self) -> None:
        """Ask again after a pause, and each time it was too early after a longer one."""
        self.reel.put_off()
        self._pause = min(max(2 * self._pause, FIRST_PAUSE), LONGEST_PAUSE)
        self.set_timer(self._pause, self._ask_again)

    def _ask_again(self) -> None:
        following = self.reel.go_on()
        if following is None:
            self._pause = 0.0
        self._ask(following)
        self.redraw()

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

    @property
    def _alone(self) -> bool:
        """Whether nothing lies below but the end of the visit."""
        return self.app.screen_stack[0] is self

    def _leave(self) -> None:
        """Back to what lies below; where nothing does, the visit ends."""
        if self._alone:
            self.post_message(Quit())
            return
        if self.reel.due is not None:
            # Its answer is still to come, and must not pass for that to the next wish of the screen below.
            self.stage.typeahead.asked(moment(self.known), self.reel.due)
        self.app.pop_screen()
