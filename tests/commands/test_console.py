"""Records and file names of strangers: nothing that they hold steers the terminal of somebody who reads them."""

import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cartino_protocol.records import GameLine, NoteLine, RecordLine, write_lines
from cartino_server.cli.main import main
from cartino_server.commands.console import MOST_LETTERS
from tests.support.cartino import random_record
from tests.support.data import make_data

EVIL = "\x1b]52;c;ZXZpbA==\x07\x9b2J\u202e\u2066\nfine.jsonl: 9 lines verified\r\u200b\x7f"
WHOLE = random_record(1)
STEERING = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def steering(text: str) -> set[str]:
    """What of `text` a terminal would obey, beside the ends of its lines."""
    return {letter for letter in text.replace("\n", "") if unicodedata.category(letter) in STEERING}


def named(name: str) -> list[RecordLine]:
    """A whole game with a player of that name, and a note that says so."""
    head, *rest = WHOLE
    assert isinstance(head, GameLine)
    first = msgspec.structs.replace(head, seats=(name, *head.seats[1:]))
    return [first, NoteLine(name, 0), *rest]


def spoilt(change: Callable[[bytes], bytes]) -> bytes:
    """A record of which `change` made something else."""
    return change(write_lines(WHOLE))


HUGE = "A" * 100_000
IN_JSON = msgspec.json.encode(EVIL).strip(b'"')
RECORDS = {
    "a name": write_lines(named(EVIL)),
    "a line type": spoilt(lambda data: data.replace(b'"type":"lay"', b'"type":"%s"' % IN_JSON, 1)),
    "a field": spoilt(lambda data: data.replace(b'"seat":', b'"%s":' % IN_JSON, 1)),
    "a game": spoilt(lambda data: data.replace(b'"game":"cartino"', b'"game":"%s"' % IN_JSON, 1)),
    "an option": spoilt(lambda data: data.replace(b'"options":{"', b'"options":{"%s' % IN_JSON, 1)),
    "an end": spoilt(lambda data: data.replace(b'"reason":"', b'"reason":"%s' % IN_JSON, 1)),
    "a seed": spoilt(lambda data: data.replace(b'"seed":"', b'"seed":"%s' % IN_JSON, 1)),
    "a commitment": spoilt(lambda data: data.replace(b'"commitment":"', b'"commitment":"%s' % IN_JSON, 1)),
    "no JSON": EVIL.encode() * 3,
    "no text": b"\xff\x9b\x1b]0;x\x07" * 3,
    "an early end": write_lines(WHOLE[:5]) + write_lines(named(EVIL)[1:2]) + write_lines(WHOLE[-1:]),
}


@pytest.mark.parametrize("command", ["verify", "replay"])
@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_nothing_in_a_record_steers_a_terminal(
    command: str, record: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(record)
    main([command, str(path)])
    shown = capsys.readouterr()
    assert not steering(shown.out + shown.err)
    assert (shown.out + shown.err).count("\n") == 1


@pytest.mark.parametrize("field", ["type", "game", "reason"])
def test_a_huge_value_is_quoted_in_part(
    field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "record.jsonl"
    begun = f'"{field}":"'.encode()
    path.write_bytes(spoilt(lambda data: data.replace(begun, begun + HUGE.encode())))
    main(["verify", str(path)])
    assert 0 < len(capsys.readouterr().err) <= MOST_LETTERS + 1


def test_a_huge_name_is_told_in_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(write_lines(named(HUGE)))
    assert main(["verify", str(path)]) == 0
    told = capsys.readouterr().out
    assert len(told) <= MOST_LETTERS + 1
    assert "lines verified" in told
    assert told.endswith("155.\n"), "the end says the totals"


@pytest.mark.parametrize(
    "words",
    [
        ["verify", EVIL],
        ["verify", "{file}"],
        ["replay", EVIL],
        ["export", "--data", EVIL, "K7QP"],
        ["export", "--data", "{data}", EVIL],
        ["export", "--data", "{data}", "--all", "{file}"],
        ["export", "--data", "{data}", "--all", "{folder}"],
        ["doctor", "--data", "{data}", "--forget", EVIL],
        ["doctor", "--data", "{evil data}"],
        ["backup", "--data", "{data}", "{folder}"],
        ["backup", "--data", "{data}", "{file}"],
        ["simulate", "--games", "1", "--records", "{file}"],
        ["simulate", "--games", EVIL],
        ["check-game", EVIL],
        ["check-game", HUGE],
        ["verify", HUGE],
        ["--" + HUGE],
        ["new-game", "uno", "{file}"],
        ["new-game", "uno", "{folder}"],
        ["serve", "--config", EVIL],
        ["health", "--data", EVIL],
        [EVIL],
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_no_name_on_the_command_line_steers_a_terminal(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = EVIL.replace("/", "")
    places = {"{data}": tmp_path / "data", "{file}": tmp_path / name, "{folder}": tmp_path / f"{name}s"}
    make_data(tmp_path / "data", [("K7QP", named(EVIL))])
    places["{evil data}"] = make_data(tmp_path / f"{name}data", [])
    places["{file}"].write_bytes(write_lines(WHOLE))
    main([str(places.get(word, word)) for word in words])
    shown = capsys.readouterr()
    assert shown.out + shown.err
    assert not steering(shown.out + shown.err)
    assert "\nfine.jsonl" not in shown.out + shown.err, "nobody writes a line of ours"
    assert max(map(len, (shown.out + shown.err).splitlines())) <= MOST_LETTERS


def test_a_record_is_printed_whole_into_a_file_and_unarmed_on_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, record = make_data(tmp_path / "data", [("K7QP", named(EVIL))]), write_lines(named(EVIL)).decode()
    assert main(["export", "--data", str(data), "K7QP"]) == 0
    assert capfd.readouterr().out == record
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["export", "--data", str(data), "K7QP"]) == 0
    shown = capfd.readouterr().out
    assert not steering(shown)
    assert [msgspec.json.decode(line) for line in shown.splitlines()] == [
        msgspec.json.decode(line) for line in record.split("\n")[:-1]
    ]


def test_an_error_that_nobody_foresaw_does_not_say_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(EVIL)

    path = tmp_path / "record.jsonl"
    path.write_bytes(write_lines(WHOLE))
    monkeypatch.setattr("cartino_server.cli.verify.verify", fail)
    assert main(["verify", str(path)]) == 1
    shown = capsys.readouterr().err
    assert "RuntimeError" in shown
    assert not steering(shown)
