"""`cartino simulate`: the same seed gives the same records, and every record verifies."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cartino_engine.replay import read_record, verify
from cartino_protocol.records import write_lines
from cartino_server.bots import program as program_bots
from cartino_server.cli.main import main
from tests.oracle.check_cartino import check
from tests.support.games import GAMES
from tests.support.ssh_world import CARTINO


def simulate(*words: str) -> int:
    return main(["simulate", *words])


def records(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_the_same_seed_gives_the_same_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edition: str
) -> None:
    words = ["--edition", edition, "--seats", "bot:random,bot:greedy,bot:random", "--seed", "7"]
    assert simulate(*words, "--games", "3", "--records", str(tmp_path / "one")) == 0
    assert simulate(*words, "--games", "2", "--records", str(tmp_path / "two")) == 0
    assert simulate(*words[:-1], "8", "--games", "2", "--records", str(tmp_path / "three")) == 0
    capsys.readouterr()
    one, two = records(tmp_path / "one"), records(tmp_path / "two")
    assert len(one) == 3
    assert {name: one[name] for name in two} == two, "a game does not depend on how many are played"
    assert not set(one.values()) & set(records(tmp_path / "three").values())
    for data in one.values():
        verify(read_record(data, GAMES))
        assert check(data.decode().splitlines()) is None
        assert write_lines(read_record(data, GAMES).lines) == data


def test_json_counts_wins_and_means(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seats", "bot:random,bot:random", "--games", "4", "--json", "--records", str(tmp_path)]
    assert simulate(*words) == 0
    told = json.loads(capsys.readouterr().out)
    ends = [read_record(data, GAMES).end() for data in records(tmp_path).values()]
    assert told["games"] == 4
    assert [seat["name"] for seat in told["seats"]] == ["bot:random", "bot:random"]
    for number, seat in enumerate(told["seats"]):
        assert seat["wins"] == sum(end is not None and number in end.winners for end in ends)
        assert seat["mean_total"] == sum(end.totals[number] for end in ends if end) / 4


def test_text_is_a_small_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate("--seats", "bot:random,bot:random", "--games", "2") == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("Cartino (edition 1974, joker_swap later, bag one), 2 games, ")
    assert [line.split("  ")[1].strip() for line in shown.out.splitlines()[2:]] == [
        "bot:random",
        "bot:random 2",
    ]
    assert shown.err == "", "no bar where stderr is no terminal"


def test_records_that_are_there_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "cartino-7-00001.jsonl"
    there.write_text("mine")
    assert simulate("--seed", "7", "--games", "2", "--records", str(tmp_path)) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"--records: {there} already exists and isn't overwritten; ")
    assert shown.err.count("\n") == 1
    assert records(tmp_path) == {there.name: b"mine"}, "and nothing was played"


MYBOT = """
import json, sys
print('{"type":"play","game":"cartino"}', flush=True)
for line in sys.stdin:
    event = json.loads(line)
    print(line, end="", file=sys.stderr)
    if event["type"] == "state":
        move = {"table": event["table"], "number": event["number"], "move": event["legal"][-1]["move"]}
        print(json.dumps({"type": "move", **move}), flush=True)
"""


WRONG_NUMBER = '{"type":"move","table":"HOME","number":9,"move":"end"}'


def program(folder: Path, text: str) -> str:
    path = folder / "mybot.py"
    path.write_text(text)
    return f"exec:{sys.executable} {path}"


def test_a_program_plays_as_a_bot(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    seats = f"{program(tmp_path, MYBOT)},greedy"
    assert simulate("--seats", seats, "--games", "2", "--records", str(tmp_path / "records"), "--json") == 0
    told = capfd.readouterr()
    assert [seat["name"] for seat in json.loads(told.out)["seats"]] == [
        f"bot:{Path(sys.executable).name}",
        "bot:greedy",
    ]
    events = [json.loads(line) for line in told.err.splitlines()]
    assert events[0]["type"] == "hello"
    assert [event["type"] for event in events].count("game") == 2
    numbers = [event["number"] for event in events if event["type"] == "state"]
    assert numbers == list(range(1, len(numbers) + 1)), (
        "an answer that comes late answers none of the next game"
    )
    for data in records(tmp_path / "records").values():
        verify(read_record(data, GAMES))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "ended before its game was over"),
        ("import time; time.sleep(60)", "made no move within 1 seconds"),
        ("while True: pass", "made no move within 1 seconds"),
        ("print('KSu', flush=True); input()", "no move for the state"),
        (f"print({WRONG_NUMBER!r}, flush=True); input()", "no move for the state"),
        ("import sys; sys.stdout.write('x' * 1000000); sys.stdout.flush()", "no move for the state"),
        (MYBOT.replace('["legal"][-1]["move"]', '["legal"] and "end"'), "the rules refuse"),
    ],
)  # fmt: skip
def test_a_program_that_misbehaves_is_stopped_with_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    text: str,
    sentence: str,
) -> None:
    monkeypatch.setattr(program_bots, "MOVE_SECONDS", 1.0)
    assert simulate("--seats", f"{program(tmp_path, text)},greedy") == 1
    [said] = [line for line in capfd.readouterr().err.splitlines() if not line.startswith("{")]
    assert sentence in said


LONELY = """\
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pipe = os.open({pipe!r}, os.O_WRONLY)
other = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], pass_fds=[pipe])
os.write(pipe, b"here\\n")
signal.pause()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_the_programs_too(tmp_path: Path, number: signal.Signals) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = [*CARTINO, "simulate", "--seats", f"{program(tmp_path, LONELY.format(pipe=str(pipe)))},greedy"]
    # Some run the tests where a signal is ignored, which programs inherit.
    before = signal.signal(number, signal.SIG_DFL)
    try:
        simulating = subprocess.Popen(words)
    finally:
        signal.signal(number, before)
    with simulating, pipe.open("rb") as held:
        assert held.readline() == b"here\n"
        simulating.send_signal(number)
        assert held.read() == b"", "the end of both programs"
    assert simulating.returncode == 128 + number
