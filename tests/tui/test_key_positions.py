"""Keys by their place: AZERTY's row of digits and layouts of other scripts work, and text stays as it is typed."""

import pytest

from cartino_protocol.commands import Create
from cartino_protocol.views import TableView
from cartino_server.server import Server
from cartino_tui.game_port.screen import MIN_LOOK
from cartino_tui.key_positions import key_by_place
from cartino_tui.key_table import key_from_label
from cartino_tui.screens.table_state import ShownTable
from tests.support.game_server import QUICK, World, a_guest
from tests.support.games import BOTS, GAMES, SCREENS
from tests.support.visit_script import visits

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


test_visits = visits(__file__)
