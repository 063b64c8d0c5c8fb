"""Cartino's table: the cases of screen.txt, and that nothing is cut or covered from 60 by 20 cells to 200 by 60."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

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
from cartino_tui.game_port.screen import Look, TableChrome
from cartino_tui.i18n import ENGLISH, Translator, ascii_translator, translator_for
from cartino_tui.preferences import CardLetters
from tests.support.cartino import GAME, position
from tests.support.cartino_table import (
    CARTINO_SCREEN,
    NAMES,
    SAID,
    SETTING,
    drawn,
    press,
    table_of,
    view_of,
)
from tests.support.languages import OTHERS
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.rules_script import cases
from tests.support.sizes import each_size, sizes, with_seats
from tests.support.table_script import play
from tests.support.table_states import Shown, finished_states, shown_states
from tests.support.whole import drawn_whole

STATE = position("AH 7S", "7D")
TABLE = table_of(STATE, 0)


def test_the_view_comes_back_as_the_engine_made_it() -> None:
    assert CARTINO_SCREEN.read(TABLE.game_view) == GAME.view(STATE, 0)
    with pytest.raises(msgspec.DecodeError):
        CARTINO_SCREEN.read(msgspec.Raw(b"\x01"))


def test_refusals_have_words() -> None:
    assert CARTINO_SCREEN.describe_refusal("one-suit", ENGLISH).startswith("All stones of a turn")
    assert CARTINO_SCREEN.describe_refusal("something newer", ENGLISH).endswith(".")


def test_every_key_of_the_help_does_something() -> None:
    shown = [key for key, _ in CARTINO_SCREEN.key_help]
    assert shown[:6] == ["1-5", "↑ ↓ ← → k j h l", "/", "Enter", "e", "Esc Backspace"]
    view = view_of(TABLE)
    for key in ("1", "5", "up", "down", "left", "right", "h", "j", "k", "l", "slash", "enter", "e"):
        assert CARTINO_SCREEN.key(TABLE, view, press(TABLE, "1"), key).taken


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("screen.txt")))
def test_table(case: list[str]) -> None:
    play(SETTING, case)


HINTED = position("AH 7S", "7D", bag="9C")


def row_of(look: Look, hints: tuple[tuple[str, str], ...]) -> str:
    return drawn(HINTED, 0, look, around=TableChrome("t", hints=hints)).text().split("\n")[-1]


def test_where_there_is_no_room_the_frames_go_first_then_those_that_nobody_can_click() -> None:
    """Of the frame's, all but the help and the way out."""
    all_of = (("p", "pause"), ("t", "talk"), (":", "more"), ("?", "help"), ("q", "leave"))
    assert row_of(Look(60, 20), all_of) == " 1-5 stone  Enter lay  e end turn  : more  ? help  q leave"
    many = (("p", "pause for a while"), ("t", "talk to the others"), *all_of[2:])
    own = " 1-5 stone  ↑↓ half  Enter lay  e end turn  "
    assert row_of(Look(70, 20), many) == f"{own}: more  ? help  q leave"
    assert row_of(Look(92, 24), many) == f"{own}t talk to the others  : more  ? help  q leave"


@pytest.mark.parametrize(
    ("laid", "keys", "own"),
    [(0, (), "1-5 stone"), (0, ("1",), "↑↓ half  Enter lay"), (2, (), "1-5 stone  e end turn")],
)
def test_a_lesson_hints_at_the_next_step_and_keeps_the_way_on(
    laid: int, keys: tuple[str, ...], own: str
) -> None:
    look, on = Look(60, 20), (("Space", "the task"), ("?", "help"), ("q", "leave"))
    table = msgspec.structs.replace(table_of(HINTED, 0), code="")
    view = msgspec.structs.replace(view_of(table), laid=laid, suit="S" if laid else "")
    frame = CARTINO_SCREEN.draw(table, view, press(table, *keys), look, TableChrome("t", hints=on))
    assert frame.text().split("\n")[-1] == f" {own}  Space the task  ? help  q leave"


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
    (edition, seats): (*shown_states(edition, seats), *finished_states(edition, seats))
    for edition in EDITIONS
    for seats in (2, 3, 4)
}


def looks(size: tuple[int, int]) -> list[Look]:
    """All languages, in all characters and in ASCII, with all letters of the courts among them."""
    return [
        Look(*size, ascii, ascii_translator(translator) if ascii else translator, letters)
        for (translator, ascii), letters in zip(
            itertools.product(LANGUAGES, (False, True)), LETTERS, strict=True
        )
    ]


def drawn_at(shown: Shown, look: Look) -> tuple[Scene, Frame]:
    """The scene, and the frame whose hints are in the language of `look` as the screen would say them."""
    hints = tuple((key, look.translator.gettext(what)) for key, what in shown.around.hints)
    around = msgspec.structs.replace(shown.around, hints=hints)
    view = view_of(shown.table)
    pointer = press(shown.table, *shown.keys) if shown.keys else NOWHERE
    # A name may be broken between its words.
    names = (*NAMES, *(word for name in NAMES for word in name.split()))
    with drawn_whole(*names, *(text for _, text in SAID)) as faults:
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


@each_size
@with_seats
@pytest.mark.parametrize("edition", EDITIONS)
def test_at_every_size_every_label_is_whole(edition: Edition, seats: int, every: bool) -> None:
    for size in sizes(SIZES, every=every):
        for shown, look in pairs(STATES[edition, seats], size):
            _assert_whole(shown, look)


@settings(max_examples=40)
@given(st.integers(60, 200), st.integers(20, 60), st.sampled_from(sorted(STATES)), st.data())
def test_between_those_sizes_too(
    width: int, height: int, which: tuple[Edition, int], data: st.DataObject
) -> None:
    _assert_whole(
        data.draw(st.sampled_from(STATES[which])), data.draw(st.sampled_from(looks((width, height))))
    )


def _assert_whole(shown: Shown, look: Look) -> None:
    """All that has to be there is there, in the reader's language but for names, keys and what people say."""
    at, frame = drawn_at(shown, look)
    assert all(sum(len(text) for text, _ in row) == look.width for row in frame.rows)
    assert frame.height == look.height
    assert not look.ascii or frame.text().isascii()
    if look.translator is PSEUDO:
        # A name may be broken between its words, and a chart stands beside the end of its line.
        names, around, table = [name.split() for name in NAMES], shown.around, shown.table
        own = (*NAMES, *itertools.chain(*names), *(text for _, text in SAID))
        hexes = (table.seed, table.commitment)
        halves = (each[half:][:32] for each in hexes for half in (0, 32))
        known = (*own, around.title, around.facts, around.status, *hexes, *halves, "SHA", "ms", "min")
        assert plain_words(_flat(frame.text()), *known) == []
    if not at.is_over:
        _assert_table(at, frame)


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
    for name, width in (("deal", 78), ("a joker comes out", 99)):
        text = drawn_at(next(each for each in STATES["1974", 4] if each.name == name), Look(width, 20))[
            1
        ].text()
        assert all(name in text for name in NAMES[:4])
        assert name != "deal" or "■5" in next(row for row in text.splitlines() if "Léa" in row)
