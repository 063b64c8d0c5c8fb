"""What a terminal is sent when it takes something, and when it doesn't."""

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.theme import DARK
from cartino_tui.driver.painter import Painter, inks


class Wire:
    """A terminal that remembers, and can stop taking."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.takes = True

    def painter(self) -> Painter:
        return Painter(DARK, "256", self.sent.append, lambda: self.takes)


def frame(text: str) -> Frame:
    canvas = Canvas(20, 2)
    canvas.put(1, 1, text, "heart")
    return canvas.frame()


def test_a_frame_is_sent_once() -> None:
    wire = Wire()
    painter = wire.painter()
    shown = frame("stone")
    painter.show(shown)
    painter.show(shown)
    painter.show(frame("stone"))
    assert len(wire.sent) == 1


def test_a_terminal_that_takes_nothing_gets_the_newest_frame_later() -> None:
    wire, steady = Wire(), Wire()
    painter, other = wire.painter(), steady.painter()
    first, last = frame("first"), frame("last")
    painter.show(first)
    wire.takes = False
    painter.show(frame("between"))
    painter.show(last)
    assert len(wire.sent) == 1
    wire.takes = True
    painter.catch_up()
    other.show(first)
    other.show(last)
    assert wire.sent == steady.sent
    painter.catch_up()
    assert len(wire.sent) == 2


def test_a_disturbed_picture_is_sent_whole() -> None:
    wire = Wire()
    painter = wire.painter()
    painter.show(frame("stone"))
    painter.repaint()
    assert wire.sent[1] == wire.sent[0]


def test_colours_are_those_of_the_terminal() -> None:
    heart = DARK.style("heart")
    assert heart.color is not None
    assert inks(DARK, "true")("heart").text.startswith("38;2;")
    assert inks(DARK, "256")("heart").text.startswith("38;5;")
    assert inks(DARK, "mono")("heart").text == ""
    assert inks(DARK, "mono")("stone-H").marks >= {"7"}
    assert inks(DARK, "256") is inks(DARK, "256")
