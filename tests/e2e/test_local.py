"""The table without a server: in this terminal, against bots."""

import sys

import pytest

from tests.support.escapes import left_changed
from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import CARTINO
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("words", [(sys.executable, "-m", "cartino_tui"), (*CARTINO, "play")])
def test_a_table_comes_up_and_lets_go(terminals: Terminals, words: tuple[str, ...]) -> None:
    ann = terminals.open(*words, "--name", "ann")
    turn_comes_to([ann], ["ann"], -1)
    seen = SeenTable(ann)
    assert seen.is_whole(), ann.screen()
    assert [player.tag for player in seen.players()] == ["you", "bot"]
    ann.type(BURST)
    turn_comes_to([ann], ["ann"], seen.weight)
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}
    assert ann.faults == []
    assert b"Traceback" not in ann.raw


def test_plain_characters_for_plain_terminals(terminals: Terminals) -> None:
    ann = terminals.open(*CARTINO, "play", "--name", "ann", "--ascii", term="vt100")
    ann.sees("Your turn: pick a stone")
    assert ann.screen().isascii()
    assert "10S" in ann.screen()
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}
