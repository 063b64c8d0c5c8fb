"""Lessons: do tasks at a table of the game, with the text above, beside or before it.

The server keeps no state for a lesson: each command carries all moves made so far.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, Protocol

import msgspec

from cartino_protocol.commands import Lesson
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import LessonView, QueryAnswer
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, IdentityCache, Row, put_rows, wrap_rows
from cartino_tui.game_port.description import LessonWords
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, Look, TableChrome
from cartino_tui.i18n import Translator
from cartino_tui.keys import LESSON
from cartino_tui.screens.table_state import GameScreenBase, TableFrames
from cartino_tui.visit.current_lesson import CurrentLesson
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import HintRow
from cartino_tui.widgets.help import HelpScreen, lesson_help
from cartino_tui.widgets.layout import Hints, footer, put_centred, title_bar
from cartino_tui.widgets.prompt import Confirmation

_MAX_WIDTH: Final = 100
"""Longer lines are hard to read."""
_MIN_SIDE_WIDTH: Final = 30
_MARGIN: Final = 1

TextPlace = Literal["above", "beside", "before"]


class LessonText(msgspec.Struct, frozen=True):
    """The current text, translated: what happened or is to be known, and what to do."""

    title: str
    told: str
    task: str


class LessonLayout(NamedTuple):
    """Where the text stands, its rows or columns, and the size left for the table."""

    place: TextPlace
    size: int
    table: Look


def lesson_text(
    lesson: LessonWords, view: LessonView, places: Mapping[str, str], translator: Translator
) -> LessonText:
    """Return the text at the state of `view`."""
    gettext, done = translator.gettext, view.done
    tasks = lesson.tasks
    told = lesson.begin if done == 0 else tasks[min(done, len(tasks)) - 1].learnt
    if view.strayed and done < len(tasks):
        astray = tasks[done].astray
        return LessonText(
            gettext(lesson.title), gettext(astray, **places), gettext("Press Enter to undo it.")
        )
    if done < min(view.tasks, len(tasks)):
        task = gettext(tasks[done].task, **places)
    elif view.number < view.of:
        task = gettext("Press Enter for the next lesson.")
    else:
        task = gettext("That's it! Press ? at any table for the rules. Enter: lobby.")
    return LessonText(gettext(lesson.title), gettext(told, **places), task)


def all_lesson_texts(
    lesson: LessonWords, view: LessonView, places: Mapping[str, str], translator: Translator
) -> list[LessonText]:
    """Return all texts of the lesson of `view`, in order."""
    steps = [(done, strayed) for done in range(view.tasks + 1) for strayed in (False, True)]
    moments = (msgspec.structs.replace(view, done=done, strayed=strayed) for done, strayed in steps)
    return [lesson_text(lesson, moment, places, translator) for moment in moments]


def lesson_layout(look: Look, everything: list[LessonText]) -> LessonLayout:
    """Return the layout for a whole lesson, so that the table doesn't move."""
    rows = _max_rows(everything, min(look.width - 2 * _MARGIN, _MAX_WIDTH), look)
    if look.height - rows >= MIN_LOOK.height:
        return LessonLayout("above", rows, msgspec.structs.replace(look, height=look.height - rows))
    aside = look.width - MIN_LOOK.width
    if aside >= _MIN_SIDE_WIDTH and _max_rows(everything, aside - 2 * _MARGIN, look) <= look.height:
        return LessonLayout("beside", aside, msgspec.structs.replace(look, width=MIN_LOOK.width))
    return LessonLayout("before", look.height, look)


def draw_with_text(table: Frame, words: LessonText, plan: LessonLayout, look: Look) -> Frame:
    """Return `table` with `words` above or beside it."""
    if plan.place == "above":
        canvas = Canvas(look.width, plan.size)
        put_rows(canvas, _MARGIN, 0, _text_rows(words, min(look.width - 2 * _MARGIN, _MAX_WIDTH), look))
        # Below the title, in reading order.
        return Frame(look.width, look.height, (*table.rows[:1], *canvas.frame().rows, *table.rows[1:]))
    canvas = Canvas(plan.size, look.height)
    put_rows(canvas, _MARGIN, 0, _text_rows(words, plan.size - 2 * _MARGIN, look))
    beside = canvas.frame().rows
    return Frame(look.width, look.height, tuple((*a, *b) for a, b in zip(table.rows, beside, strict=True)))


def table_cell_at(plan: LessonLayout, x: int, y: int) -> tuple[int, int] | None:
    """Return the table's cell at (x, y) of the screen; None inside the text."""
    if plan.place == "beside":
        return (x, y) if x < plan.table.width else None
    if plan.place == "before" or y == 0:
        return x, y
    return None if y <= plan.size else (x, y - plan.size)


