"""The lobby; the visits are in `lobby.txt`."""

import re
from pathlib import Path

import pytest

from cartino_protocol.commands import QuickPlay
from cartino_protocol.refusals import Refusal
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from tests.support.pages import page_at
from tests.support.pseudo import pseudo, speak_pseudo
from tests.support.visit import line, lobby
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting


def test_the_frame_knows_no_game_by_name() -> None:
    package = Path(__file__).parents[3] / "cartino_tui"
    files = [*package.glob("screens/*.py"), *package.glob("*.py")]
    assert len(files) > 15
    for file in files:
        words = re.sub("cartino(_|-tui|app)", "", file.read_text().lower())
        allowed = (
            words.count('title = "cartino"')
            + words.count("cartinoapp")
            + words.count("`cartino play`")
            + file.match("__main__.py") * 99
        )
        assert words.count("cartino") <= allowed, file


async def test_a_click_on_a_hint_presses_its_key_in_every_language(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak_pseudo(monkeypatch)
    async with visit(lobby(line("K7QP", "Bo -"))) as v:
        await v.types("escape")
        await v.click(f"n {pseudo('no')}")
        await v.click(f"p {pseudo('play now')}")
        await v.says(QuickPlay())
        await v.hears(Refusal("busy", to="QuickPlay"))
        await v.types("c")
        await v.click(f"{pseudo('Esc')} {pseudo('cancel')}")
        await v.click(f"? {pseudo('help')}")
        await v.until(lambda: pseudo("Help: the lobby") in v.text)
        await v.click(f"{pseudo('Esc')} {pseudo('back')}")
        await v.until(lambda: pseudo("players").upper() in v.text)


def test_how_long_the_line_takes_stands_beside_who_is_here_where_there_is_room() -> None:
    usual = page_at(TABLES_PAGE, TablesView(name="Ann", people=3), link_time="48 ms")
    assert usual(Look(80, 24)).text().splitlines()[0].endswith("3 people here · 48 ms")
    small = page_at(TABLES_PAGE, TablesView(name="Maximiliane Roß.", people=3), guest=True, link_time="48 ms")
    assert "ms" not in small(Look(60, 20)).text().splitlines()[0]


test_visits = visits(__file__)
