"""`admin prune`: what it takes, and what it does in a server that runs."""

import json
from pathlib import Path

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_server.admin.actions import AdminActions
from cartino_server.admin.commands import AdminCommand, parse_admin_command
from cartino_server.admin.durations import parse_timestamp
from cartino_server.cli.main import main
from cartino_server.commands.console import CommandError
from cartino_server.store.port import HistoryQuery
from cartino_server.table.saving import FORMAT
from cartino_tui.i18n import ENGLISH
from tests.support.finished import finish, on, upkeep
from tests.support.journals import opened
from tests.support.ssh_world import Server

NOW = float(parse_timestamp("2026-03-01") or 0)


@pytest.mark.parametrize(
    ("words", "before", "dry"),
    [
        ("prune", None, False),
        ("prune --dry-run", None, True),
        ("prune --before 2026-01-31", parse_timestamp("2026-01-31"), False),
        ("prune --before 2026-01-31T12:00 --dry-run", parse_timestamp("2026-01-31T12:00"), True),
    ],
)
def test_what_is_meant(words: str, before: int | None, dry: bool) -> None:
    parsed = parse_admin_command(words.split(), NOW, ENGLISH)
    assert parsed.command == AdminCommand(AdminActions.prune, {"before": before, "dry": dry})
    assert (parsed.json, parsed.audited) == (False, True)


@pytest.mark.parametrize(
    "words",
    [
        "prune --before",
        "prune --before yesterday",
        "prune --before 2026-02-30",
        "prune --before 31.01.2026",
        "prune --before 0",
        "prune --before -1",
        "prune --before 99999-01-01",
        "prune --before 2026-03-02",
        "prune --before 2026-01-31 12:00",
        "prune 2026-01-31",
        "prune --all",
    ],
)
def test_what_is_no_day_is_said_in_a_sentence(words: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_admin_command(words.split(), NOW, ENGLISH)
    assert caught.value.code == MISUSE
    assert "\n" not in str(caught.value)


@pytest.mark.e2e
async def test_a_server_removes_what_it_is_told_to_and_says_how_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    async with opened(tmp_path / "data", entries=FORMAT) as found:
        days = ("2026-01-01", "2026-01-02", "2026-01-03")
        await finish(found.journal, *(on(day, "id-Ann", "id-Bob", "id-eve") for day in days))
        await upkeep(found.journal).pack_all()
    server = Server(tmp_path)
    try:
        assert server.data == tmp_path / "data"

        def say(*words: str) -> str:
            assert main(["admin", *words, "--data", str(server.data)]) == 0
            return capsys.readouterr().out

        assert main(["admin", "prune", "--before", "tomorrow", "--data", str(server.data)]) == MISUSE
        assert len(capsys.readouterr().err.splitlines()) == 1
        assert say("prune", "--dry-run") == "0 finished games would be removed.\n"
        assert say("prune", "--before", "2026-01-03", "--dry-run") == "2 finished games would be removed.\n"
        told = json.loads(say("prune", "--before", "2026-01-03", "--json"))
        assert told == {"games": 2, "parked": 0, "dry_run": False, "done": True}
        assert say("prune", "--before", "2026-01-03") == "Removed 0 finished games.\n"
    finally:
        server.tell_to_end()
        # Its log tells of troubles: it tries to review these games, whose entries it cannot read.
        assert server.exit_status() == 0
    async with opened(tmp_path / "data", entries=FORMAT) as found:
        assert [game.ended[:10] for game in await found.journal.find_finished_games(HistoryQuery(""))] == [
            "2026-01-03"
        ]
        assert (await found.journal.leaders("cartino", "")).people[0].games == 3
