"""A moving picture shows each row as long as it stood there, and its last frame to who asked for no motion."""

import re
from xml.etree import ElementTree

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.theme import FELT
from tools.moving_picture import Shot, moving_picture


def frame(*rows: str) -> Frame:
    canvas = Canvas(8, len(rows))
    for y, row in enumerate(rows):
        canvas.put(0, y, row, "text")
    return canvas.frame()


SVG = moving_picture(
    [Shot(frame("still", "one"), 1.0), Shot(frame("still", "two <"), 2.0), Shot(frame("still", "one"), 1.0)],
    FELT,
    "Two rows",
)


def shown(name: str) -> str:
    """The keyframes of the row called `name`."""
    found = re.search(rf"@keyframes {name}{{(.*?}})}}", SVG)
    return found[1] if found else ""


def test_it_is_well_formed_and_has_a_title() -> None:
    root = ElementTree.fromstring(SVG)
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "Two rows"


def test_each_row_is_drawn_once() -> None:
    assert re.findall(r">(still|one|two &lt;)<", SVG) == ["still", "one", "two &lt;"]


def test_a_row_that_stays_does_not_move() -> None:
    assert shown("r0") == ""


def test_a_row_shows_as_long_as_it_stood_there() -> None:
    hidden, visible = "{visibility:hidden}", "{visibility:visible}"
    assert shown("r1") == f"0.000%{visible}25.000%{hidden}75.000%{visible}100%{visible}"
    assert shown("r2") == f"0.000%{hidden}25.000%{visible}75.000%{hidden}100%{hidden}"


def test_without_motion_the_last_frame_stands() -> None:
    assert ".r1{visibility:visible;animation" in SVG
    assert ".r2{visibility:hidden;animation" in SVG
    assert SVG.count("@media(prefers-reduced-motion)") == 2
