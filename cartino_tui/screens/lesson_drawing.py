"""A lesson as a frame: the game's table as ever, and the words of the lesson above it, beside it, or before it.

Nothing of the words is cut: where a terminal has no room for both, they have a page of their own.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from cartino_protocol.views import LessonView
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.games.lessons import LessonWords
from cartino_tui.games.screen import LEAST, Look
from cartino_tui.screens.parts import Hints, bar, foot
from cartino_tui.tongue import Tongue

_WIDEST: Final = 100
"""Longer lines are hard to read."""
_ASIDE: Final = 30
"""The least cells for words beside the table."""
_MARGIN: Final = 1

Place = Literal["above", "beside", "before"]


class Words(msgspec.Struct, frozen=True):
    """What is said just now, in the reader's language: what happened or is to be known, and what to do."""

    title: str
    told: str
    task: str


class Plan(NamedTuple):
    """Where the words stand, in how many rows or columns, and the size that is left for the table."""

    place: Place
    size: int
    table: Look


def words_of(lesson: LessonWords, view: LessonView, places: Mapping[str, str], tongue: Tongue) -> Words:
    """What is said where `view` stands."""
    say, done = tongue.say, view.done
    tasks = lesson.tasks
    told = lesson.begin if done == 0 else tasks[min(done, len(tasks)) - 1].learnt
    if view.strayed and done < len(tasks):
        astray = tasks[done].astray
        return Words(say(lesson.title), say(astray, **places), say("Enter takes it back."))
    if done < min(view.tasks, len(tasks)):
        task = say(tasks[done].task, **places)
    elif view.number < view.of:
        task = say("Enter goes on to the next lesson.")
    else:
        task = say(
            "That is all; ? has the rules, at every table. Enter leads to the lobby, where p plays at once."
        )
    return Words(say(lesson.title), say(told, **places), task)


def all_words(
    lesson: LessonWords, view: LessonView, places: Mapping[str, str], tongue: Tongue
) -> list[Words]:
    """All that is said in the lesson of `view`, one after the other."""
    steps = [(done, strayed) for done in range(view.tasks + 1) for strayed in (False, True)]
    moments = (msgspec.structs.replace(view, done=done, strayed=strayed) for done, strayed in steps)
    return [words_of(lesson, moment, places, tongue) for moment in moments]


def plan(look: Look, everything: list[Words]) -> Plan:
    """Where the words of a lesson stand: the same for the whole of it, so that the table stays where it is."""
    rows = _most(everything, min(look.width - 2 * _MARGIN, _WIDEST), look)
    if look.height - rows >= LEAST.height:
        return Plan("above", rows, msgspec.structs.replace(look, height=look.height - rows))
    aside = look.width - LEAST.width
    if aside >= _ASIDE and _most(everything, aside - 2 * _MARGIN, look) <= look.height:
        return Plan("beside", aside, msgspec.structs.replace(look, width=LEAST.width))
    return Plan("before", look.height, look)


def with_words(table: Frame, words: Words, plan: Plan, look: Look) -> Frame:
    """`table`, which was drawn for what `plan` leaves, with `words` above or beside it."""
    if plan.place == "above":
        canvas = Canvas(look.width, plan.size)
        put_rows(canvas, _MARGIN, 0, _rows(words, min(look.width - 2 * _MARGIN, _WIDEST), look))
        # Below the title, so that one reads from top to bottom.
        return Frame(look.width, look.height, (*table.rows[:1], *canvas.frame().rows, *table.rows[1:]))
    canvas = Canvas(plan.size, look.height)
    put_rows(canvas, _MARGIN, 0, _rows(words, plan.size - 2 * _MARGIN, look))
    beside = canvas.frame().rows
    return Frame(look.width, look.height, tuple((*a, *b) for a, b in zip(table.rows, beside, strict=True)))


def at_table(plan: Plan, x: int, y: int) -> tuple[int, int] | None:
    """The cell of the table at the cell (x, y) of the screen; None where the words stand."""
    if plan.place == "beside":
        return (x, y) if x < plan.table.width else None
    if plan.place == "before" or y == 0:
        return x, y
    return None if y <= plan.size else (x, y - plan.size)


def draw_page(words: Words, title: str, look: Look, status: str, hints: Hints) -> Frame:
    """The words on a page of their own."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, title)
    put_rows(canvas, _MARGIN, 3, _rows(words, min(look.width - 2 * _MARGIN, _WIDEST), look, apart=True))
    foot(canvas, look, status, hints)
    return canvas.frame()


def _most(everything: list[Words], cells: int, look: Look) -> int:
    return max(len(_rows(words, cells, look)) for words in everything)


def _rows(words: Words, cells: int, look: Look, *, apart: bool = False) -> list[Row]:
    """The title with what is told behind it, then what to do."""
    said = look.tongue.say("{name}: {text}", name=words.title, text=words.told)
    title = len(said) - len(words.told)
    first, *more = in_rows(said, "text", cells, ascii=look.ascii)
    text = first[0][0]
    head = ((text[:title], "title"), (text[title:], "text"))
    gap: list[Row] = [()] if apart else []
    return [head, *more, *gap, *in_rows(words.task, "preview", cells, ascii=look.ascii)]