def draw_text_page(words: LessonText, title: str, look: Look, status: str, hints: Hints) -> Frame:
    """Draw the text on a page of its own."""
    canvas = Canvas(look.width, look.height)
    title_bar(canvas, look, title)
    put_rows(
        canvas, _MARGIN, 3, _text_rows(words, min(look.width - 2 * _MARGIN, _MAX_WIDTH), look, apart=True)
    )
    footer(canvas, look, status, hints)
    return canvas.frame()


def _max_rows(everything: list[LessonText], cells: int, look: Look) -> int:
    return max(len(_text_rows(words, cells, look)) for words in everything)


def _text_rows(words: LessonText, cells: int, look: Look, *, apart: bool = False) -> list[Row]:
    """Return the title and the text, then what to do."""
    said = look.translator.gettext("{name}: {text}", name=words.title, text=words.told)
    title = len(said) - len(words.told)
    first, *more = wrap_rows(said, "text", cells, ascii=look.ascii)
    text = first[0][0]
    head = ((text[:title], "title"), (text[title:], "text"))
    gap: list[Row] = [()] if apart else []
    return [head, *more, *gap, *wrap_rows(words.task, "preview", cells, ascii=look.ascii)]


class AfterLessons(Protocol):
    """Called when the lessons are over: `done`, or left before their end."""

    def __call__(self, *, done: bool) -> None:
        """Go on from there."""


_UNKNOWN_LESSON = LessonWords("", "", ())
"""For a lesson of a newer server."""


