"""All actions of a screen, searched: everything is found, in every language, size and by mouse."""

import pytest

from cartino_protocol.commands import History
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import translator_for
from cartino_tui.keys import FORM, LOBBY, TABLE, KeyTable
from cartino_tui.preferences import Settings, keymap_of
from cartino_tui.visit.pending import Press
from cartino_tui.widgets.menu import Menu, Span, find_words, first_hit_from, menu_items, open_menu
from tests.support.visit_script import visits

_ALL = History("all")
LOOKS = [
    Look(width, height, ascii, translator_for(language))
    for width, height, ascii in ((60, 20, False), (80, 24, True), (200, 60, False))
    for language in ("en", "fr", "de")
]


def opened(table: KeyTable, look: Look) -> Menu:
    return open_menu(menu_items(table, (), (("e", "end the turn"), ("1-5", "pick a stone")), look))


def typed(choosing: Menu, text: str, look: Look) -> Menu:
    for char in text:
        after = choosing.press(Press(char, char), look)
        assert isinstance(after, Menu)
        choosing = after
    return choosing


def drawn(choosing: Menu, look: Look) -> str:
    return choosing.draw(Canvas(look.width, look.height).frame(), look).text()


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.width}-{look.translator.name}")
@pytest.mark.parametrize("table", [LOBBY, TABLE, FORM])
def test_every_choice_comes_whole_into_sight_and_the_marked_one_always_is(
    table: KeyTable, look: Look
) -> None:
    choosing = opened(table, look)
    for choice in choosing.all:
        flat = " ".join(drawn(choosing, look).replace("│", " ").replace("|", " ").split())
        assert choosing.found[choosing.cursor] == choice
        assert look.ascii or " ".join(choice.words.split()) in flat
        after = choosing.press(Press("down"), look)
        assert isinstance(after, Menu)
        choosing = after
    assert choosing.cursor == choosing.top == 0


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.width}-{look.translator.name}")
def test_every_choice_is_found_by_its_words(look: Look) -> None:
    """One choice in three at each size: together, the three sizes of a language have all of them."""
    choosing = opened(LOBBY, look)
    for choice in choosing.all[LOOKS.index(look) // 3 :: 3]:
        found = typed(choosing, choice.words[:40], look)
        assert found.found[0].words[:40] == choice.words[:40]
        assert found.press(Press("enter"), look) == found.found[0].key


def test_accents_and_capitals_make_no_difference_and_a_slip_is_forgiven() -> None:
    look = Look(80, 24, False, translator_for("fr"))
    settings = next(choice for choice in opened(LOBBY, look).all if choice.key == "o")
    accented = next(word for word in settings.words.split() if not word.isascii())
    plain = typed(opened(LOBBY, look), "REGLAGES", look)
    assert accented.startswith("réglages")
    assert settings in plain.found
    english = Look(80, 24)
    slip = typed(opened(LOBBY, english), "ratngs", english)
    assert "l" in {choice.key for choice in slip.found}
    whole = typed(opened(LOBBY, english), "rules", english)
    assert [choice.words for choice in whole.found] == ["show the help: keys and rules"], (
        "no scattered letters"
    )


def test_a_choice_is_found_and_shown_by_the_name_of_its_key_in_the_language() -> None:
    look = Look(80, 24, translator=translator_for("fr"))
    found = typed(opened(FORM, look), "echap", look)
    assert [choice.key for choice in found.found] == ["escape"]
    assert "Échap" in drawn(found, look)


def test_nothing_found_says_so_and_enter_does_nothing() -> None:
    look = Look(80, 24)
    none = typed(opened(LOBBY, look), "qqxxzz", look)
    assert none.found == ()
    assert none.press(Press("enter"), look) is none
    assert none.press(Press("down"), look) is none
    assert "No matches." in drawn(none, look)
    assert none.press(Press("backspace"), look) != none
    assert none.press(Press("escape"), look) == ""


def test_keys_are_shown_as_the_keymap_has_them_and_those_of_the_game_come_first() -> None:
    look = Look(80, 24, keymap=keymap_of(Settings(keymap="own", own_keys={"up": "w"})))
    choosing = opened(LOBBY, look)
    assert choosing.all[0].words == "end the turn"
    assert next(choice for choice in choosing.all if choice.key == "w").key_shown == "W"
    assert [choice.is_move for choice in choosing.all] == sorted(choice.is_move for choice in choosing.all)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.width}-{look.translator.name}")
def test_nothing_is_drawn_over_the_frame(look: Look) -> None:
    side = "|" if look.ascii else "│"
    _, *inside, _ = (row for row in drawn(opened(TABLE, look), look).splitlines() if row.strip())
    assert {(row.strip()[0], row.strip()[-1]) for row in inside} == {(side, side)}


LINES = ("The joker stands", "for any stone of", "", "  the turn's suit. A JOKER", "that is an épée")


def test_every_place_is_found_in_order() -> None:
    assert find_words(LINES, "joker") == ((Span(0, 4, 5),), (Span(3, 21, 5),))
    assert find_words(LINES, "x") == ()
    assert find_words(LINES, "  ") == ()


def test_words_that_a_line_breaks_are_found_in_both() -> None:
    assert find_words(LINES, "stands for") == ((Span(0, 10, 6), Span(1, 0, 3)),)
    assert find_words(("", *LINES), "of the") == ((Span(2, 14, 2), Span(4, 2, 3)),)


def test_capitals_accents_and_blanks_make_no_difference() -> None:
    assert find_words(LINES, "EPEE") == find_words(LINES, "épée") == ((Span(4, 11, 4),),)
    assert find_words(LINES, " any   stone ") == ((Span(1, 4, 9),),)


@pytest.mark.parametrize(("line", "number"), [(0, 0), (1, 1), (3, 1), (4, 0)])
def test_the_first_one_from_a_line_on_and_round_again(line: int, number: int) -> None:
    assert first_hit_from(find_words(LINES, "joker"), line) == number


test_visits = visits(__file__)
