"""Every size from 60 by 20 cells to 200 by 60, with all that can be said at once: nothing is cut, nothing lies over
anything else, and what has to be there is there."""

import itertools
from collections.abc import Iterator, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_games.cartino.screen.scene import Scene, scene
from cartino_games.cartino.screen.words import state_line
from cartino_games.kit.arrangement import Box
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH, Translator, ascii_translator, translator_for
from cartino_tui.preferences import CardLetters
from tests.support.cartino_table import CARTINO_SCREEN, NAMES, SAID, press, view_of
from tests.support.languages import OTHERS
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.sizes import each_size, sizes, with_seats
from tests.support.table_states import Shown, shown_states
from tests.support.whole import drawn_whole

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
WIDTHS = (60, 61, 67, 68, 70, 71, 75, 76, 77, 78, 79, 80, 89, 94, 99, 100, 108, 119, 120, 132, 159, 160, 200)
HEIGHTS = (20, 21, 22, 23, 24, 26, 30, 37, 38, 39, 40, 48, 50, 56, 60)
SIZES = sorted(
    {*itertools.product(WIDTHS, (20, 24, 50)), *itertools.product((60, 80, 100, 120, 160, 200), HEIGHTS)}
)
"""The steps at which the arrangement changes, and those around them."""
IN_ALL = ((60, 20), (80, 24))
"""The smallest terminal, and the one that most programs are laid out for."""
LETTERS: tuple[CardLetters, ...] = ("en", "fr", "de", "fr", *("fr", "de") * 2)
LANGUAGES: tuple[Translator, ...] = (ENGLISH, PSEUDO, *map(translator_for, OTHERS))

STATES = {
    (edition, seats): tuple(shown_states(edition, seats)) for edition in EDITIONS for seats in (2, 3, 4)
}


def looks(size: tuple[int, int]) -> list[Look]:
    """All languages, in all characters and in ASCII, with all letters of the courts among them."""
    return [
        Look(*size, ascii, ascii_translator(translator) if ascii else translator, letters)
        for (translator, ascii), letters in zip(
            itertools.product(LANGUAGES, (False, True)), LETTERS, strict=True
        )
    ]


def drawn(shown: Shown, look: Look) -> tuple[Scene, Frame]:
    """The scene, and the frame whose hints are in the language of `look` as the screen would say them."""
    hints = tuple((key, look.translator.gettext(what)) for key, what in shown.around.hints)
    around = msgspec.structs.replace(shown.around, hints=hints)
    view = view_of(shown.table)
    pointer = press(shown.table, *shown.keys) if shown.keys else NOWHERE
    faults: list[str]
    with drawn_whole(*NAMES, *(text for _, text in SAID)) as faults:
        frame = CARTINO_SCREEN.draw(shown.table, view, pointer, look, around)
    assert faults == [], f"{shown.name} {look.width}x{look.height}"
    return scene(shown.table, view, pointer, look, around), frame


def cut(frame: Frame, box: Box) -> str:
    rows = ("".join(text for text, _ in row) for row in frame.rows[box.y : box.y + box.height])
    return "\n".join(row[box.x : box.x + box.width] for row in rows)


def pairs(states: Sequence[Shown], size: tuple[int, int]) -> Iterator[tuple[Shown, Look]]:
    """Every state at that size: in each look at the sizes of `IN_ALL`, else in one, another at the next size."""
    for number, shown in enumerate(states):
        each = looks(size)
        turn = (number + SIZES.index(size)) % len(each)
        for look in each if size in IN_ALL else [each[turn]]:
            yield shown, look


def test_every_state_is_drawn_at_every_size_and_in_every_look() -> None:
    for states in STATES.values():
        drawn = [(id(shown), look) for size in SIZES for shown, look in pairs(states, size)]
        shown = {id(state) for state in states}
        looks_of_one = {(look.translator.name, look.ascii, look.letters) for look in looks(SIZES[0])}
        assert len(looks_of_one) == len(LANGUAGES) * 2
        at_sizes = {(state, look.width, look.height) for state, look in drawn}
        assert at_sizes == {(state, *size) for state in shown for size in SIZES}
        in_looks = {(state, (look.translator.name, look.ascii, look.letters)) for state, look in drawn}
        assert in_looks == {(state, look) for state in shown for look in looks_of_one}


