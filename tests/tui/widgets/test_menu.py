"""All actions of a screen, searched: everything is found, in every language, size and by mouse."""

import pytest

from cartino_protocol.commands import History, Leaders, Leave
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import translator_for
from cartino_tui.keys import FORM, LOBBY, TABLE, KeyTable
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.preferences import Settings, keymap_of
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.page import PageScreen
from cartino_tui.visit.pending import Press
from cartino_tui.widgets.menu import Menu, draw_menu, menu_items, open_menu
from tests.support.visit import Visit, line, lobby, toy_table
from tests.tui.conftest import Visiting

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
    return draw_menu(Canvas(look.width, look.height).frame(), choosing, look).text()


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


async def test_it_opens_over_any_screen_and_does_what_is_chosen(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP"))) as v:
        await v.types("colon")
        assert "type what you want to do" in v.text
        await v.types(*"leaderboard", "enter")
        assert v.link.sent == [Leaders()]


async def test_escape_a_click_beside_it_and_backspace_close_it(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        for close in ("escape", "backspace"):
            await v.types("colon", close)
            assert "Esc close" not in v.text
        await v.types("colon")
        await v.pilot.click(offset=(0, 23))
        assert "Esc close" not in v.text
        await v.types("colon")
        await v.click("Esc close")
        assert "Esc close" not in v.text
        assert v.link.sent == []


async def test_a_click_does_what_it_hits_and_what_is_grave_still_asks(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("colon")
        await v.click("your seat is kept while the game runs")
        assert v.status == "Leave the table? Your seat is kept. (y/n)"
        await v.types("y")
        assert v.link.sent == [Leave()]


async def test_from_a_screen_over_the_lobby_all_of_the_lobby_can_be_chosen(visit: Visiting) -> None:
    async with visit() as v:
        v.app.push_screen(PageScreen(v.app.context, v.app.client_state, HISTORY_PAGE, _ALL))
        await v.pilot.pause()
        await v.types("colon", *"settings", "enter")
        assert "Card letters" in v.text
        await v.types("escape")
        assert isinstance(v.app.screen, LobbyScreen)


async def listed(v: Visit) -> set[str]:
    """The keys of what the open menu lists, above the moves."""
    await v.types("colon")
    found = {line.strip(" │").split("  ")[0] for line in v.text.splitlines() if line.strip().startswith("│")}
    await v.types("escape")
    return found


@pytest.mark.parametrize(
    ("shown", "can", "cannot"),
    [
        (toy_table(), {"p", "t", "q"}, {"r", "x", "i", "T x"}),
        (toy_table(state="finished"), {"r", "x", "q"}, {"p", "i"}),
        (toy_table(you=None), {"t", "q"}, {"p", "r", "x"}),
        (toy_table(state="open", you=None), {"t", "q"}, {"u", "s", "x"}),
    ],
    ids=["playing", "finished", "watching", "waiting"],
)
async def test_only_what_can_be_done_is_listed(
    visit: Visiting, shown: TableView, can: set[str], cannot: set[str]
) -> None:
    async with visit(shown) as v:
        found = await listed(v)
        assert can <= found
        assert not cannot & found


async def test_an_empty_lobby_lists_no_table_to_join(visit: Visiting) -> None:
    async with visit(lobby()) as v:
        assert not {"Enter", "w"} & await listed(v)
    async with visit(lobby(line("K7QP"))) as v:
        assert {"Enter", "w"} <= await listed(v)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.width}-{look.translator.name}")
def test_nothing_is_drawn_over_the_frame(look: Look) -> None:
    side = "|" if look.ascii else "│"
    _, *inside, _ = (row for row in drawn(opened(TABLE, look), look).splitlines() if row.strip())
    assert {(row.strip()[0], row.strip()[-1]) for row in inside} == {(side, side)}
