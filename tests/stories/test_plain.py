"""Plain mode through OpenSSH: a whole game of somebody with lines against somebody with a screen."""

import json
import os
import re
import subprocess

import pytest

from tests.support.seen_table import BURST, SeenTable
from tests.support.ssh_world import CARTINO, SshServer
from tests.support.terminals import TIME_LIMIT, Terminal

pytestmark = pytest.mark.e2e


class Lines:
    """A window with lines of text, each of which is read once."""

    def __init__(self, window: Terminal) -> None:
        self.window = window
        self._heard = 0

    @property
    def all(self) -> str:
        """Everything that was written, as text."""
        return self.window.raw.decode()

    def hears(self, pattern: str) -> str:
        """Wait for a line with `pattern` behind those that were read; return it."""
        line = re.compile(f"[^\n]*(?:{pattern})[^\n]*\n")
        self.window.until(lambda: line.search(self.all, self._heard), f"hears {pattern!r}")
        found = line.search(self.all, self._heard)
        assert found is not None
        self._heard = found.end()
        return found[0]

    def would_hear(self, pattern: str) -> bool:
        """Return whether there is such a line behind those that were read."""
        return re.search(f"(?:{pattern})[^\n]*\n", self.all[self._heard :]) is not None

    def types(self, text: str) -> None:
        """Type a line."""
        self.window.type(f"{text}\r")

    def plays(self) -> bool:
        """Play a turn with the first stone that can be laid; return False if that ends the game."""
        for number in range(1, 6):
            said = self.says(f"{number} 1", "You laid|You replaced|taken|a later one|no free spot")
            if re.search("You laid|You replaced", said):
                break
        return "is over" not in self.says("end", "You ended|It's |Lay at least|The game is over; no more")

    def says(self, text: str, answer: str) -> str:
        """Type a line, again as long as the server asks to be slower; return the answer."""
        while True:
            self.types(text)
            said = self.hears(f"{answer}|Too many commands")
            if "Too many commands" not in said:
                return said


def plays_in_one_go(bob: Terminal, ann: Lines) -> None:
    """Type a turn as a BURST, and again from where the server asks to be slower."""
    ended, too_fast = "bob ended the turn|bob is out of stones|The game is over", "Too many commands"
    bob.type(BURST)
    while True:
        bob.until(
            lambda: ann.would_hear(ended) or too_fast in bob.screen(), "the end of the turn, or why not"
        )
        if ann.would_hear(ended):
            ann.hears(ended)
            return
        bob.press("v")  # says something else there
        bob.until(lambda: too_fast not in bob.screen() and SeenTable(bob).is_whole(), "something else")
        bob.type("\re" if SeenTable(bob).picked else "e")


def is_to_play(seen: SeenTable) -> bool:
    return seen.is_whole() and seen.on_turn() == "bob" and seen.status.startswith("Your turn: ")


@pytest.mark.timeout(120)
def test_a_listener_plays_a_whole_game_against_a_screen(ssh_server: SshServer) -> None:
    ann = Lines(ssh_server.visit("ann", "plain", "new"))
    code = ann.hears(r"Table [A-Z0-9]{4}, Cartino 1974").split()[1].strip(",")
    eve = Lines(ssh_server.visit("eve", "watch", code, term="dumb"))
    eve.hears("hasn't started")
    bob = ssh_server.visit("bob", "join", code)
    ann.hears("bob takes a seat|You hold")
    bob.sees("hand|Your turn|Waiting")
    bob.press("t")
    bob.sees("To the table")
    bob.type("hello ann\r")
    ann.hears("bob: hello ann")
    ann.types("say hello bob")
    bob.sees("hello bob")

    turns = 0
    while "The game is over. " not in ann.all:
        ann.types("turn")
        if re.search("Your turn", ann.hears("Your turn|It's bob's turn|The game is over")):
            if not ann.plays():
                break
            turns += 1
        elif "The game is over. " not in ann.all:
            bob.until(lambda: is_to_play(SeenTable(bob)), "that it is bob's turn")
            plays_in_one_go(bob, ann)
    assert turns > 10

    exported = ssh_server.run("fay", f"export {code}")
    done = subprocess.run(
        [*CARTINO, "verify", "-"], input=exported.out, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    end = json.loads(exported.out.splitlines()[-1])
    told = ann.all[ann.all.index("The game is over. ") :]
    for name, total in zip(("ann", "bob"), end["totals"], strict=True):
        assert re.search(rf"{name}: {total} points? in total", told), told
    eve.hears(rf"ann: {end['totals'][0]} points? in total")
    assert "You hold" not in eve.all
    for listener in (ann, eve):
        assert b"\x1b" not in listener.window.raw
        assert re.search(rb"[^\r]\n", listener.window.raw) is None
        listener.types("leave")
        listener.hears("0: quit")
        listener.types("leave")
        assert listener.window.exit_status() == 0
    assert bob.quit() == 0


def test_lines_that_are_piped_in_are_a_visit_until_their_end(ssh_server: SshServer) -> None:
    asked = "new\n1\nleave\nhelp"
    command = [*ssh_server.ssh("ann", "-T"), "plain"]
    done = subprocess.run(command, input=asked.encode(), capture_output=True, check=False, timeout=TIME_LIMIT)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"New table." in done.stdout
    assert b"Type the number or the word of a choice" in done.stdout
    assert b"\r" not in done.stdout
    assert b"\x1b" not in done.stdout
    assert b"new\n" not in done.stdout, "without a terminal there is no echo"

    # In a locale without UTF-8 there are ASCII letters alone.
    command = [*ssh_server.ssh("ann", "-T", "-o", "SendEnv=LC_ALL"), "plain"]
    env = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command, input=b"settings", env=env, capture_output=True, check=False, timeout=TIME_LIMIT
    )
    assert b"Francais" in done.stdout
    assert done.stdout.isascii()
