"""Admin commands about the server: most are scripts in `server_commands.txt`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from cartino_protocol.exit_status import FAILURE, MISUSE
from cartino_protocol.text import lazy_gettext
from cartino_server.commands.console import CommandError
from cartino_server.operations.settings import SettingsChange
from cartino_server.store.port import HistoryQuery
from cartino_server.table.saving import FORMAT
from tests.support.finished import finish, on, upkeep
from tests.support.journals import opened
from tests.support.script import ScriptServer, run_script, scripts_in

PRUNE = """\
admin$ prune --dry-run
0 finished games would be removed.
admin$ prune --before 2026-01-03 --dry-run
2 finished games would be removed.
admin$ prune --before 2026-01-03 --json
{
  "games": 2,
  "parked": 0,
  "dry_run": false,
  "done": true
}
admin$ prune --before 2026-01-03
Removed 0 finished games.
""".splitlines()


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("server_commands.txt")))
async def test_script(tmp_path: Path, script: Sequence[str]) -> None:
    server = ScriptServer(tmp_path)
    await run_script(script, server)
    await server.close()


async def test_a_league_needs_a_game_whose_turns_are_judged(tmp_path: Path) -> None:
    server = ScriptServer(tmp_path)
    server.server.services.registry.catalog.judged = frozenset()
    reply = await server.administer("league new spring --from 2026-03-01 --to 2026-05-31 --game race")
    assert (reply.stdout, reply.status) == ("", FAILURE)
    assert "no bot judges the turns of Race" in reply.stderr
    await server.close()


async def test_settings_are_read_again_or_it_is_said_what_is_wrong(tmp_path: Path) -> None:
    def wrong() -> SettingsChange:
        raise CommandError(lazy_gettext("The settings in x are wrong."), MISUSE)

    server = ScriptServer(tmp_path)
    server.reread = lambda: SettingsChange((), ())
    assert (await server.administer("reload")).stdout == "Settings reloaded. Nothing changed.\n"
    server.reread = wrong
    reply = await server.administer("reload")
    assert (reply.stderr, reply.status) == ("The settings in x are wrong.\n", MISUSE)
    await server.administer("drain")
    await asyncio.wait_for(server.stopped.wait(), 10)
    await server.close()


async def test_finished_games_are_removed_and_counted(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    async with opened(tmp_path / "data", entries=FORMAT) as found:
        days = ("2026-01-01", "2026-01-02", "2026-01-03")
        await finish(found.journal, *(on(day, "id-Ann", "id-Bob", "id-eve") for day in days))
        keeper = upkeep(found.journal)
        await keeper.pack_all()
        keeper.start()
        server = ScriptServer(tmp_path, keeper)
        await run_script(PRUNE, server)
        await server.close()
        await keeper.close()
        left = await found.journal.find_finished_games(HistoryQuery(""))
        assert [game.ended[:10] for game in left] == ["2026-01-03"]
        assert (await found.journal.leaders("cartino", "")).people[0].games == 3
