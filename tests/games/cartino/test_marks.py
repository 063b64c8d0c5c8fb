"""The characters of a Cartino table, in every keymap and with ASCII alone; courts are in kit/test_marks.py."""

import msgspec
import pytest
from rich.cells import cell_len

from cartino_games.cartino.marks import ASCII, UNICODE, BoardMarks, halves, marks
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import Settings, keymap_of


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_every_character_is_one_cell(each: BoardMarks) -> None:
    for value in msgspec.structs.astuple(each):
        text = "".join(value.values()) if isinstance(value, dict) else value
        assert cell_len(text) == len(text)
        assert each is UNICODE or text.isascii()


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_the_states_of_a_spot_have_different_marks(each: BoardMarks) -> None:
    assert len({each.laid, each.joker, each.legal, each.touched, " "}) == 5
    assert each.won not in {each.chip, each.turn, each.joker}


def test_the_terminal_chooses_the_characters() -> None:
    assert [marks(True).card(name) for name in ("10S", "AH", "*")] == ["10S", "AH", "*"]
    assert [marks(False).card(name) for name in ("10S", "AH", "*")] == ["10♠", "A♥", "★"]


@pytest.mark.parametrize(
    ("settings", "shown", "plain"),
    [
        (Settings(), "↑↓", "up/dn"),
        (Settings(keymap="vi"), "kj", "kj"),
        (Settings(keymap="own", own_keys={"up": "w", "down": "s"}), "ws", "ws"),
        (Settings(keymap="own", own_keys={"up": "n"}), "n↓", "nv"),
    ],
)
def test_in_every_keymap_and_with_ascii_alone(settings: Settings, shown: str, plain: str) -> None:
    keymap = keymap_of(settings)
    assert halves(Look(80, 24, keymap=keymap)) == shown
    assert halves(Look(80, 24, ascii=True, keymap=keymap)) == plain
