"""Without a server: tables against bots, replays and lessons in this terminal."""

import signal
from pathlib import Path

import msgspec
import pytest

from cartino_protocol.records import GameLine, NoteLine, write_lines
from tests.support.cartino import random_record
from tests.support.escapes import left_changed
from tests.support.languages_seen import leave_in, sees_letters_of
from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import CARTINO, new_home, play_at_home
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))


def test_a_table_is_played_stopped_and_given_back_while_errors_go_to_a_file(
    terminals: Terminals, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    ann = play_at_home(terminals, program=("sh", "-c", f'exec "$@" 2> {log}', "sh", *CARTINO, "play"))
    turn_comes_to([ann], ["ann"], -1)
    seen = SeenTable(ann)
    assert seen.is_whole(), ann.screen()
    assert [player.tag for player in seen.players()] == ["you", "bot"]
    ann.type(BURST)
    turn_comes_to([ann], ["ann"], seen.weight)
    for by_key in (True, False):
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
        ann.writes_after(before, "Cartino")
        ann.writes_after(before, "leave")
        ann.writes_after(before, "\x1b[22;0t\x1b]2;● your turn")
        ann.press("backspace")
        ann.sees("Your turn: pick a stone")
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}
    assert ann.faults == []
    assert log.read_text() == ""


def test_a_table_in_the_language_of_this_machine(terminals: Terminals) -> None:
    ann = play_at_home(terminals, env={"LANG": "de_AT.UTF-8"})
    sees_letters_of("de", ann)
    leave_in("de", ann)


def test_tables_and_replays_have_plain_characters_for_plain_terminals(terminals: Terminals) -> None:
    ann = play_at_home(terminals, "--ascii", term="vt100")
    replay = terminals.open(*CARTINO, "replay", RECORD, term="vt100")
    dumb = terminals.open(*CARTINO, "replay", RECORD, term="dumb")
    ann.sees("Your turn: pick a stone")
    ann.sees("10S")
    assert ann.screen().isascii()
    assert ann.quit() == 0
    replay.sees("q quit")
    assert replay.screen().isascii()
    replay.press("right", "q")
    assert replay.exit_status() == 0
    assert left_changed(ann.raw) == left_changed(replay.raw) == {}
    assert dumb.exit_status() == 2
    assert dumb.raw == b"This terminal can't show a table. If it can move its cursor, set TERM=vt100.\r\n"


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


def test_lessons_and_lines_need_no_server(terminals: Terminals) -> None:
    ann = terminals.open(*CARTINO, "play", "--learn", "--name", "ann", env=new_home())
    plain = terminals.open(*CARTINO, "play", "--plain", "--name", "ann", term="dumb", env=new_home())
    ann.sees("Lesson 1 of 10")
    ann.press("q")
    ann.press("y")
    ann.sees("you are ann")
    ann.press("q")
    assert ann.exit_status() == 0
    plain.sees("You hold ")
    plain.type("leave\r")
    plain.sees("0: quit")
    plain.press("ctrl+c")
    plain.exit_status()
    assert b"\x1b" not in plain.raw
