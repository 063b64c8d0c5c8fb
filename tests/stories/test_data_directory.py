"""The data directory: finished games, a damaged game, a copy of a running server, a look at whether it is sound."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.seen_table import SeenTable, play_to_the_end, turn_comes_to
from tests.support.ssh_world import CARTINO, Server, SshServer, open_server

pytestmark = pytest.mark.e2e

OPTIONS = ("--workers", "0", "--bot-pause", "0")


def cartino(*words: object, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command line, with these environment variables."""
    return subprocess.run(
        [*CARTINO, *map(str, words)],
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def begin_game(ssh_server: SshServer, name: str) -> SeenTable:
    """Open a table of `name` and a bot, and leave the server; return what was seen."""
    window = ssh_server.visit(name, "new", "--bots", "1")
    turn_comes_to([window], [name], -1)
    seen = SeenTable(window)
    assert window.quit() == 0
    return seen


def test_finished_games_are_kept_and_a_damaged_one_is_set_aside(tmp_path: Path) -> None:
    with open_server(tmp_path, *OPTIONS, ends_well=False) as (ssh_server, server):
        zoe = ssh_server.visit("zoe", "new", "--bots", "1")
        play_to_the_end({"zoe": zoe})
        code = SeenTable(zoe).code
        assert zoe.quit() == 0
        (listed,) = json.loads(ssh_server.run("fay", "games --finished --json").out)
        name = listed["name"]
        assert re.fullmatch(rf"{code}-\d+", name)
        assert listed["seats"] == ["zoe", "bot:greedy"]
        for words, expected in (
            ("--finished --mine", [listed]),
            ("--finished --player ZOE", [listed]),
            ("--finished --player bob", []),
            (f"--finished --before {name}", []),
        ):
            assert json.loads(ssh_server.run("zoe", f"games {words} --json").out) == expected
        record = ssh_server.run("fay", f"export {name}").out
        assert json.loads(record.splitlines()[-1])["totals"] == listed["totals"]
        assert ssh_server.run("fay", f"export {code}").out == record
        assert cartino("export", code.lower(), "--data", server.data).stdout == record

        ann, bob = begin_game(ssh_server, "ann"), begin_game(ssh_server, "bob")
        server.ends_well()
        damage(server.data / "journal.db", ann.code)
        done = cartino("doctor", "--data", server.data, CARTINO_PORT="0")
        assert (done.returncode, done.stderr) == (1, "")
        assert f"{ann.code}-2" in done.stdout
        assert f"{bob.code}-3" not in done.stdout

        server.start_again()
        assert f"can't resume 1 game ({ann.code}-2)" in server.says()
        assert re.search(rf"game set aside +game={ann.code}-2 why=", server.log.read_text())
        tables = {table["code"] for table in json.loads(ssh_server.run("bob", "games --json").out)}
        assert (ann.code in tables, bob.code in tables) == (False, True)
        window = ssh_server.visit("bob", "join", bob.code)
        turn_comes_to([window], ["bob"], -1)
        assert SeenTable(window).hand == bob.hand
        assert window.quit() == 0
        assert json.loads(ssh_server.run("fay", "games --finished --json").out) == [listed]
        assert ssh_server.run("fay", f"export {name}").out == record
        server.tell_to_end()
        assert server.exit_status() == 0


def damage(journal: Path, code: str) -> None:
    """Flip a bit in what the file says of the table `code`."""
    data = journal.read_bytes()
    whole = f'"code":"{code}"'.encode()
    assert whole in data
    journal.write_bytes(data.replace(whole, whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:]))


def test_a_running_server_is_copied_and_examined(tmp_path: Path) -> None:
    with open_server(tmp_path, *OPTIONS) as (ssh_server, server):
        ann = begin_game(ssh_server, "ann")
        done = cartino("serve", "--port", "0", "--data", server.data)
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(
            r"Another server \(process \d+\) is running on the data directory .+\. "
            r"Stop it first, or choose another directory\.\n",
            done.stderr,
        )
        done = cartino("export", f"{ann.code}-1", "--data", server.data)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            f"Game {ann.code}-1 isn't over. `ssh HOST export {ann.code}` gives what you may see of it.\n"
        )
        # The server says itself where it listens.
        done = cartino("doctor", "--data", server.data, CARTINO_PORT="1")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"port {ssh_server.port}, this server is listening" in done.stdout
        place = tmp_path / "copy"
        done = cartino("backup", place / "data", "--data", server.data)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"1 game and the host key are in {place / 'data'}; ")

        copy = Server(place, "--workers", "0")
        try:
            assert copy.greeting.split("host key")[1] == server.greeting.split("host key")[1]
            other = SshServer(ssh_server.terminals, tmp_path / "keys", copy.log, copy.greeting)
            window = other.visit("ann")
            turn_comes_to([window], ["ann"], -1)
            assert (SeenTable(window).code, SeenTable(window).hand) == (ann.code, ann.hand)
            assert window.quit() == 0
        finally:
            copy.ends_well()
