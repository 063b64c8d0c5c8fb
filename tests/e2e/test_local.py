"""The table without a server: in this terminal, against bots."""

import signal
import sys
from pathlib import Path

import msgspec
import pytest

from cartino_protocol.records import GameLine, NoteLine, write_lines
from tests.support.cartino import random_record
from tests.support.escapes import left_changed
from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import CARTINO, play_at_home
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))


@pytest.mark.parametrize("program", [(sys.executable, "-m", "cartino_tui"), (*CARTINO, "play")])
def test_a_table_comes_up_and_lets_go(terminals: Terminals, program: tuple[str, ...]) -> None:
    ann = play_at_home(terminals, program=program)
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
    ann = play_at_home(terminals, "--ascii", term="vt100")
    ann.sees("Your turn: pick a stone")
    ann.sees("10S")
    assert ann.screen().isascii()
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}


def test_what_can_move_no_cursor_gets_a_sentence(terminals: Terminals) -> None:
    ann = terminals.open(*CARTINO, "replay", RECORD, term="dumb")
    assert ann.exit_status() == 2
    assert ann.raw == b"This terminal can't show a table. If it can move its cursor, set TERM=vt100.\r\n"


def test_a_replay_has_plain_characters_for_plain_terminals(terminals: Terminals) -> None:
    ann = terminals.open(*CARTINO, "replay", RECORD, term="vt100")
    ann.sees("q quit")
    assert ann.screen().isascii()
    ann.press("right")
    ann.press("q")
    assert ann.exit_status() == 0
    assert left_changed(ann.raw) == {}


@pytest.mark.parametrize("by_key", [True, False], ids=["Ctrl-Z", "a signal"])
def test_a_table_that_is_stopped_gives_the_terminal_back_and_is_painted_again(
    terminals: Terminals, by_key: bool
) -> None:
    ann = play_at_home(terminals)
    turn_comes_to([ann], ["ann"], -1)
    ann.press("1")
    ann.sees("Enter to lay")
    if by_key:
        ann.type("\x1a")
    else:
        ann.tell(signal.SIGTSTP)
    ann.stops()
    assert left_changed(ann.raw) == {}
    before = len(ann.raw)
    ann.tell(signal.SIGCONT)
    ann.until(
        lambda: b"Cartino" in ann.raw[before:] and b"leave" in ann.raw[before:], "the whole table again"
    )
    ann.until(lambda: "\x1b[22;0t\x1b]2;● your turn".encode() in ann.raw[before:], "the title again")
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}


def test_a_strangers_record_draws_a_table_and_nothing_else(terminals: Terminals, tmp_path: Path) -> None:
    evil = "x\x1b]52;c;ZXZpbA==\x07\x9b2J\u202e\u2066\u200b\u2028\x0ey"
    lines = random_record(1)
    head = lines[0]
    assert isinstance(head, GameLine)
    seats = (evil, *head.seats[1:])
    lines[0] = msgspec.structs.replace(head, seats=seats, cuts=(evil, *head.cuts[1:]), commitment=evil)
    path = tmp_path / "evil.jsonl"
    path.write_bytes(write_lines([lines[0], NoteLine(evil, 0), *lines[1:]]))
    ann = terminals.open(*CARTINO, "replay", str(path))
    ann.sees("step back")
    ann.press("right")
    ann.type("c")
    ann.sees("Enter")
    ann.type("q")
    ann.sees("step back")
    ann.type("G")
    ann.sees("The seed doesn't match")
    ann.press("\t")
    ann.sees("hash")
    ann.sees("ZXZpbA")
    assert ann.quit() == 0
    assert b"\x1b]52" not in ann.raw
    shown = ann.raw.decode()
    assert not set(shown) & set("\x07\x0e\x9b\u202e\u2066\u200b\u2028")


def test_errors_may_go_to_a_file(terminals: Terminals, tmp_path: Path) -> None:
    log = tmp_path / "log"
    ann = play_at_home(terminals, program=("sh", "-c", f'"$@" 2> {log}', "sh", *CARTINO, "play"))
    turn_comes_to([ann], ["ann"], -1)
    assert SeenTable(ann).is_whole(), ann.screen()
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}
    assert log.read_text() == ""
