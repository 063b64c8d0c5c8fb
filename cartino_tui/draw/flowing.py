"""Text that takes as many rows as it needs: labels side by side, sentences, and what of them fits."""

from collections.abc import Iterable, Sequence

from cartino_tui.draw.canvas import Canvas, Row, Run
from cartino_tui.draw.text import wrap

ENOUGH = 99
"""More rows than any sentence takes."""


def length(row: Sequence[Run]) -> int:
    """How many cells `row` takes."""
    return sum(len(text) for text, _ in row)


def flow(labels: Iterable[Sequence[Run]], between: Run, cells: int) -> list[Row]:
    """`labels` side by side with `between` them, on as many rows of `cells` as it takes; no label is broken."""
    rows: list[Row] = []
    for label in labels:
        last = rows[-1] if rows else ()
        if last and length(last) + len(between[0]) + length(label) <= cells:
            rows[-1] = (*last, between, *label)
        else:
            rows.append(tuple(label))
    return rows


def in_rows(text: str, role: str, cells: int, *, ascii: bool = False) -> list[Row]:
    """`text` in rows of `cells`, whole."""
    return [((part, role),) for part in wrap(text, cells, ENOUGH, ascii=ascii)]


def put_row(canvas: Canvas, x: int, y: int, row: Iterable[Run]) -> int:
    """Draw `row` from (x, y) on; the x after it."""
    for text, role in row:
        x = canvas.put(x, y, text, role)
    return x


def put_rows(canvas: Canvas, x: int, y: int, rows: Iterable[Iterable[Run]]) -> int:
    """Draw `rows` one below the other from (x, y) on; the y after them."""
    for row in rows:
        put_row(canvas, x, y, row)
        y += 1
    return y


def first_that_fits(texts: Sequence[str], cells: int) -> str:
    """The first of `texts`, which say less and less, that fits `cells`; "" where none does."""
    return next((text for text in texts if len(text) <= cells), "")
