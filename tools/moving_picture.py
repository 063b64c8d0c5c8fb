"""Make an animated SVG of frames; each row is drawn once and shown while it is on the screen.

No script runs in it, so it moves wherever pictures are shown; who asked their system for less motion sees the last
frame alone.
"""

from collections.abc import Sequence
from html import escape

import msgspec
from rich.color_triplet import ColorTriplet
from rich.style import Style

from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.theme import Theme

CELL, LINE = 8.4, 18.0
"""Width and height of a cell, in pixels of a font of 14."""
BASE = 14.0
EDGE = 12.0


class Shot(msgspec.Struct, frozen=True):
    """A frame, and for how many seconds it stands."""

    frame: Frame
    seconds: float


def moving_picture(shots: Sequence[Shot], theme: Theme, title: str) -> str:
    """Return the SVG that repeats `shots`, all of one size, in `theme`; `title` is its text alternative."""
    width, height, _ = shots[0].frame
    pixels = width * CELL + 2 * EDGE, height * LINE + 2 * EDGE
    styles: list[str] = []
    rows: list[str] = []
    for y in range(height):
        for row, spans in _spans([shot.frame.rows[y] for shot in shots]).items():
            name = f"r{len(rows)}"
            styles.append(_shown_while(name, spans, [shot.seconds for shot in shots]))
            rows.append(f'<g class="{name}">{_row(row, y, theme)}</g>')
    ground = _hex(_colours(theme.style("ground"))[1])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {pixels[0]:g} {pixels[1]:g}" role="img">'
        f"<title>{escape(title)}</title><style>"
        "text{font:14px 'DejaVu Sans Mono','Fira Code',Menlo,Consolas,monospace;white-space:pre}"
        f".b{{font-weight:bold}}.u{{text-decoration:underline}}{''.join(styles)}"
        f'</style><rect width="100%" height="100%" rx="8" fill="{ground}"/>'
        f'<g transform="translate({EDGE:g} {EDGE:g})">{"".join(rows)}</g></svg>\n'
    )


def _spans(rows: Sequence[Row]) -> dict[Row, list[int]]:
    """Return which of the shots each row of one line stands in."""
    found: dict[Row, list[int]] = {}
    for number, row in enumerate(rows):
        found.setdefault(row, []).append(number)
    return found


def _shown_while(name: str, numbers: Sequence[int], seconds: Sequence[float]) -> str:
    """Return the style that shows the row `name` during the shots `numbers`, and hides it during the others."""
    if len(numbers) == len(seconds):
        return ""
    total = sum(seconds)
    steps = []
    visible = None
    for number in range(len(seconds)):
        if (number in numbers) is not visible:
            visible = number in numbers
            start = 100 * sum(seconds[:number]) / total
            steps.append(f"{start:.3f}%{{visibility:{'visible' if visible else 'hidden'}}}")
    last = "visible" if visible else "hidden"
    return (
        f"@keyframes {name}{{{''.join(steps)}100%{{visibility:{last}}}}}"
        f".{name}{{visibility:{last};animation:{name} {total:g}s step-end infinite}}"
        f"@media(prefers-reduced-motion){{.{name}{{animation:none}}}}"
    )


def _row(row: Row, y: int, theme: Theme) -> str:
    """Return one row: grounds that differ from the picture's, and on them the text."""
    drawn: list[str] = []
    x = 0
    plain = _colours(theme.style("ground"))[1]
    for text, role in row:
        style = theme.style(role)
        ink, ground = _colours(style)
        left = x * CELL
        if ground != plain:
            drawn.append(
                f'<rect x="{left:.1f}" y="{y * LINE:g}" width="{len(text) * CELL:.1f}" height="{LINE:g}" '
                f'fill="{_hex(ground)}"/>'
            )
        if text.strip() or style.underline:
            before = 0 if style.underline else len(text) - len(text.lstrip())
            said = text if style.underline else text.strip()
            marks = " ".join(filter(None, ("b" if style.bold else "", "u" if style.underline else "")))
            drawn.append(
                f'<text x="{left + before * CELL:.1f}" y="{y * LINE + BASE:g}" '
                f'textLength="{len(said) * CELL:.1f}" xml:space="preserve" '
                f'fill="{_hex(ink)}"{f""" class="{marks}" """.rstrip() if marks else ""}>{escape(said)}</text>'
            )
        x += len(text)
    return "".join(drawn)


def _colours(style: Style) -> tuple[ColorTriplet, ColorTriplet]:
    """Text and ground as they are seen."""
    assert style.color is not None
    assert style.bgcolor is not None
    text, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
    return (ground, text) if style.reverse else (text, ground)


def _hex(colour: ColorTriplet) -> str:
    return str(colour.hex)
