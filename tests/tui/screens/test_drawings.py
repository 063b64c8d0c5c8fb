"""What the frame's own screens look like, as text. Each picture says in its test's sentence what it proves."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.screens.waiting_drawing import WaitingModel, draw_waiting, waiting_hints
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.help import HelpPart, draw_help, lobby_help, table_help
from cartino_tui.widgets.layout import draw_too_small
from cartino_tui.widgets.table_form import FormDrawing, TableForm, new_form
from tests.support.pages import page_at
from tests.support.past import whole
from tests.support.visit import TOYS, line, toy_table, welcome

SMALL, LARGE, PLAIN = Look(80, 24), Look(120, 40), Look(80, 24, ascii=True)
LOOKS = pytest.mark.parametrize("look", [SMALL, LARGE, PLAIN], ids=["80x24", "120x40", "ascii"])
LONGEST = "Bartholomew_1234"

SERVER = (
    LobbyEntry(line("K7QP", "Ann bot:greedy", "playing", 3, (0,)), mine=True),
    LobbyEntry(line("B4ZT", f"{LONGEST} Chika - -")),
    LobbyEntry(line("QQ2M", "Eve -")),
    LobbyEntry(line("M8RW", f"{LONGEST} {LONGEST} {LONGEST} {LONGEST}", "playing", 12, (2,))),
    LobbyEntry(line("Z9YX", "Bo bot:greedy", "finished")),
    LobbyEntry(line("C5DD", "Bo Léa", "playing", game="unknown-game")),
)
SAID = (("", "Ann takes a seat"), ("Ann", "hello there"), ("eve", "hi! <b>[red]x[/]"))


NOW = HelpPart("Available now", (("1-5", "pick a stone"),))
DOOR = ShellCommands("ssh -t games.example.org")


def waiting(view: object, look: Look, shell_commands: ShellCommands = DOOR, **more: object) -> str:
    model = WaitingModel(
        view,  # type: ignore[arg-type]
        "Toy small: table K7QP",
        shell_commands=shell_commands,
        hints=waiting_hints(view),  # type: ignore[arg-type]
        **more,  # type: ignore[arg-type]
    )
    return whole(draw_waiting(model, look), look)


@LOOKS
def test_a_lobby_with_every_kind_of_table(snapshot: SnapshotAssertion, look: Look) -> None:
    """Own table first and marked; bots, free seats, whose turn; four of the longest names; an unknown game."""
    draw = page_at(
        TABLES_PAGE, TablesView(SERVER, "Ann", 14), cursor=1, status="A sentence about what happened."
    )
    assert whole(draw(look), look) == snapshot


@LOOKS
def test_clocks_and_pauses_in_the_list(snapshot: SnapshotAssertion, look: Look) -> None:
    """A clock beside names of any length; a pause at one's own table and at another's, said in a word."""
    tables = (
        LobbyEntry(line("K7QP", "Ann Bo", "playing", clock="day", paused=True), mine=True),
        LobbyEntry(line("B4ZT", "Eve -", clock="120s")),
        LobbyEntry(
            line("M8RW", f"{LONGEST} {LONGEST} {LONGEST} {LONGEST}", "playing", 12, (2,), clock="30s")
        ),
        LobbyEntry(line("Z9YX", "Bo bot:greedy", "playing", paused=True)),
    )
    assert whole(page_at(TABLES_PAGE, TablesView(tables, "Ann", 4))(look), look) == snapshot


@LOOKS
def test_a_guest_with_a_word_at_a_table_with_a_clock(snapshot: SnapshotAssertion, look: Look) -> None:
    """The word with the words that use it, and both terms of the table in a phrase."""
    view = toy_table("Ann Bo -", "open", clock="day", absence="10m")
    assert waiting(view, look, said=SAID, word="amber-otter-seven") == snapshot


@pytest.mark.parametrize("host", ["h.example", "a-house-with-quite-a-long-name.games.example.org", "h" * 120])
def test_no_command_is_cut_however_long_the_name_of_the_server_is(host: str) -> None:
    view = toy_table("Ann Bo Chika -", "open")
    for look in (SMALL, LARGE, PLAIN):
        seen = waiting(
            view, look, shell_commands=ShellCommands(f"ssh -t -p 2222 {host}"), word="batiko-nuvaro-zeline"
        )
        flat = "".join(
            row.removeprefix("     FRIENDS").removeprefix("     RETURN").strip() for row in seen.splitlines()
        )
        assert f"{host}joinK7QP" in flat.replace(" ", "")
        assert f"{host}backbatiko-nuvaro-zeline" in flat.replace(" ", "")
        assert "batiko-nuvaro-zeline\n" in seen, "the word is whole and nothing stands behind it"
        if look is not LARGE:
            assert view.commitment not in seen
            continue
        assert view.commitment not in seen
        assert view.commitment[:8] in seen
        if len(host) > 40:  # else there are two columns of panels
            rows = seen.splitlines()
            above = next(at for at, row in enumerate(rows) if "THE SHUFFLE" in row) - 1
            assert rows[above] == "", "the parts stand apart"


@LOOKS
def test_an_empty_lobby_says_what_to_do(snapshot: SnapshotAssertion, look: Look) -> None:
    draw = page_at(TABLES_PAGE, TablesView(name="Ann", people=1), guest=True)
    assert whole(draw(look), look) == snapshot


def test_a_lobby_before_the_server_has_said_anything(snapshot: SnapshotAssertion) -> None:
    assert whole(page_at(TABLES_PAGE, TablesView(arrived=False))(SMALL), SMALL) == snapshot


def test_a_long_lobby_shows_that_there_is_more_both_ways(snapshot: SnapshotAssertion) -> None:
    tables = tuple(LobbyEntry(line(f"A{a}{b}Z")) for a in "BCDEF" for b in "GHJKLM")
    draw = page_at(TABLES_PAGE, TablesView(tables, "Ann"), cursor=10, top=6)
    assert whole(draw(SMALL), SMALL) == snapshot


@LOOKS
def test_the_owner_of_a_private_table_of_four(snapshot: SnapshotAssertion, look: Look) -> None:
    """Seats with a bot and two free, the cut that was made, two watchers, talk with markup shown as it is."""
    view = toy_table("Ann bot:greedy - -", "open", cut=(0,), watchers=("eve", "Finn"), open=False)
    assert waiting(view, look, said=SAID) == snapshot


@LOOKS
def test_a_guest_at_a_table_of_three(snapshot: SnapshotAssertion, look: Look) -> None:
    """No start for who is not the owner; the longest names; a player who is away; an uncut bag explained."""
    view = toy_table(f"{LONGEST} {LONGEST} -", "open", you=1, away=(0,))
    assert waiting(view, look, cursor=1) == snapshot


@LOOKS
def test_a_spectator_of_a_table_of_two(snapshot: SnapshotAssertion, look: Look) -> None:
    """One may sit down but neither start nor cut."""
    assert (
        waiting(toy_table("Bo -", "open", you=None), look, cursor=1, status="A refusal stands here.")
        == snapshot
    )


def form() -> TableForm:
    begun = new_form(welcome(odd=True))
    assert begun is not None
    return begun


@LOOKS
def test_the_form_for_a_new_table(snapshot: SnapshotAssertion, look: Look) -> None:
    """Several games, so there is a line for them; the choice taken stands in brackets, not in colour alone."""
    assert whole(FormDrawing(form().step(1), look).frame(), look) == snapshot


@LOOKS
def test_the_help_of_the_lobby(snapshot: SnapshotAssertion, look: Look) -> None:
    assert whole(draw_help(lobby_help(ENGLISH), look), look) == snapshot


def test_the_help_of_a_table_has_the_plugs_keys_and_rules(snapshot: SnapshotAssertion) -> None:
    assert whole(draw_help(table_help(TOYS["toy"], toy_table(), ENGLISH, NOW), SMALL), SMALL) == snapshot


def test_the_help_of_the_lobby_has_the_promise_for_ones_next_table() -> None:
    told = msgspec.structs.replace(welcome(), promise="7" * 64)
    assert "7" * 64 in draw_help(lobby_help(ENGLISH, told), Look(80, 120)).text()


def test_the_help_of_the_lobby_has_the_rules_of_the_server_s_games() -> None:
    shown = draw_help(lobby_help(ENGLISH, game_screens=TOYS.values()), Look(80, 1000)).text()
    assert "Toy: Your turn" in shown


def test_the_help_of_a_table_has_hashes_and_seed_in_full() -> None:
    over = msgspec.structs.replace(toy_table(state="finished"), seed="5" * 64, next_commitment="9" * 64)
    lines = [
        line.strip()
        for line in draw_help(table_help(TOYS["toy"], over, ENGLISH, NOW), Look(80, 60)).text().splitlines()
    ]
    assert [line for line in lines[:-1] if len(line) == 64] == [over.commitment, "5" * 64, "9" * 64]


def test_the_card_for_a_terminal_that_is_too_small(snapshot: SnapshotAssertion) -> None:
    look = Look(60, 12)
    assert whole(draw_too_small(look), look) == snapshot


@given(width=st.integers(80, 200), height=st.integers(24, 60), ascii=st.booleans())
def test_in_every_size_nothing_that_matters_is_cut(width: int, height: int, ascii: bool) -> None:
    look = Look(width, height, ascii)
    listed = whole(page_at(TABLES_PAGE, TablesView(SERVER, LONGEST, 99), guest=True)(look), look)
    for words in (*(entry.line.code for entry in SERVER), LONGEST, "99 people", "your table", "q quit"):
        assert words in listed
    view = toy_table(f"{LONGEST} {LONGEST} {LONGEST} -", "open", cut=(0, 1), away=(1,), watchers=("a", "b"))
    seen = waiting(view, look, said=SAID)
    for words in (
        "join K7QP",
        "watch K7QP",
        view.commitment[:8],
        "you, owner",
        "away",
        "2 watching",
        "s start",
        "press ? for all of it.",
    ):
        assert words in seen
    for words in (LONGEST, *(text for _, text in SAID)):
        assert words in seen
