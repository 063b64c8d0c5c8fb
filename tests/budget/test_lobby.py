"""What the lobby costs on the wire, and how full it is, with six tables, a preview, ratings and games of a day."""

import pytest

from cartino_protocol.views import Leader, OnlineView, PastGame, PreviewView, SummaryView, TopPlayers
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.pages.page import Reader
from cartino_tui.pages.tables import TABLES_PAGE, TablesView, hints_at, pad_hints
from cartino_tui.screens.lobby_drawing import LobbyDrawing, Surroundings
from cartino_tui.screens.page_drawing import PageModel, page_hints
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.layout import translate_hints
from tests.budget.test_bytes import WANTED_A_KEY, WANTED_A_TABLE
from tests.support.cartino_table import CARTINO_SCREEN, table_of
from tests.support.played import PLAYED
from tests.support.visit import line
from tests.support.window import Window, bare_share

PEOPLE = ("Ann", "Bo", "Chika", "Dunja", "Eve", "Fred", "Bartholomew_1234", "Hana", "Iris")
ENTRIES = tuple(
    LobbyEntry(
        line(
            code,
            names,
            "open" if "-" in names else "playing",
            turn=() if "-" in names else (0,),
            game="cartino",
        )
    )
    for code, names in (
        ("H8RA", "Fred - -"),
        ("M5CD", "Gil -"),
        ("K7QP", "Ann bot:greedy"),
        ("B4ZT", "Chika Bo"),
        ("QQ2M", "Dunja bot:random"),
        ("W3XN", "Eve Hana Iris Bartholomew_1234"),
    )
)
SUMMARY = SummaryView(
    "Café Kartenhaus",
    tuple(
        TopPlayers(name, tuple(Leader(at, at, PEOPLE[at], 1300 - at * 31, 9) for at in range(1, 6)))
        for name in ("cartino", "caro", "casino")
    ),
    tuple(
        PastGame(f"K7QP-{at}", at, "cartino", {}, PEOPLE[at % 6 : at % 6 + 3], (20, 14, 7), (0,), "out", "")
        for at in range(12)
    ),
)
SCREENS = {"cartino": CARTINO_SCREEN}
ONLINE = OnlineView(PEOPLE)


def drawn(look: Look, cursor: int, preview: PreviewView | None) -> Frame:
    view = TablesView(ENTRIES, "Ann", len(PEOPLE), place=SUMMARY.place)
    reader = Reader(ENGLISH, dict(SCREENS))
    around = Surroundings(SUMMARY, ONLINE, preview, dict(SCREENS))
    hints = hints_at(ENTRIES[cursor], page_hints(TABLES_PAGE, view, reader))
    drawing = LobbyDrawing(PageModel(view, cursor), look, reader, around)
    return drawing.frame(pad_hints(translate_hints(hints, look), look))


def preview() -> PreviewView:
    return PreviewView("K7QP", table_of(PLAYED["cartino 1974"].states(2)[30], None))


sizes = pytest.mark.parametrize(
    ("look", "first", "key"),
    [
        (Look(60, 20), 3_000, 200),
        (Look(80, 24), 4_000, 200),
        (Look(120, 40), WANTED_A_TABLE, WANTED_A_KEY),
        (Look(160, 50), WANTED_A_TABLE, WANTED_A_KEY),
    ],
    ids=["60x20", "80x24", "120x40", "160x50"],
)


@sizes
def test_the_first_picture(look: Look, first: int, key: int) -> None:
    assert Window(own=True).bytes_of(drawn(look, 2, preview())) <= first


@sizes
def test_the_cursor_without_the_preview(look: Look, first: int, key: int) -> None:
    """On a large terminal; on a smaller one, what stands below the list about the table costs as much again."""
    window, seen = Window(own=True), preview()
    window.bytes_of(drawn(look, 0, seen))
    sent = [window.bytes_of(drawn(look, at, seen)) for at in (1, 2, 3, 4, 5, 4, 3, 2, 1, 0)]
    assert 0 < min(sent) <= max(sent) <= key


@pytest.mark.parametrize("look", [Look(120, 40), Look(160, 50)], ids=["120x40", "160x50"])
def test_two_people_share_the_frame_under_the_cursor(look: Look) -> None:
    """Their rows are the same objects, so neither drawing nor comparing them costs anything."""
    seen = preview()
    one, other = drawn(look, 2, seen), drawn(look, 4, seen)
    assert sum(first is second for first, second in zip(one.rows, other.rows, strict=True)) >= look.height - 8


@pytest.mark.parametrize(
    ("look", "bare"), [(Look(80, 24), 0.4), (Look(120, 40), 0.4)], ids=["80x24", "120x40"]
)
def test_it_is_not_empty(look: Look, bare: float) -> None:
    assert bare_share(drawn(look, 2, preview())) <= bare
