"""What tables, the lobby and the waiting room cost on the wire, and how full they are.

Nothing here is measured by a clock: the same game gives the same bytes everywhere. A bound that breaks is a regression,
or a better picture that is worth its bytes: then say so in the commit that raises the bound.
"""

from collections.abc import Iterator
from statistics import mean
from typing import Final

import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_games.casino.story import is_fresh
from cartino_protocol.base import Seat
from cartino_protocol.views import Leader, OnlineView, PastGame, PreviewView, SummaryView, TopPlayers
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.pages.page import Reader
from cartino_tui.pages.tables import TABLES_PAGE, TablesView, hints_at, pad_hints
from cartino_tui.screens.lobby_drawing import LobbyDrawing, Surroundings
from cartino_tui.screens.page_drawing import PageModel, page_hints
from cartino_tui.screens.waiting_drawing import WaitingModel, waiting_drawing, waiting_hints
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.layout import translate_hints
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, SMALL, table_of, view_of
from tests.support.played import PLAYED
from tests.support.visit import line, toy_table
from tests.support.window import Window, bare_share, blank_share

WANTED_A_KEY = 150
WANTED_A_TABLE, WANTED_A_BROADCAST = 15_000, 1_000
"""The most bytes of the first table, and of a move that others see."""
TABLE_MOST: Final = {("caro strict", 160): 15_400, ("caro honour", 160): 15_500, ("casino", 160): 15_300}
"""Those of the games whose first table is larger: 160x50 has 195 places, or the largest cards."""

LOOKS: Final = {f"{look.width}x{look.height}": look for look in (Look(80, 24), Look(120, 40), Look(160, 50))}

sizes = pytest.mark.parametrize("size", ["80x24", pytest.param("120x40", marks=pytest.mark.soak), "160x50"])
games = pytest.mark.parametrize("name", PLAYED)


@games
@sizes
def test_the_first_table(name: str, size: str) -> None:
    found = list(PLAYED[name].first_tables(LOOKS[size]))
    assert len(found) > 10
    assert max(found) <= TABLE_MOST.get((name, LOOKS[size].width), WANTED_A_TABLE)


@games
@sizes
def test_a_cursor_key(name: str, size: str) -> None:
    found = list(PLAYED[name].cursor_keys(LOOKS[size]))
    assert len(found) > 50
    assert max(found) <= WANTED_A_KEY


@pytest.mark.parametrize("edition", ["1974", "1969"])
@sizes
def test_a_move_in_cartino(edition: str, size: str) -> None:
    found = [sent for _, _, sent in PLAYED[f"cartino {edition}"].broadcasts(LOOKS[size])]
    assert len(found) > 50
    assert mean(found) <= 560
    assert max(found) <= WANTED_A_BROADCAST


@games
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("size", ["120x40", "160x50"])
def test_a_large_terminal_is_used_in_the_middle_of_a_game(name: str, size: str, seats: int) -> None:
    """At most two fifths of its cells are blank, for players with something picked and for spectators."""
    game, look = PLAYED[name], LOOKS[size]
    states = game.states(seats)
    for state in states[8:-8:18]:
        you = game.rules.on_turn(state)[0]
        table, view = game.table_of(state, you), game.rules.view(state, you)
        picked = game.screen.key(table, view, game.screen.fresh(), game.picks[0], look).pointer
        for frame in (
            game.frame(state, you, look),
            game.frame(state, you, look, picked),
            game.frame(state, None, look),
        ):
            assert blank_share(frame) <= 0.4


@pytest.mark.parametrize("referee", ["strict", "honour"])
@sizes
def test_a_move_in_caro(referee: str, size: str) -> None:
    """A board that has to be moved, since pieces would lie out of sight, is drawn again."""
    game, look = PLAYED[f"caro {referee}"], LOOKS[size]
    found = {True: list[int](), False: list[int]()}
    for before, state, sent in game.broadcasts(look, 3):
        grids = [
            game.screen.scene(
                game.table_of(each, None), game.rules.view(each, None), game.screen.fresh(), look, game.around
            ).plan.grid
            for each in (before, state)
        ]
        found[grids[0] != grids[1]].append(sent)
    assert len(found[False]) > 25
    assert max(found[False]) <= WANTED_A_BROADCAST
    assert len(found[True]) <= 4


