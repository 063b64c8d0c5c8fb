"""Lessons: do tasks at a table of the game, with the text above, beside or before it.

The server keeps no state for a lesson: each command carries all moves made so far.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from cartino_protocol.commands import Lesson
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import LessonView, QueryAnswer
from cartino_protocol.wire import encode_raw
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, IdentityCache, Row, put_rows, wrap_rows
from cartino_tui.game_port.description import LessonWords
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, Look, Reaction, TableChrome
from cartino_tui.i18n import Translator
from cartino_tui.keys import LESSON
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow, Quit
from cartino_tui.widgets.help import HelpScreen, lesson_help
from cartino_tui.widgets.layout import Hints, footer, put_centred, title_bar

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
        return LessonText(gettext(lesson.title), gettext(astray, **places), gettext("Enter takes it back."))
    if done < min(view.tasks, len(tasks)):
        task = gettext(tasks[done].task, **places)
    elif view.number < view.of:
        task = gettext("Enter goes on to the next lesson.")
    else:
        task = gettext(
            "That is all; ? has the rules, at every table. Enter leads to the lobby, where p plays at once."
        )
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


_UNKNOWN_LESSON = LessonWords("", "", ())
"""For a lesson of a newer server."""


class LessonScreen(AppScreen):
    """The lessons of a game, one after the other. `pointer` is the game screen's, as at a table."""

    KEYS = LESSON

    def __init__(
        self,
        stage: AppContext,
        known: ClientState,
        game_screen: AnyScreen,
        learnt: Callable[[], None],
        number: int = 1,
    ) -> None:
        """Start with lesson `number`; `learnt` is called at the end of the last one."""
        super().__init__(stage, known)
        self.game_screen = game_screen
        self.number = number
        self.lesson: LessonView | None = None
        self.pointer: msgspec.Struct = game_screen.fresh()
        self._learnt = learnt
        self.table: Any = None
        """The game's view, None until it is here."""
        self._moves: tuple[msgspec.Raw, ...] = ()
        self._before: LessonView | None = None
        """The lesson before the last move."""
        self._reading = True
        """Whether the page of text is in front, in layouts that have one."""
        self._plan: IdentityCache[LessonLayout] = IdentityCache(1)
        self._under: IdentityCache[Frame | None] = IdentityCache(1)

    def on_mount(self) -> None:
        """Ask for the first lesson."""
        self._begin(self.number)

    # Drawing.

    def draw(self, look: Look) -> Frame:
        """Draw the table with the lesson's text."""
        view = self.lesson
        if view is None or self.table is None:
            canvas = Canvas(look.width, look.height)
            put_centred(
                canvas,
                look.height // 2,
                look.translator.gettext("The table is being laid…"),
                "dim",
                ascii=look.ascii,
            )
            footer(canvas, look, self.news, self.shown_hints())
            return canvas.frame()
        words, plan = self._words(view, look), self._planned(view, look)
        game = self.game_screen.title_of(view.room.options, look.translator)
        title = look.translator.gettext("{game} · Lesson {n} of {all}", game=game, n=view.number, all=view.of)
        if self._is_page(plan):
            return draw_text_page(words, title, look, self.news, self.shown_hints())
        table = self._draw_table(view, self.table, title, plan.table)
        return table if plan.place == "before" else draw_with_text(table, words, plan, look)

    def _draw_table(self, view: LessonView, table: msgspec.Struct, title: str, look: Look) -> Frame:
        game_screen, room = self.game_screen, view.room
        around = TableChrome(
            title=title,
            status=self.news or self._verdict(view),
            hints=self.shown_hints(),
            alone=not self._is_open,
        )
        still = msgspec.structs.replace(around, status="", lead="")
        under = self._under.get(
            (room, table), (look, still), lambda: game_screen.under(room, table, look, still)
        )
        return game_screen.draw(room, table, self.pointer, look, around, under)

    def _verdict(self, view: LessonView) -> str:
        """Return the status where no move is due."""
        gettext = self.look.translator.gettext
        return gettext("Not quite.") if view.strayed else gettext("Well done.") if self._is_done else ""

    def _words(self, view: LessonView, look: Look) -> LessonText:
        return lesson_text(self._text(view), view, self.game_screen.lesson_places(look), look.translator)

    def _planned(self, view: LessonView, look: Look) -> LessonLayout:
        """Return the layout, the same for the whole lesson."""
        places = self.game_screen.lesson_places(look)
        return self._plan.get(
            (self.game_screen,),
            (view.name, view.number, look),
            lambda: lesson_layout(look, all_lesson_texts(self._text(view), view, places, look.translator)),
        )

    def _text(self, view: LessonView) -> LessonWords:
        return self.game_screen.lessons.get(view.name, _UNKNOWN_LESSON)

    def _is_page(self, plan: LessonLayout) -> bool:
        return plan.place == "before" and self._reading

    @property
    def is_private(self) -> bool:
        """Only the pupil sees it."""
        return True

    # Commands and answers.

    @property
    def _is_done(self) -> bool:
        return self.lesson is not None and self.lesson.done >= self.lesson.tasks

    @property
    def _is_open(self) -> bool:
        """Whether a move is due."""
        return self.lesson is not None and not self._is_done and not self.lesson.strayed

    def answered(self, answer: QueryAnswer) -> bool:
        """Show the lesson's new state."""
        if not isinstance(answer, LessonView):
            return False
        try:
            view = self.game_screen.read(answer.room.table)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return True
        self._before, self.lesson, self.table = self.lesson, answer, view
        self.number, self._reading = answer.number, True
        self.pointer = self.game_screen.follow(answer.room, view, self.game_screen.fresh())
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Take the move back; the game has the sentence for its own rules."""
        if refusal.to != Lesson.__name__:
            return super().refused(refusal)
        self._moves = self._moves[: self.lesson.room.number if self.lesson else 0]
        translator = self.look.translator
        illegal = refusal.reason == "illegal"
        self.status = (
            self.game_screen.refused(refusal.detail, translator)
            if illegal
            else translator.render(refusal.words())
        )
        self.redraw()
        return True

    def _begin(self, number: int) -> None:
        self._moves = ()
        self.wish(Lesson(self.game_screen.name, number))

    def _move(self, move: msgspec.Struct) -> None:
        self._moves = (*self._moves, encode_raw(move))
        self.wish(Lesson(self.game_screen.name, self.number, self._moves))

    def _take_back(self, before: LessonView) -> None:
        self._moves = self._moves[:-1]
        self.answered(before)

    # Input.

    def hints(self) -> HintRow:
        """Return the hints: what Enter does, and the ways on and out."""
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
        """Return what Enter does, where that is the lesson's."""
        if view.strayed:
            return (("Enter", N_("take back")),)
        if self._is_done:
            return (("Enter", N_("go on")),)
        return (("Enter", N_("to the table")),) if self._is_page_now else ()

    def meant(self, press: Press) -> Press:
        """Leave keys untranslated while a name is typed."""
        return press if self.game_screen.is_typing(self.pointer) else super().meant(press)

    def press(self, press: Press) -> None:
        """Let the game handle the key while a move is due, or else the lesson."""
        view, table = self.lesson, self.table
        if view is not None and table is not None and self._is_open and not self._is_page_now:
            reaction = self.game_screen.key(view.room, table, self.pointer, press.key, self.look)
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
            keys = (*self.game_screen.keys_now(view.room, self.table, self.pointer), *keys)
        self.app.push_screen(
            HelpScreen(self.stage, self.known, lesson_help(self.game_screen, keys, self.look.translator))
        )

    def tap(self, tap: Tap) -> None:
        """Let the game handle a click on the table; a click on the text continues."""
        view, table = self.lesson, self.table
        if view is None or table is None:
            return
        plan = self._planned(view, self.look)
        place = None if self._is_page(plan) else table_cell_at(plan, tap.x, tap.y)
        if place is None:
            self._on()
        elif self._is_open:
            self._reacted(self.game_screen.click(view.room, table, self.pointer, plan.table, *place))

    @property
    def _is_page_now(self) -> bool:
        return self.lesson is not None and self._is_page(self._planned(self.lesson, self.look))

    def _reacted(self, reaction: Reaction[Any]) -> bool:
        """Return whether the game took the input; send the move that it led to."""
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
        """Turn from the page of text to the table or back; without such a page, continue."""
        if self.lesson is not None and self._planned(self.lesson, self.look).place == "before":
            self._reading = not self._reading
        else:
            self._on()

    def _later(self) -> None:
        """Go to the next lesson, if there is one."""
        if self.lesson is None or self.lesson.number < self.lesson.of:
            self._begin(self.number + 1)
        elif self._is_done:
            self.app.pop_screen()
            self._learnt()
