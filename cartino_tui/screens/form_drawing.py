"""The form for a new table as a frame, and which choice a click means."""

from collections.abc import Iterator

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean, fit
from cartino_tui.games.plug import Look
from cartino_tui.keys import FORM
from cartino_tui.screens.form import Form
from cartino_tui.screens.parts import bar, hint_line, marks

HINTS = FORM.hints("more", "open", "back")
BUTTON = "Open the table"
_TOP, _LABEL, _CHOICES = 4, 6, 20


def draw_form(form: Form, look: Look, status: str = "") -> Frame:
    """The whole form, `look.width` by `look.height` cells."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, "A new table", "")
    for line, field in enumerate(form.fields):
        y = _TOP + 2 * line
        here = line == form.cursor
        if here:
            canvas.put(_LABEL - 2, y, marks(look).pick, "key")
        canvas.put(
            _LABEL, y, fit(field.label, _CHOICES - _LABEL - 2, ascii=look.ascii), "title" if here else "text"
        )
        for x, choice, text in _places(form, line):
            taken = choice == field.chosen
            canvas.put(x, y, text, ("selected" if here else "you") if taken else "dim")
        if field.note and here:
            canvas.put(_CHOICES, y + 1, fit(field.note, look.width - _CHOICES - 1, ascii=look.ascii), "dim")
    canvas.put(_CHOICES, _button_row(form), f" {BUTTON} ", "button")
    canvas.put(1, look.height - 2, fit(status or _means(form), look.width - 2, ascii=look.ascii), "status")
    hint_line(canvas, look, look.height - 1, HINTS)
    return canvas.frame()


def choice_at(form: Form, x: int, y: int) -> tuple[int, int] | None:
    """The (line, choice) at the cell (x, y), or None."""
    line, odd = divmod(y - _TOP, 2)
    if odd or not 0 <= line < len(form.fields):
        return None
    return next(
        ((line, choice) for left, choice, text in _places(form, line) if left <= x < left + len(text)), None
    )


def on_button(form: Form, x: int, y: int) -> bool:
    """Whether the cell (x, y) is the button."""
    return y == _button_row(form) and _CHOICES <= x < _CHOICES + len(BUTTON) + 2


def _button_row(form: Form) -> int:
    return _TOP + 2 * len(form.fields) + 1


def _places(form: Form, line: int) -> Iterator[tuple[int, int, str]]:
    """The choices of a line as (x, number, text): the one taken in brackets, so that no place moves."""
    field = form.fields[line]
    x = _CHOICES
    for number, choice in enumerate(field.choices):
        text = f"[{clean(choice)}]" if number == field.chosen else f" {clean(choice)} "
        yield x, number, text
        x += len(text) + 1


def _means(form: Form) -> str:
    """One sentence: what will happen with the choices as they are."""
    command = form.command()
    free = command.seats - 1 - len(command.bots)
    if free <= 0:
        return "The game begins at once."
    if command.bots:
        return f"The game waits for {free} more to sit down, or begins when you press s."
    return f"The game waits for {free} more to sit down."
