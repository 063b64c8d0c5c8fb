"""The form as a frame: whatever the size, each choice of the line where one stands can be clicked where it is seen."""

import pytest

from cartino_tui.game_port.screen import Look
from cartino_tui.pages.new_table import TableForm, new_form
from cartino_tui.widgets.table_form import BRACKETS, FormDrawing
from tests.support.pseudo import in_pseudo
from tests.support.visit import welcome

STATUS = "There is a sentence here about what the server has refused, and it is longer than a row of it all."
"""The lines whose choices are translated; all others have names or numbers."""


def form() -> TableForm:
    begun = new_form(welcome(odd=True))
    assert begun is not None
    return begun


@pytest.mark.parametrize("size", [(60, 20), (61, 21), (80, 24), (120, 40)])
@pytest.mark.parametrize("status", ["", STATUS])
def test_every_choice_in_sight_is_where_a_click_finds_it(size: tuple[int, int], status: str) -> None:
    english = Look(*size)
    for look in (english, in_pseudo(english)):
        for line, field in enumerate(form().fields):
            begun = form().choose(line, 0)
            drawing = FormDrawing(begun, look, status)
            rows = drawing.frame().text().split("\n")
            first = next(y for y, row in enumerate(rows) if row.startswith("  ►"))
            left = rows[first].index(BRACKETS[0])
            for number, choice in enumerate(begun.fields[line].choices):
                said = look.translator.gettext(choice) if field.words else choice
                text = said.join(BRACKETS) if number == 0 else f" {said} "
                y = next(y for y in range(first, look.height) if text.rstrip() in rows[y][left - 1 :])
                x = rows[y].index(text.rstrip(), left - 1)
                assert drawing.choice_at(x + 1, y) == (line, number)
                assert drawing.choice_at(x + len(text) - 1, y) == (line, number)
                assert drawing.choice_at(x + len(text), y) is None
                assert drawing.choice_at(x + 1, 2) is None


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
def test_the_button_is_where_its_words_are(size: tuple[int, int]) -> None:
    look = Look(*size)
    for status in ("", STATUS):
        drawing = FormDrawing(form(), look, status)
        rows = drawing.frame().text().split("\n")
        y = next(y for y, row in enumerate(rows) if "Open the table" in row)
        x = rows[y].index("Open the table")
        assert drawing.is_on_button(x, y)
        assert not drawing.is_on_button(x, y - 1)
        assert not drawing.is_on_button(x + 20, y)
