"""`cartino simulate`: the same seed gives the same records, and every record verifies."""

import json
from pathlib import Path

import pytest

from cartino_protocol.records import write_lines
from cartino_server.cli.main import main
from cartino_server.engine.replay import read_record, verify
from tests.oracle.check_cartino import check
from tests.support.games import GAMES


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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seats", "bot:chess,bot:random"], "isn't a bot of Cartino"),
        (["--seats", "random,greedy"], "isn't a bot of Cartino"),
        (["--seats", "bot:random"], "2 to 4 players"),
        (["--games", "0"], "at least one game"),
    ],
)
def test_wrong_words_are_a_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(*words) == 2
    assert sentence in capsys.readouterr().err


def test_records_that_are_there_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "cartino-7-00001.jsonl"
    there.write_text("mine")
    assert simulate("--seed", "7", "--games", "2", "--records", str(tmp_path)) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"--records: {there} already exists and isn't overwritten; ")
    assert shown.err.count("\n") == 1
    assert records(tmp_path) == {there.name: b"mine"}, "and nothing was played"


def test_records_that_cannot_be_written_are_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert simulate("--records", str(tmp_path / "file")) == 1
    assert "can't create" in capsys.readouterr().err
