"""The made-up language shows what was left in English, and nothing else."""

from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import clean
from cartino_tui.game_port.screen import Look
from tests.support.pseudo import LONGER, PSEUDO, in_pseudo, plain_words, pseudo


def test_what_is_said_in_it_has_no_plain_word() -> None:
    said = PSEUDO.gettext("{name} is watching the table.", name="ann")
    assert plain_words(said, "ann") == []
    assert plain_words(said) == ["ann"]
    assert plain_words(PSEUDO.ngettext("{n} stone", "{n} stones", 2) + PSEUDO.pgettext("card", "Jack")) == []


def test_what_is_not_said_is_found() -> None:
    assert plain_words(f"{PSEUDO.gettext('Lay first.')} Then end") == ["Then", "end"]
    canvas = Canvas(30, 2)
    canvas.put(0, 1, "your turn", "text")
    assert plain_words(canvas.frame()) == ["your", "turn"]


def test_codes_and_what_is_to_be_typed_are_let_through() -> None:
    assert plain_words("K7QP K7QP-12 x 10") == []
    assert plain_words(PSEUDO.gettext("See `cartino --help`."), "cartino --help") == []


def test_it_is_longer_and_every_letter_takes_one_cell() -> None:
    for sentence in ("Sh", "your turn", "{name} is here", "The house can't save just now."):
        said = pseudo(sentence)
        assert len(said.replace("{name}", "")) >= LONGER * len(sentence.replace("{name}", ""))
        assert clean(said) == said
        assert len(said.upper()) == len(said)


def test_a_look_can_be_had_in_it() -> None:
    assert in_pseudo(Look(80, 24)) == Look(80, 24, translator=PSEUDO)
