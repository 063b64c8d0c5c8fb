"""What the waiting room costs on the wire, and how full it is."""

import pytest

from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.waiting_drawing import WaitingModel, draw_waiting, waiting_hints
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.widgets.layout import translate_hints
from tests.budget.test_bytes import WANTED_A_KEY
from tests.support.cartino_table import CARTINO_SCREEN
from tests.support.visit import toy_table
from tests.support.window import Window, bare_share


def drawn(look: Look, cursor: int = 0) -> Frame:
    view = toy_table("Ann - - -", "open", code="MY7EHNWU")
    hints = translate_hints(waiting_hints(view), look)
    rules = tuple(part.translate_section(ENGLISH) for part in CARTINO_SCREEN.rules_of({"edition": "1974"}))
    commands = ShellCommands("ssh -t games.example.org")
    said = (("", "Ann takes a seat"), ("Bo", "may I join?"), ("Ann", "of course"))
    online = ("Bo", "Chika", "Dunja", "Eve", "Fred")
    return draw_waiting(
        WaitingModel(
            view,
            "Cartino 1974: table MY7EHNWU",
            cursor,
            said,
            shell_commands=commands,
            hints=hints,
            rules=rules,
            online=online,
        ),
        look,
    )


@pytest.mark.parametrize(
    ("look", "first", "bare"),
    [(Look(80, 24), 3_600, 0.4), (Look(120, 40), 9_500, 0.4)],
    ids=["80x24", "120x40"],
)
def test_it_is_cheap_and_not_empty(look: Look, first: int, bare: float) -> None:
    window = Window(own=True)
    assert window.bytes_of(drawn(look)) <= first
    assert 0 < max(window.bytes_of(drawn(look, cursor)) for cursor in (1, 2, 3, 0)) <= WANTED_A_KEY
    assert bare_share(drawn(look)) <= bare


def test_a_large_table_has_the_game_and_who_to_invite() -> None:
    text = drawn(Look(120, 40)).text()
    assert "The highest total wins." in text
    assert "Bo · Chika · Dunja" in text
    assert "Press i to invite someone by name." in text
    assert "Recently online" not in drawn(Look(80, 24)).text()
