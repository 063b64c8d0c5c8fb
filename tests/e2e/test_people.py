"""Between games, through OpenSSH: a game that ends is in profiles and ratings, and friends are asked to the next."""

import json
import time
from typing import Any

import pytest

from tests.support.seen_table import play_to_the_end, turn_comes_to
from tests.support.ssh_world import SshServer
from tests.support.terminals import PATIENCE

pytestmark = pytest.mark.e2e


def summed_up(ssh_server: SshServer, user: str) -> dict[str, Any]:
    """The ratings, once they tell of `user`."""
    deadline = time.monotonic() + PATIENCE
    while True:
        told: dict[str, Any] = json.loads(ssh_server.run(user, "top --json").out)
        if told["you"] is not None:
            return told
        assert time.monotonic() < deadline, told


@pytest.mark.timeout(120)
def test_a_game_is_in_the_ratings_and_a_friend_is_asked_to_the_next(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("zoe", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    bob = ssh_server.visit("yan", "join", code)
    turn_comes_to([ann, bob], ["zoe", "yan"], -1)
    play_to_the_end({"zoe": ann, "yan": bob})

    told = summed_up(ssh_server, "zoe")
    assert {line["name"] for line in told["people"]} >= {"zoe", "yan"}
    met = json.loads(ssh_server.run("zoe", "profile yan --json").out)
    assert (met["name"], met["against"], met["meetings"][0]["games"]) == ("yan", "zoe", 1)
    assert ssh_server.run("zoe", "profile").out.splitlines()[0] == "zoe"
    stranger = ssh_server.run("eve", "profile nobody")
    assert (stranger.out, stranger.status) == ("", 4)
    assert stranger.err == "nobody hasn't finished a game that you can see.\n"

    for window in (ann, bob):
        window.press("q")
        window.sees("Game server")
    ann.press("l")
    ann.sees(r"Leaderboard: Cartino")
    ann.sees(r"\d+ +zoe +\d+\? +\d+–\d+ +1")
    ann.press("m")
    ann.sees("your own games")
    ann.press("enter")
    ann.sees(r"\[mine\]")
    ann.press("enter")
    ann.sees("The deal")
    ann.press("c")
    ann.sees(r"turn 1 of \d+")
    ann.press("right", "enter")
    ann.sees(r"turn 2 ·")

    ann.press("q", "q", "q", "q")
    ann.sees("Game server")
    ann.press("n", "enter")
    new = ann.sees(r"table ([A-Z0-9]{4})")[1]
    ann.type("iyan\r")
    ann.sees("Invitation sent to yan.")
    bob.sees(f"zoe invites you to {new}. Press i to answer.")
    bob.press("i")
    bob.sees(f"zoe invites you to {new}: Cartino")
    bob.press("enter")
    turn_comes_to([ann, bob], ["zoe", "yan"], -1)
    for window in (ann, bob):
        assert window.faults == []


def test_the_way_to_a_table_goes_into_the_clipboard(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new")
    ann.sees("FRIENDS")
    ann.press("y")
    ann.sees("Copied, if your terminal allows it")
    ann.writes("\x1b]52;c;")
    old = ssh_server.visit("bob", "new", term="vt220")
    old.sees("FRIENDS")
    old.press("y")
    old.sees("Copy it by hand")
    assert b"\x1b]52" not in old.raw