@sizes
def test_a_play_in_casino(size: str) -> None:
    """Large cards are many cells: from 120x40 on, what is asked of other games can't be kept by every play."""
    most, mean_most = {"80x24": (1_060, 650), "120x40": (1_600, 850), "160x50": (2_700, 1_300)}[size]
    found = {True: list[int](), False: list[int]()}
    for before, state, sent in PLAYED["casino"].broadcasts(LOOKS[size]):
        dealt = is_fresh(before.table) or state.table.hand_number != before.table.hand_number
        found[dealt or is_fresh(state.table)].append(sent)
    assert len(found[False]) > 100
    assert mean(found[False]) <= mean_most
    assert max(found[False]) <= most
    assert max(found[True]) <= {"80x24": 1_300, "120x40": 4_000, "160x50": 6_000}[size]


MOST_A_LAY = 2048
"""Bytes: promised of all pictures of a lay, with the one that stays."""
OUGHT_TO = 1800
"""None takes more as it is: 1,796 at most over these games, where hand and hints change with the turn."""


def lay_bytes(edition: Edition, you: Seat | None) -> Iterator[int]:
    """The bytes of every lay of a game of four, each picture sent."""
    window = Window(own=you is not None)
    states = PLAYED[f"cartino {edition}"].states(4)
    before = view_of(table_of(states[0], you))
    for state in states[:60]:
        table = table_of(state, you)
        view = view_of(table)
        moving = [
            window.bytes_of(CARTINO_SCREEN.draw_picture(table, view, NOWHERE, SMALL, AROUND, before, number))
            for number in range(CARTINO_SCREEN.pictures(before, view))
        ]
        still = window.bytes_of(CARTINO_SCREEN.draw(table, view, NOWHERE, SMALL, AROUND))
        if moving:
            yield sum(moving) + still
        before = view


@pytest.mark.parametrize("you", [None, 0])
@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_a_lay_is_shown_in_less_than_2_kb(edition: Edition, you: Seat | None) -> None:
    found = list(lay_bytes(edition, you))
    assert len(found) > 30
    assert max(found) <= OUGHT_TO < MOST_A_LAY
    assert mean(found) <= 850


PEOPLE = ("Ann", "Bo", "Chika", "Dunja", "Eve", "Fred", "Bartholomew_1234", "Hana", "Iris")


