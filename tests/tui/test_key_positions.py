"""Keys by their place: AZERTY's row of digits and layouts of other scripts work, and text stays as it is typed."""

import pytest

from cartino_protocol.commands import Act, Create, Leave
from cartino_protocol.views import TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from cartino_tui.game_port.screen import MIN_LOOK
from cartino_tui.key_positions import key_by_place
from cartino_tui.key_table import key_from_label
from cartino_tui.preferences import Settings
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.table_state import ShownTable
from cartino_tui.widgets.help import HelpScreen
from tests.support.game_server import QUICK, World, a_guest
from tests.support.games import BOTS, GAMES, SCREENS
from tests.support.visit import LayOne, toy_table
from tests.tui.conftest import Visiting

FRENCH, BELGIAN = "&é\"'(-è_çà", "&é\"'(§è!çà"


@pytest.mark.parametrize("row", [FRENCH, BELGIAN])
def test_the_row_of_azerty_has_digits(row: str) -> None:
    assert "".join(key_by_place(key_from_label(char)) for char in row) == "1234567890"


@pytest.mark.parametrize(
    ("typed", "latin"),
    [
        ("йцукенгшщзфывапролдячсмить", "qwertyuiopasdfghjklzxcvbnm"),
        ("ЙТП", "QNG"),
        ("ωσδΤ", "vsdT"),
        ("קפשמ", "epan"),
        ("ضحشة", "qpam"),
        ("قی۲", "rd2"),
        ("ქწნ", "qwn"),
        ("ｑ１", "q1"),
    ],
)
def test_a_letter_of_another_script_is_the_one_at_its_place(typed: str, latin: str) -> None:
    assert "".join(map(key_by_place, typed)) == latin


@pytest.mark.parametrize(
    "key", ["q", "2", "semicolon", "slash", "enter", "up", "ctrl+l", "²", "ü", "ß", "ñ", "漢"]
)
def test_other_keys_are_what_they_are(key: str) -> None:
    assert key_by_place(key) == key


@pytest.mark.parametrize("name", GAMES)
async def test_no_game_uses_these_keys_itself(name: str) -> None:
    server = Server(GAMES, BOTS, QUICK, World().ports())
    ann = await a_guest(server, "ann")
    bot = next(bot for game, bot in BOTS if game == name)
    await ann.ask(Create(name, seats=2, bots=(bot,)), TableView)
    while ann.table is None or 0 not in ann.table.turn:
        await ann.next()
    table = ShownTable(ann.table, SCREENS[name])
    for char in (*FRENCH, *BELGIAN, *"йЙωקض"):
        assert not table.takes(key_from_label(char), MIN_LOOK), char
    await server.close()


async def test_a_table_is_played_with_them(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("ampersand", "enter")
        await v.says(Act(1, encode_raw(LayOne(1))))


async def test_help_is_left_with_them(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("question_mark")
        assert isinstance(v.app.screen, HelpScreen)
        await v.types("й")
        assert isinstance(v.app.screen, TableScreen)


async def test_questions_are_answered_with_them(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("й")
        assert "(y/n)" in v.text
        await v.types("т")
        assert "(y/n)" not in v.text
        await v.types("й", "н")
        await v.says(Leave())


async def test_text_is_never_translated(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("t", "й", "é")
        assert "йé" in v.text


async def test_a_key_that_somebody_has_chosen_does_that(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        v.app.context.preferences.settings = Settings(keymap="own", own_keys={"v": "й"})
        await v.types("й")
        assert "(y/n)" not in v.text
