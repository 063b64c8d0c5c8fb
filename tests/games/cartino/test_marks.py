import msgspec
import pytest
from rich.cells import cell_len

from cartino_games.cartino.marks import ASCII, UNICODE, BoardMarks, marks, marks_for
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import CardLetters


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_every_character_is_one_cell(each: BoardMarks) -> None:
    for value in msgspec.structs.astuple(each):
        text = "".join(value.values()) if isinstance(value, dict) else value
        assert cell_len(text) == len(text)
        assert each is UNICODE or text.isascii()


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_the_states_of_a_spot_have_different_marks(each: BoardMarks) -> None:
    assert len({each.laid, each.joker, each.legal, each.touched, " "}) == 5


def test_a_winner_a_chip_and_who_is_on_turn_have_marks_of_their_own() -> None:
    for each in (ASCII, UNICODE):
        assert each.won not in {each.chip, each.turn, each.joker}


@pytest.mark.parametrize(("letters", "court"), [("en", "A K Q J"), ("fr", "A R D V"), ("de", "A K D B")])
def test_courts_have_the_letters_of_the_reader(letters: CardLetters, court: str) -> None:
    found = marks_for(Look(80, 24, letters=letters))
    assert " ".join(found.rank(f"{rank}H") for rank in "AKQJ") == court
    assert [found.card(name) for name in ("10H", "7S", "*")] == ["10♥", "7♠", "★"]


def test_the_terminal_chooses_the_characters() -> None:
    assert [marks(True).card(name) for name in ("10S", "AH", "*")] == ["10S", "AH", "*"]
    assert [marks(False).card(name) for name in ("10S", "AH", "*")] == ["10♠", "A♥", "★"]