TABLES = {
    "H8RA": "Fred - -",
    "M5CD": "Gil -",
    "K7QP": "Ann bot:greedy",
    "B4ZT": "Chika Bo",
    "QQ2M": "Dunja bot:random",
    "W3XN": "Eve Hana Iris Bartholomew_1234",
}
ENTRIES = tuple(
    LobbyEntry(line(code, names, "open", turn=(), game="cartino"))
    if "-" in names
    else LobbyEntry(line(code, names, "playing", turn=(0,), game="cartino"))
    for code, names in TABLES.items()
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


ONLINE = OnlineView(PEOPLE)


def lobby_drawn(look: Look, cursor: int, preview: PreviewView | None) -> Frame:
    view = TablesView(ENTRIES, "Ann", len(PEOPLE), place=SUMMARY.place)
    games = {"cartino": CARTINO_SCREEN}
    reader = Reader(ENGLISH, dict(games))
    around = Surroundings(SUMMARY, ONLINE, preview, dict(games))
    hints = hints_at(ENTRIES[cursor], page_hints(TABLES_PAGE, view, reader))
    drawing = LobbyDrawing(PageModel(view, cursor), look, reader, around)
    return drawing.frame(pad_hints(translate_hints(hints, look), look))


def preview() -> PreviewView:
    return PreviewView("K7QP", table_of(PLAYED["cartino 1974"].states(2)[30], None))


lobby_sizes = pytest.mark.parametrize(
    ("look", "first", "key"),
    [
        (Look(60, 20), 3_000, 200),
        (Look(80, 24), 4_000, 200),
        (Look(120, 40), WANTED_A_TABLE, WANTED_A_KEY),
        (Look(160, 50), WANTED_A_TABLE, WANTED_A_KEY),
    ],
    ids=["60x20", "80x24", "120x40", "160x50"],
)


@lobby_sizes
def test_the_first_picture_of_the_lobby(look: Look, first: int, key: int) -> None:
    assert Window(own=True).bytes_of(lobby_drawn(look, 2, preview())) <= first


@lobby_sizes
def test_the_cursor_without_the_preview(look: Look, first: int, key: int) -> None:
    """On a large terminal; on a smaller one, what stands below the list about the table costs as much again."""
    window, seen = Window(own=True), preview()
    window.bytes_of(lobby_drawn(look, 0, seen))
    sent = [window.bytes_of(lobby_drawn(look, at, seen)) for at in (1, 2, 3, 4, 5, 4, 3, 2, 1, 0)]
    assert 0 < min(sent) <= max(sent) <= key


@pytest.mark.parametrize("look", [Look(120, 40), Look(160, 50)], ids=["120x40", "160x50"])
def test_two_people_share_the_frame_under_the_cursor(look: Look) -> None:
    """Their rows are the same objects, so neither drawing nor comparing them costs anything."""
    seen = preview()
    one, other = lobby_drawn(look, 2, seen), lobby_drawn(look, 4, seen)
    assert sum(first is second for first, second in zip(one.rows, other.rows, strict=True)) >= look.height - 8


@pytest.mark.parametrize(
    ("look", "bare"), [(Look(80, 24), 0.4), (Look(120, 40), 0.4)], ids=["80x24", "120x40"]
)
def test_the_lobby_is_not_empty(look: Look, bare: float) -> None:
    assert bare_share(lobby_drawn(look, 2, preview())) <= bare


def waiting_drawn(look: Look, cursor: int = 0) -> Frame:
    view = toy_table("Ann - - -", "open", code="MY7EHNWU")
    model = WaitingModel(
        view,
        "Cartino 1974: table MY7EHNWU",
        cursor,
        (("", "Ann takes a seat"), ("Bo", "may I join?"), ("Ann", "of course")),
        shell_commands=ShellCommands("ssh -t games.example.org"),
        hints=translate_hints(waiting_hints(view), look),
        rules=tuple(part.translate_section(ENGLISH) for part in CARTINO_SCREEN.rules_of({"edition": "1974"})),
        online=("Bo", "Chika", "Dunja", "Eve", "Fred"),
    )
    return waiting_drawing(model, look).frame()


@pytest.mark.parametrize(
    ("look", "first", "bare"),
    [(Look(80, 24), 3_600, 0.4), (Look(120, 40), 9_500, 0.4)],
    ids=["80x24", "120x40"],
)
def test_the_waiting_room_is_cheap_and_not_empty(look: Look, first: int, bare: float) -> None:
    window = Window(own=True)
    assert window.bytes_of(waiting_drawn(look)) <= first
    assert 0 < max(window.bytes_of(waiting_drawn(look, cursor)) for cursor in (1, 2, 3, 0)) <= WANTED_A_KEY
    assert bare_share(waiting_drawn(look)) <= bare


def test_a_large_waiting_room_has_the_game_and_who_to_invite() -> None:
    text = waiting_drawn(Look(120, 40)).text()
    assert "The highest total wins." in text
    assert "Bo · Chika · Dunja" in text
    assert "Press i to invite someone by name." in text
    assert "Recently online" not in waiting_drawn(Look(80, 24)).text()
