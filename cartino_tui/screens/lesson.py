"""Lessons: the pupil does what they are told on a table of the game, and may take back what strays from it.

Nothing stays with the house: each question tells all moves of the lesson so far.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from cartino_protocol.commands import Lesson
from cartino_protocol.marking import N_
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LessonView, Told
from cartino_protocol.wire import raw
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.remembered import Remembered
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.lessons import LessonWords
from cartino_tui.games.screen import AnyScreen, Around, Look, Reaction
from cartino_tui.keys import LESSON, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen, Quit
from cartino_tui.screens.help import HelpScreen, lesson_help
from cartino_tui.screens.lesson_drawing import (
    Plan,
    Words,
    all_words,
    at_table,
    draw_page,
    plan,
    with_words,
    words_of,
)
from cartino_tui.screens.parts import centre, foot
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

_UNKNOWN = LessonWords("", "", ())
"""For a lesson of a newer house."""


class LessonScreen(HouseScreen):
    """A lesson after the other, from the first. `pointer` is the plug's own, as at a table."""

    def __init__(
        self, stage: Stage, known: Known, plug: AnyScreen, learnt: Callable[[], None], number: int = 1
    ) -> None:
        """Begin with lesson `number` of `plug`'s game; `learnt` is called at the end of the last one."""
        super().__init__(stage, known)
        self.plug = plug
        self.number = number
        self.lesson: LessonView | None = None
        self.pointer: msgspec.Struct = plug.fresh()
        self._learnt = learnt
        self.table: Any = None
        """The game's view of it, as the plug reads it; None until there is one."""
        self._moves: tuple[msgspec.Raw, ...] = ()
        self._before: LessonView | None = None
        """Where the lesson stood before the last move."""
        self._reading = True
        """Whether the page of words is in front, where they have one."""
        self._plan: Remembered[Plan] = Remembered(1)
        self._under: Remembered[Frame | None] = Remembered(1)

    def on_mount(self) -> None:
        """Ask for the first lesson."""
        self._begin(self.number)

    # What is drawn.

    def draw(self, look: Look) -> Frame:
        """The table with the words of the lesson."""
        view = self.lesson
        if view is None or self.table is None:
            canvas = Canvas(look.width, look.height)
            centre(
                canvas, look.height // 2, look.tongue.say("The table is being laid…"), "dim", ascii=look.ascii
            )
            foot(canvas, look, self.news, self.shown_hints())
            return canvas.frame()
        words, plan = self._words(view, look), self._planned(view, look)
        game = self.plug.title_of(view.room.options, look.tongue)
        title = look.tongue.say("{game} · Lesson {n} of {all}", game=game, n=view.number, all=view.of)
        if self._is_page(plan):
            return draw_page(words, title, look, self.news, self.shown_hints())
        table = self._draw_table(view, self.table, title, plan.table)
        return table if plan.place == "before" else with_words(table, words, plan, look)

    def _draw_table(self, view: LessonView, table: msgspec.Struct, title: str, look: Look) -> Frame:
        plug, room = self.plug, view.room
        around = Around(
            title=title,
            status=self.news or self._verdict(view),
            hints=self.shown_hints(),
            alone=not self._is_open,
        )
        still = msgspec.structs.replace(around, status="", lead="")
        under = self._under.get((room, table), (look, still), lambda: plug.under(room, table, look, still))
        return plug.draw(room, table, self.pointer, look, around, under)

    def _verdict(self, view: LessonView) -> str:
        """What stands where the table has nothing to ask for just now."""
        say = self.look.tongue.say
        return say("Not quite.") if view.strayed else say("Well done.") if self._is_done else ""

    def _words(self, view: LessonView, look: Look) -> Words:
        return words_of(self._text(view), view, self.plug.lesson_places(look), look.tongue)

    def _planned(self, view: LessonView, look: Look) -> Plan:
        """Where the words stand; the same through the whole lesson."""
        places = self.plug.lesson_places(look)
        return self._plan.get(
            (self.plug,),
            (view.name, view.number, look),
            lambda: plan(look, all_words(self._text(view), view, places, look.tongue)),
        )

    def _text(self, view: LessonView) -> LessonWords:
        return self.plug.lessons.get(view.name, _UNKNOWN)

    def _is_page(self, plan: Plan) -> bool:
        return plan.place == "before" and self._reading

    @property
    def is_own(self) -> bool:
        """It is the pupil's alone."""
        return True

    # What is asked and answered.

    @property
    def _is_done(self) -> bool:
        return self.lesson is not None and self.lesson.done >= self.lesson.tasks

    @property
    def _is_open(self) -> bool:
        """Whether a move is due."""
        return self.lesson is not None and not self._is_done and not self.lesson.strayed

    def answered(self, answer: Told) -> bool:
        """The lesson stands where it was asked for."""
        if not isinstance(answer, LessonView):
            return False
        try:
            view = self.plug.read(answer.room.table)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return True
        self._before, self.lesson, self.table = self.lesson, answer, view
        self.number, self._reading = answer.number, True
        self.pointer = self.plug.follow(answer.room, view, self.plug.fresh())
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """The move is not made; the game has the better sentence for what its rules don't allow."""
        if refusal.to != Lesson.__name__:
            return super().refused(refusal)
        self._moves = self._moves[: self.lesson.room.number if self.lesson else 0]
        tongue = self.look.tongue
        illegal = refusal.reason == "illegal"
        self.status = self.plug.refused(refusal.detail, tongue) if illegal else tongue.tell(refusal.words())
        self.redraw()
        return True

    def _begin(self, number: int) -> None:
        self._moves = ()
        self.wish(Lesson(self.plug.name, number))

    def _move(self, move: msgspec.Struct) -> None:
        self._moves = (*self._moves, raw(move))
        self.wish(Lesson(self.plug.name, self.number, self._moves))

    def _take_back(self, before: LessonView) -> None:
        self._moves = self._moves[:-1]
        self.answered(before)

    # What is typed.

    def keys(self) -> KeyTable:
        """The keys of a lesson."""
        return LESSON

    def hints(self) -> HintRow:
        """What Enter does just now, and the ways on and out."""
        view = self.lesson
        if view is None:
            again = (("Enter", N_("once more")),) if self.status else ()
            return (*again, *LESSON.hints("help", "leave"))
        later = LESSON.hints("later") if view.number < view.of or not self._is_done else ()
        page = self._planned(view, self.look).place == "before"
        if page and not (self._reading and self._is_open):
            later = ((LESSON.hints("read")[0][0], N_("the table") if self._reading else N_("the task")),)
        return (*self._on_hint(view), *later, *LESSON.hints("help", "leave"))

    def _on_hint(self, view: LessonView) -> HintRow:
        """What Enter does, where it is the lesson's."""
        if view.strayed:
            return (("Enter", N_("take back")),)
        if self._is_done:
            return (("Enter", N_("go on")),)
        return (("Enter", N_("to the table")),) if self._is_page_now else ()

    def meant(self, press: Press) -> Press:
        """A name that is being typed is spelled with the keys as they are."""
        return press if self.plug.is_typing(self.pointer) else super().meant(press)

    def press(self, press: Press) -> None:
        """The plug's key while a move is due, or else the lesson's."""
        view, table = self.lesson, self.table
        if view is not None and table is not None and self._is_open and not self._is_page_now:
            reaction = self.plug.key(view.room, table, self.pointer, press.key, self.look)
            if self._reacted(reaction):
                return
        match LESSON.action(press.key):
            case "on":
                self._on()
            case "read":
                self._turn_over()
            case "later":
                self._later()
            case "earlier":
                self._begin(self.number if self._moves else max(1, self.number - 1))
            case "help":
                self._help()
            case "leave":
                self.app.pop_screen()

    def _help(self) -> None:
        view, keys = self.lesson, tuple(LESSON.explain(self.hints()))
        if view is not None and self._is_open and not self._is_page_now:
            keys = (*self.plug.keys_now(view.room, self.table, self.pointer), *keys)
        self.app.push_screen(
            HelpScreen(self.stage, self.known, lesson_help(self.plug, keys, self.look.tongue))
        )

    def tap(self, tap: Tap) -> None:
        """A click on the table is the plug's; on the words it goes on, if one can."""
        view, table = self.lesson, self.table
        if view is None or table is None:
            return
        plan = self._planned(view, self.look)
        place = None if self._is_page(plan) else at_table(plan, tap.x, tap.y)
        if place is None:
            self._on()
        elif self._is_open:
            self._reacted(self.plug.click(view.room, table, self.pointer, plan.table, *place))

    @property
    def _is_page_now(self) -> bool:
        return self.lesson is not None and self._is_page(self._planned(self.lesson, self.look))

    def _reacted(self, reaction: Reaction[Any]) -> bool:
        """Whether the plug took what was typed; a move that it led to is put to the house."""
        self.status = reaction.status
        if reaction.move is not None:
            self._move(reaction.move)
        else:
            self.pointer = reaction.pointer
        return reaction.taken

    def _on(self) -> None:
        view = self.lesson
        if view is None:
            self._begin(self.number)
        elif self._is_page_now and self._is_open:
            self._reading = False
        elif view.strayed and self._before is not None:
            self._take_back(self._before)
        elif self._is_done:
            self._later()

    def _turn_over(self) -> None:
        """From the page of words to the table or back; where there is no such page it goes on."""
        if self.lesson is not None and self._planned(self.lesson, self.look).place == "before":
            self._reading = not self._reading
        else:
            self._on()

    def _later(self) -> None:
        """The next lesson; behind the last one there is only the way out."""
        if self.lesson is None or self.lesson.number < self.lesson.of:
            self._begin(self.number + 1)
        elif self._is_done:
            self.app.pop_screen()
            self._learnt()