class LessonScreen(GameScreenBase):
    """The lessons of a game, one after the other."""

    KEYS = LESSON

    def __init__(
        self,
        context: AppContext,
        known: ClientState,
        game_screen: AnyScreen,
        afterwards: AfterLessons,
    ) -> None:
        """Resume with the lesson where the person left off; `afterwards` is called when the lessons are over."""
        super().__init__(context, known)
        self.game_screen = game_screen
        number = context.preferences.settings.lessons.get(game_screen.name, 1)
        self.progress = CurrentLesson(game_screen.name, number)
        self._afterwards = afterwards
        self._resumed = number > 1
        self._reading = True
        """Whether the page of text is in front, in layouts that have one."""
        self._layouts: IdentityCache[LessonLayout] = IdentityCache(1)
        self._frames = TableFrames()

    def on_mount(self) -> None:
        """Ask for the lesson to begin with."""
        self.send(self.progress.begin(self.progress.number))

    def draw(self, look: Look) -> Frame:
        """Draw the table with the lesson's text."""
        view, state, gettext = self.progress.view, self.state, look.translator.gettext
        if view is None or state is None:
            canvas = Canvas(look.width, look.height)
            put_centred(canvas, look.height // 2, gettext("Setting up the table…"), "dim", ascii=look.ascii)
            footer(canvas, look, self.status_text, self.shown_hints())
            return canvas.frame()
        layout = self._layout(view)
        words = lesson_text(self._words(view), view, self.game_screen.lesson_places(look), look.translator)
        game = self.game_screen.title_of(view.table.options, look.translator)
        title = gettext("{game} · Lesson {n} of {all}", game=game, n=view.number, all=view.of)
        if self._is_page:
            return draw_text_page(words, title, look, self.status_text, self.shown_hints())
        verdict = (
            gettext("Not quite.") if view.strayed else gettext("Well done.") if self.progress.is_done else ""
        )
        around = TableChrome(
            title=title,
            status=self.status_text or verdict,
            hints=self.shown_hints(),
            alone=self.question is not None or not self.progress.is_open,
            lead=self.lead,
            quiet=True,
        )
        table = self._frames.draw(state, layout.table, around)
        return table if layout.place == "before" else draw_with_text(table, words, layout, look)

    def _layout(self, view: LessonView) -> LessonLayout:
        """Return the layout, the same for the whole lesson."""
        look, words = self.look, self._words(view)
        places = self.game_screen.lesson_places(look)
        return self._layouts.get(
            (self.game_screen,),
            (view.name, view.number, look),
            lambda: lesson_layout(look, all_lesson_texts(words, view, places, look.translator)),
        )

    def _words(self, view: LessonView) -> LessonWords:
        return self.game_screen.lessons.get(view.name, _UNKNOWN_LESSON)

    @property
    def is_private(self) -> bool:
        """Only the pupil sees it."""
        return True

    @property
    def _has_page(self) -> bool:
        """Whether the text has a page of its own."""
        return self.progress.view is not None and self._layout(self.progress.view).place == "before"

    @property
    def _is_page(self) -> bool:
        return self._reading and self._has_page

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Show the lesson's new state."""
        if not isinstance(answer, LessonView):
            return False
        if self._show(answer):
            self.progress.handle(answer)
            if self._resumed:
                self._resumed = False
                self.lead = self.look.translator.gettext(
                    "{key}: earlier lessons.", key=self.look.key_shown("PgUp")
                )
            self._bookmark(self.progress.number)
            self.redraw()
        return True

    def _show(self, view: LessonView) -> bool:
        """Show the table of `view`; end the visit and return False if it can't be read."""
        self._reading = self.read_table(view.table, self.game_screen)
        return self._reading

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Take the move back; the game has the sentence for its own rules."""
        if refusal.to != Lesson.__name__ or refusal.reason != "illegal":
            shown = super().handle_refusal(refusal)
        else:
            self.status = self.game_screen.describe_refusal(refusal.detail, self.look.translator)
            shown = True
            self.redraw()
        if refusal.to == Lesson.__name__:
            self.progress.forget_refused_move()
        return shown

    def hints(self) -> HintRow:
        """Return the hints: what Enter does, and the ways on and out."""
        view, ways_out = self.progress.view, LESSON.hints("help", "leave")
        if view is None:
            return (("Enter", N_("try again")), *ways_out) if self.status else ways_out
        later = LESSON.hints("later") if view.number < view.of or not self.progress.is_done else ()
        if self._has_page and not (self._reading and self.progress.is_open):
            later = ((LESSON.hints("read")[0][0], N_("the table") if self._reading else N_("the task")),)
        if view.strayed:
            return (("Enter", N_("undo")), *later, *ways_out)
        if self.progress.is_done:
            return (("Enter", N_("continue")), *later, *ways_out)
        return (*((("Enter", N_("to the table")),) if self._is_page else ()), *later, *ways_out)

    def press(self, press: Press) -> None:
        """Let the game handle the key while a move is due, or else the lesson."""
        state = self.state if self.progress.is_open and not self._is_page else None
        if state is not None and self.react(state.press(press.key, self.look)):
            return
        match LESSON.action(press.key):
            case "on":
                self._on()
            case "read" if self._has_page:
                self._reading = not self._reading
            case "read":
                self._on()
            case "later":
                self._later()
            case "earlier":
                self.send(self.progress.begin_earlier())
            case "help":
                keys = tuple(LESSON.explain(self.hints()))
                if state is not None:
                    keys = (*self.game_screen.keys_now(state.table, state.view, state.pointer), *keys)
                view_options = {} if self.progress.view is None else self.progress.view.table.options
                help = lesson_help(self.game_screen, view_options, keys, self.look.translator)
                self.app.push_screen(HelpScreen(self.context, self.known, help))
            case "leave" if self.progress.view is None or (self.progress.is_done and self.progress.is_last):
                self._leave()
            case "leave":
                asked = self.look.translator.gettext("Leave the lessons? You can go on from here later.")
                self.question = Confirmation(asked, self._leave)

    def _leave(self) -> None:
        self._bookmark(self.progress.resumes_at)
        self.app.pop_screen()
        self._afterwards(done=self.progress.is_done and self.progress.is_last)

    def _bookmark(self, number: int) -> None:
        """Remember that the lessons go on with `number`."""
        if self.context.preferences.bookmark(self.game_screen.name, number):
            self.prefer()

    def tap(self, tap: Tap) -> None:
        """Let the game handle a click on the table; a click on the text continues."""
        view, state = self.progress.view, self.state
        if view is None or state is None:
            return
        layout = self._layout(view)
        place = None if self._is_page else table_cell_at(layout, tap.x, tap.y)
        if place is None:
            self._on()
        elif self.progress.is_open:
            self.react(state.click(layout.table, *place))

    def make_move(self, move: msgspec.Struct) -> None:
        """Send the move with those before it."""
        self.send(self.progress.move(move))

    def _on(self) -> None:
        view = self.progress.view
        if view is None:
            self.send(self.progress.begin(self.progress.number))
        elif self._is_page and self.progress.is_open:
            self._reading = False
        elif (before := self.progress.take_back()) is not None:
            self._show(before)
        elif self.progress.is_done:
            self._later()

    def _later(self) -> None:
        """Go to the next lesson, if there is one."""
        if self.progress.view is None or self.progress.view.number < self.progress.view.of:
            self.send(self.progress.begin(self.progress.number + 1))
        elif self.progress.is_done:
            self._leave()
