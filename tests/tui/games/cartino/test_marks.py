import msgspec
import pytest
from rich.cells import cell_len

from cartino_tui.games.cartino.marks import ASCII, UNICODE, Marks, marks


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_every_character_is_one_cell(each: Marks) -> None:
    for value in msgspec.structs.astuple(each):
        text = "".join(value.values()) if isinstance(value, dict) else value
        assert cell_len(text) == len(text)
        assert each is UNICODE or text.isascii()


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_the_states_of_a_spot_have_different_marks(each: Marks) -> None:
    assert len({each.laid, each.joker, each.legal, each.touched, " "}) == 5


def test_the_terminal_chooses_the_characters() -> None:
    assert [marks(True).card(name) for name in ("10S", "AH", "*")] == ["10S", "AH", "*"]
    assert [marks(False).card(name) for name in ("10S", "AH", "*")] == ["10♠", "A♥", "★"]
