"""Who looks elsewhere is called, by what their terminal understands, and only then."""

import pytest

from tests.support.ssh_world import SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

ELSEWHERE, HERE = "\x1b[O", "\x1b[I"
"""What a terminal says when its person looks there, and back."""
TURN = "Your turn: pick a stone"


def two_at_a_table(ssh_server: SshServer, term: str) -> tuple[Terminal, Terminal]:
    """Who is on turn, and who is not."""
    ann = ssh_server.visit("ann", "new", "--seats", "2", term=term)
    code = ann.sees(r": table ([A-Z0-9]{4})")[1]
    bob = ssh_server.visit("bob", "join", code, term=term)
    bob.until(lambda: TURN in ann.screen() or TURN in bob.screen(), "somebody's turn")
    return (ann, bob) if TURN in ann.screen() else (bob, ann)


def ends_turn(one: Terminal, other: Terminal) -> None:
    one.press("1", "enter", "e")
    other.until(lambda: TURN in other.screen(), "the turn of the other")


@pytest.mark.parametrize("term", ["xterm-256color", "xterm-kitty"])
def test_the_title_tells_whose_turn_it_is_and_bell_and_desktop_call_who_is_away(
    ssh_server: SshServer, term: str
) -> None:
    playing, waiting = two_at_a_table(ssh_server, term)
    playing.writes("\x1b]2;● your turn – Cartino")
    assert "your turn –".encode() not in waiting.raw
    waiting.type(ELSEWHERE)
    ends_turn(playing, waiting)
    notes = ["\x1b]777;notify;"] if term == "xterm-256color" else []
    for call in ("\x1b]9;It's your turn at table", "\x07", "\x1b]2;● your turn – Cartino", *notes):
        waiting.writes(call)
    waiting.type(HERE)
    playing.type(HERE)
    ends_turn(waiting, playing)
    for each in (playing, waiting):
        assert each.quit() == 0
        assert each.raw.count(b"\x07") == (each is waiting)
        assert (b"\x1b]777;" in each.raw) == (each is waiting and notes != [])
        # Given back before the screen is.
        assert each.raw.rindex(b"\x1b[23;0t") < each.raw.rindex(b"\x1b[?1049l")
        assert each.raw.count(b"\x1b[22;0t") == each.raw.count(b"\x1b[23;0t")
        assert each.faults == []


@pytest.mark.parametrize("term", ["vt220", "linux"])
def test_an_old_terminal_hears_the_bell_alone(ssh_server: SshServer, term: str) -> None:
    playing, waiting = two_at_a_table(ssh_server, term)
    waiting.type(ELSEWHERE)
    ends_turn(playing, waiting)
    waiting.writes("\x07")
    for each in (playing, waiting):
        assert each.quit() == 0
        assert not any(sent in each.raw for sent in (b"\x1b]2;", b"\x1b]9;", b"\x1b]777;", b"\x1b[22;0t"))


def test_all_that_can_be_done_is_found_by_typing_and_chosen_keys_hold(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann")
    ann.sees("Game server")
    ann.type(":")
    ann.sees("type what you want to do")
    ann.type("settings")
    ann.press("enter")
    ann.sees("Card letters")
    for _ in range(6):
        ann.press("down")
    ann.press("right", "right")
    ann.sees("W A S D")
    ann.type("w")
    ann.until(lambda: "► Animations" in ann.screen(), "w moves up")
    ann.press("escape")
    ann.sees("Game server")
    assert ann.quit() == 0
    again = ssh_server.visit("ann")
    again.sees("Game server")
    again.type("o")
    again.sees("W A S D")
    again.press("ctrl+c")
    assert again.exit_status() == 0
