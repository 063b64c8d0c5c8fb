"""A lesson at every size and in another language: its words are whole, and so is the table."""

import itertools

import pytest

from cartino_protocol.views import LessonView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from cartino_tui.i18n import ENGLISH, ascii_translator, translator_for
from cartino_tui.keys import LESSON
from cartino_tui.screens.lesson import (
    all_lesson_texts,
    draw_text_page,
    draw_with_text,
    lesson_layout,
    lesson_text,
    table_cell_at,
)
from cartino_tui.widgets.layout import translate_hints
from tests.support.cartino_table import CARTINO_SCREEN
from tests.support.languages import OTHERS
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.school import moments
from tests.support.whole import drawn_whole

SIZES = (
    (60, 20),
    (61, 23),
    (80, 20),
    (80, 24),
    (91, 20),
    (100, 21),
    (120, 30),
    (120, 40),
    (160, 50),
    (200, 60),
)
VIEWS = tuple(moments())


def looks(size: tuple[int, int]) -> list[Look]:
    return [
        Look(*size, ascii, ascii_translator(translator) if ascii else translator)
        for translator, ascii in itertools.product(
            (ENGLISH, PSEUDO, *map(translator_for, OTHERS)), (False, True)
        )
    ]


def frames(view: LessonView, look: Look) -> list[Frame]:
    """All that is seen of this moment: the table, and the page of words where there is one."""
    lesson, places, translator = (
        CARTINO_SCREEN.lessons[view.name],
        CARTINO_SCREEN.lesson_places(look),
        look.translator,
    )
    words = lesson_text(lesson, view, places, translator)
    where = lesson_layout(look, all_lesson_texts(lesson, view, places, translator))
    table = CARTINO_SCREEN.read(view.table.game_view)
    hints = translate_hints(LESSON.hints("later", "help", "leave"), look)
    title = translator.gettext(
        "{game} · Lesson {n} of {all}", game="Cartino 1974", n=view.number, all=view.of
    )
    around = TableChrome(title, hints=hints, alone=view.strayed)
    frame = CARTINO_SCREEN.draw(view.table, table, CARTINO_SCREEN.fresh(), where.table, around)
    if where.place == "before":
        return [draw_text_page(words, title, look, "", hints), frame]
    return [draw_with_text(frame, words, where, look)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_is_cut_at_any_size(size: tuple[int, int]) -> None:
    for number, view in enumerate(VIEWS):
        look = looks(size)[number % 8]
        with drawn_whole("ann", "Alex") as faults:
            shown = frames(view, look)
        assert faults == [], f"{view.name} {view.done} {look.ascii}"
        for frame in shown:
            assert (frame.width, frame.height) == size
            assert all(sum(len(text) for text, _ in row) == size[0] for row in frame.rows)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_all_that_is_to_be_said_is_on_the_screen(size: tuple[int, int]) -> None:
    for view in VIEWS:
        look = Look(*size)
        said = lesson_text(
            CARTINO_SCREEN.lessons[view.name], view, CARTINO_SCREEN.lesson_places(look), ENGLISH
        )
        text = " ".join(frames(view, look)[0].text().split())
        for sentence in (said.title, said.told, said.task):
            assert all(word in text for word in sentence.split()), (view.name, sentence)


@pytest.mark.parametrize("view", VIEWS[:6], ids=lambda view: f"{view.name} {view.done}")
def test_every_word_is_said_in_the_readers_language(view: LessonView) -> None:
    for size in ((60, 20), (120, 40)):
        for frame in frames(view, Look(*size, translator=PSEUDO)):
            assert plain_words(frame, "ann", "Alex", "Cartino") == []


def test_in_80_by_24_table_and_words_are_seen_together() -> None:
    look = Look(80, 24)
    for view in VIEWS:
        lesson, places = CARTINO_SCREEN.lessons[view.name], CARTINO_SCREEN.lesson_places(look)
        assert lesson_layout(look, all_lesson_texts(lesson, view, places, ENGLISH)).place == "above", (
            view.name
        )


def test_the_table_stays_where_it_is_through_a_lesson() -> None:
    look, lesson = Look(80, 24), CARTINO_SCREEN.lessons["turn"]
    plans = {
        lesson_layout(look, all_lesson_texts(lesson, view, CARTINO_SCREEN.lesson_places(look), ENGLISH))
        for view in VIEWS
        if view.name == "turn"
    }
    assert len(plans) == 1


def test_a_click_is_told_to_the_table_where_it_is() -> None:
    view, look = VIEWS[0], Look(80, 24)
    everything = all_lesson_texts(
        CARTINO_SCREEN.lessons[view.name], view, CARTINO_SCREEN.lesson_places(look), ENGLISH
    )
    above = lesson_layout(look, everything)
    assert table_cell_at(above, 5, 0) == (5, 0)
    assert table_cell_at(above, 5, 1) is None
    assert table_cell_at(above, 5, above.size) is None
    assert table_cell_at(above, 5, above.size + 1) == (5, 1)
    beside = lesson_layout(Look(100, 20), everything)
    assert beside.place == "beside"
    assert table_cell_at(beside, 59, 3) == (59, 3)
    assert table_cell_at(beside, 60, 3) is None
