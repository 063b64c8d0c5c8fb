"""Keys by their place: AZERTY's row of digits and layouts of other scripts work, and text stays as it is typed."""

from collections.abc import Sequence

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
from tests.support.visit_steps import Hides, Sees, Shows, Step, follow
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


@pytest.mark.parametrize(
    "steps",
    [
        ("ampersand enter", Act(1, encode_raw(LayOne(1)))),
        ("question_mark", Shows(HelpScreen), "й", Shows(TableScreen)),
        ("й", Sees("(y/n)"), "т", Hides("(y/n)"), "й н", Leave()),
        ("t й é", Sees("йé")),
    ],
    ids=["a table is played", "help is left", "questions are answered", "text is as it is typed"],
)
async def test_screens_are_used_with_them(visit: Visiting, steps: Sequence[Step]) -> None:
    async with visit(toy_table()) as v:
        await follow(v, steps)


async def test_a_key_that_somebody_has_chosen_does_that(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        v.app.context.preferences.settings = Settings(keymap="own", own_keys={"v": "й"})
        await v.types("й")
        assert "(y/n)" not in v.text
