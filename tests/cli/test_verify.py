"""`cartino verify` on good files, bad ones and both."""

import json
import subprocess
from pathlib import Path

import pytest

from cartino_server.cli.main import main
from tests.support.games import PACKAGES
from tests.support.ssh_world import CARTINO

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.jsonl"))


def test_good_records_are_named_with_their_totals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *map(str, GOLDEN)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(GOLDEN)
    assert all("lines verified" in line for line in lines)


def test_a_record_cut_in_half_fails_at_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = GOLDEN[0].read_bytes().splitlines(keepends=True)
    half = tmp_path / "half.jsonl"
    half.write_bytes(b"".join(lines[:50]))
    assert main(["verify", str(half), str(GOLDEN[0])]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"{half}:50: the record stops here without an end line")
    assert str(GOLDEN[0]) in shown.out, "the others are still checked"
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(b"".join(lines[:50])[:-10])
    assert main(["verify", str(torn)]) == 1
    assert capsys.readouterr().err.startswith(f"{torn}:50: this line can't be read")


@pytest.mark.parametrize("game", ["cartino", "caro"])
def test_points_that_were_touched_up_are_found(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = next(path for path in GOLDEN if path.stem.startswith(game)).read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if '"points":4' in line)
    lines[at] = lines[at].replace('"points":4', '"points":14')
    spoilt = tmp_path / "spoilt.jsonl"
    spoilt.write_text("\n".join(lines))
    assert main(["verify", str(spoilt)]) == 1
    assert capsys.readouterr().err.startswith(f"{spoilt}:{at + 1}: by the rules, this has to be")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_game_is_called_what_people_call_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = next(path for path in GOLDEN if path.stem.startswith(f"{name}-"))
    assert main(["verify", str(record)]) == 0
    assert f" verified; {PACKAGES[name].screen.title}" in capsys.readouterr().out


def test_a_refused_move_is_told_in_the_words_of_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = next(path for path in GOLDEN if path.stem.startswith("cartino-1974-2")).read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith('{"type":"lay"'))
    lay = json.loads(lines[at])
    lines[at] = json.dumps({**lay, "spot": "KHu" if lay["stone"] != "KH" else "QHu"}, separators=(",", ":"))
    spoilt = tmp_path / "spoilt.jsonl"
    spoilt.write_text("\n".join(lines))
    assert main(["verify", str(spoilt)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"{spoilt}:{at + 1}: the rules refuse {lines[at]}. ")
    assert any(sentence in told for sentence in PACKAGES["cartino"].speech.refusals.values())


def test_a_pipe_may_be_verified() -> None:
    script = f'"$@" verify <(cat {GOLDEN[0]}) - < {GOLDEN[0]}'
    done = subprocess.run(
        ["bash", "-c", script, "bash", *CARTINO], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("verified") == 2


def test_standard_input_without_an_end_is_a_sentence() -> None:
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(
            [*CARTINO, "verify", "-"], stdin=endless, capture_output=True, text=True, check=False, timeout=60
        )
    assert (done.returncode, done.stderr) == (1, "Can't read -: File too large.\n")
