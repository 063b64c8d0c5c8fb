"""The last sentence of a visit says how to come back, and to what, to whom it is true for."""

import msgspec
import pytest

from cartino_protocol.base import TableStatus
from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.views import Bye, Mine
from cartino_tui.visit.farewell import Farewell, connection_lost, player_left, server_farewell, wrap_farewell
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from tests.support.visit import line, toy_table, welcome

DOOR = ShellCommands("ssh -t games.example.org")
SEATED = ClientState(welcome=welcome(), table=toy_table())
AFAR = ClientState(welcome=welcome(), mine=Mine((line("K7QP", "Ann Bo", "playing"),)))
WATCHING = ClientState(welcome=welcome(), table=toy_table(you=None))
GUEST = ClientState(welcome=welcome(guest=True), table=toy_table())
WORD = ClientState(welcome=welcome(guest=True, word="amber-otter"), table=toy_table())
KEPT = "Your seat is kept: connect again the same way."
BY_WORD = "Your seat is kept. To come back:\nssh -t games.example.org back amber-otter"


def read(farewell: Farewell) -> tuple[str, int]:
    return str(farewell.sentence), farewell.code


told = pytest.mark.parametrize(
    ("known", "way"),
    [
        (SEATED, KEPT),
        (AFAR, KEPT),
        (WORD, BY_WORD),
        (WATCHING, "Connect again the same way."),
        (GUEST, "Connect again the same way."),
        (ClientState(), "Connect again the same way."),
    ],
)


@told
def test_a_restart_and_a_line_that_breaks_say_how_to_come_back(known: ClientState, way: str) -> None:
    assert read(server_farewell(Bye("shutdown"), known, DOOR)) == (
        f"The server will be back in a moment. {way}",
        BROKEN_OFF,
    )
    assert read(connection_lost(known, DOOR)) == (f"Connection lost. {way}", BROKEN_OFF)


@pytest.mark.parametrize(
    "known", [WATCHING, ClientState(), ClientState(welcome=welcome(), table=toy_table(state="finished"))]
)
def test_who_leaves_nothing_behind_hears_nothing(known: ClientState) -> None:
    assert player_left(known, DOOR) == Farewell()


def test_who_leaves_a_running_game_hears_that_the_seat_is_kept() -> None:
    assert read(player_left(SEATED, DOOR)) == ("Your seat is kept: connect again the same way.", 0)
    assert player_left(AFAR, DOOR).sentence == player_left(SEATED, DOOR).sentence
    assert str(player_left(WORD, DOOR).sentence) == BY_WORD


def test_a_server_that_ends_with_the_visit_promises_nothing() -> None:
    assert player_left(SEATED, ShellCommands()) == Farewell()


@pytest.mark.parametrize(("state", "kept"), [("open", True), ("playing", True), ("finished", False)])
def test_a_seat_is_kept_as_long_as_its_game_is_not_over(state: TableStatus, kept: bool) -> None:
    known = msgspec.structs.replace(SEATED, table=toy_table(state=state))
    assert ("seat is kept" in str(connection_lost(known, DOOR).sentence)) is kept


def test_who_has_added_a_key_comes_again_as_whom_it_is() -> None:
    said, code = read(server_farewell(Bye("key-added"), SEATED, DOOR))
    assert said.startswith("This key will belong to your account the next time you connect.")
    assert code == 0


def test_the_last_word_is_broken_between_words_and_a_command_below_it_not_at_all() -> None:
    command = f"ssh -t games.example back {'w' * 40}"
    broken = wrap_farewell(f"Your seat is kept. To come back:\n{command}", 30)
    assert broken == f"Your seat is kept. To come\nback:\n{command}"
    assert wrap_farewell("", 80) == ""
