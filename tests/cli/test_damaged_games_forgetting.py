"""Which game is meant, and the file that it leaves."""

from pathlib import Path

import pytest

from cartino_protocol.exit_status import NOT_FOUND
from cartino_protocol.text import lazy_gettext
from cartino_server.cli.damaged_games import forget_damaged
from cartino_server.commands.console import CommandError
from cartino_server.store.port import DamagedGame
from tests.support.tables import keep


def test_one_that_lost_its_code_is_named_as_the_doctor_names_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    keep(data, ("AAAA", [b"1"]))
    target = forget_damaged(data, "????-1", (DamagedGame(1, "", lazy_gettext("it is short")),))
    assert target == data / "game-1.damaged.jsonl"
    assert target.read_text() == '{"seq":1,"body":"1","base64":""}\n'


def test_no_file_is_written_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    keep(data, ("AAAA", [b"1"]))
    (data / "AAAA-1.damaged.jsonl").write_text("an older one")
    target = forget_damaged(data, "AAAA-1", (DamagedGame(1, "AAAA", lazy_gettext("it is short")),))
    assert target == data / "AAAA-1.1.damaged.jsonl"


def test_which_games_are_damaged_is_said_to_whoever_names_another(tmp_path: Path) -> None:
    damaged = (
        DamagedGame(1, "AAAA", lazy_gettext("it is short")),
        DamagedGame(2, "", lazy_gettext("it is short")),
    )
    with pytest.raises(CommandError, match=r"\(AAAA-1, \?\?\?\?-2\)") as told:
        forget_damaged(tmp_path, "AAAA-2", damaged)
    assert told.value.code == NOT_FOUND