@each_size
@with_seats
@pytest.mark.parametrize("edition", EDITIONS)
def test_at_every_size_every_label_is_whole(edition: Edition, seats: int, every: bool) -> None:
    for size in sizes(SIZES, every=every):
        for shown, look in pairs(STATES[edition, seats], size):
            at, frame = drawn(shown, look)
            assert all(sum(len(text) for text, _ in row) == size[0] for row in frame.rows)
            assert frame.height == size[1]
            assert not look.ascii or frame.text().isascii()
            _assert_words(shown, at, frame)
            if not at.is_over:
                _assert_table(at, frame)


@settings(deadline=None, max_examples=60)
@given(st.integers(60, 200), st.integers(20, 60), st.sampled_from(sorted(STATES)), st.data())
def test_between_those_sizes_too(
    width: int, height: int, which: tuple[Edition, int], data: st.DataObject
) -> None:
    shown = data.draw(st.sampled_from(STATES[which]))
    at, frame = drawn(shown, data.draw(st.sampled_from(looks((width, height)))))
    _assert_words(shown, at, frame)
    if not at.is_over:
        _assert_table(at, frame)


def _assert_words(shown: Shown, at: Scene, frame: Frame) -> None:
    """What is said is in the reader's language, but for names, keys and what people say."""
    if at.look.translator is PSEUDO:
        own = (
            *NAMES,
            # A name may be broken between its words, and a chart stands beside the end of its line.
            *(word for name in NAMES for word in name.split()),
            *(text for _, text in SAID),
            shown.around.title,
            shown.around.facts,
            shown.around.status,
        )
        table = shown.table
        hexes = (
            table.seed,
            table.commitment,
            *(each[half:][:32] for each in (table.seed, table.commitment) for half in (0, 32)),
        )
        assert plain_words(" ".join(frame.text().split()), *own, *hexes, "SHA", "ms", "min") == []


def _assert_table(at: Scene, frame: Frame) -> None:
    text, plan = frame.text(), at.layout
    for seat, score in enumerate(at.view.scores):
        line = next(row for row in text.split("\n") if at.name(seat) in row[plan.players.x :])
        assert str(abs(score.total)) in text, line
    for spot, card in enumerate(card for card in at.board.cards for _ in "ul"):
        where = cut(frame, plan.spot_box(spot))
        assert at.marks.card(card) in where or {*where} & {*"▀▄█"}, card
    for place, stone in enumerate(at.view.hand):
        where = cut(frame, plan.hand[place])
        assert str(place + 1) in where
        assert at.marks.card(stone) in where
    if at.lay is not None:
        signed = f"+{at.lay.points}"
        assert signed in cut(frame, plan.notes)
    if not at.around.status:
        said = (state_line(at), state_line(at, plan.width - 2))
        assert any(_flat(sentence) in _flat(text) for sentence in said)
    hints = cut(frame, Box(0, plan.hints, plan.width, 1))
    for key, what in at.around.hints[-2:]:
        assert f"{key} {what}" in hints


def _flat(text: str) -> str:
    """`text` in one line, with blanks alone between its words: a no-break space is one more of them."""
    return " ".join(text.split())


def test_a_low_card_gives_its_room_to_the_name() -> None:
    """Two rows a player beside the board: chips and stones make way for a long name, and stand beside a short one."""
    _, frame = drawn(next(shown for shown in STATES["1974", 4] if shown.name == "deal"), Look(78, 20))
    text = frame.text()
    assert all(name in text for name in NAMES[:4])
    lea = next(row for row in text.splitlines() if "Léa" in row)
    assert "■5" in lea
    _, frame = drawn(
        next(shown for shown in STATES["1974", 4] if shown.name == "a joker comes out"), Look(99, 20)
    )
    assert all(name in frame.text() for name in NAMES[:4]), (
        "a total of three digits leaves room for 16 letters"
    )
