from cartino_games.cartino.screen.pieces import broken, inked, plain_text, put_pieces, width
from cartino_tui.draw.canvas import Canvas

ANN = (("Ann", "name"),)


def test_what_stands_in_the_places_keeps_its_own_ink() -> None:
    found = inked("by {name}, {points}", "dim", name=ANN, points=(("+9", "points"),))
    assert found == (("by ", "dim"), ("Ann", "name"), (", ", "dim"), ("+9", "points"))
    assert plain_text(found) == "by Ann, +9"


def test_a_line_may_end_after_each_blank_and_nowhere_else() -> None:
    found = [plain_text(chunk) for chunk in broken(inked("to {name}, who waits", "dim", name=ANN))]
    assert found == ["to ", "Ann, ", "who ", "waits"]


def test_pieces_are_as_wide_as_they_are_drawn() -> None:
    canvas = Canvas(20, 1)
    pieces = (("ab", "text"), ("c", "dim"))
    assert put_pieces(canvas, 1, 0, pieces, 2) == 1 + width(pieces, 2) + 2
    assert canvas.frame().text() == " ab  c"
    assert width((), 2) == 0
