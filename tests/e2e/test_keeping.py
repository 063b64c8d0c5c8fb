"""What a host keeps: finished games, copies of the data, and a look at whether it is sound."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.seen_table import SeenTable, play_to_the_end, turn_comes_to
from tests.support.ssh_world import CARTINO, Server, SshServer, open_server

pytestmark = pytest.mark.e2e


def cartino(*words: object, **environ: str) -> subprocess.CompletedProcess[str]:
    """The command line, with some variables more."""
    return subprocess.run(
        [*CARTINO, *map(str, words)],
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def server_with_a_game(tmp_path: Path) -> Iterator[tuple[SshServer, Server, SeenTable]]:
    """A server in which ann plays against a bot, and what she sees; ends well."""
    with open_server(tmp_path, "--bot-pause", "0") as (ssh_server, server):
        ann = ssh_server.visit("ann", "new", "--bots", "1")
        turn_comes_to([ann], ["ann"], -1)
        yield ssh_server, server, SeenTable(ann)


def test_a_second_server_on_the_same_data_is_one_sentence(
    server_with_a_game: tuple[SshServer, Server, SeenTable],
) -> None:
    ssh_server, server, _ = server_with_a_game
    done = cartino("serve", "--port", "0", "--data", server.data)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"Another server \(process \d+\) is running on the data directory .+\. "
        r"Stop it first, or choose another directory\.\n",
        done.stderr,
    )
    assert ssh_server.run("ann", "games").status == 0


def test_a_finished_game_is_listed_exported_and_verified(tmp_path: Path) -> None:
    with open_server(tmp_path, "--bot-pause", "0") as (ssh_server, server):
        ann = ssh_server.visit("ann", "new", "--bots", "1")
        play_to_the_end({"ann": ann})
        code = SeenTable(ann).code
        assert ann.quit() == 0

        (listed,) = json.loads(ssh_server.run("fay", "games --finished --json").out)
        name = listed["name"]
        assert re.fullmatch(rf"{code}-\d+", name)
        assert listed["seats"] == ["ann", "bot:greedy"]
        assert ssh_server.run("fay", "games --finished").out.startswith(name)
        assert json.loads(ssh_server.run("ann", "games --finished --mine --json").out) == [listed]
        assert json.loads(ssh_server.run("fay", "games --finished --mine --json").out) == []
        assert json.loads(ssh_server.run("fay", "games --finished --player ANN --json").out) == [listed]
        assert json.loads(ssh_server.run("fay", "games --finished --player bob --json").out) == []
        assert json.loads(ssh_server.run("fay", f"games --finished --before {name} --json").out) == []

        record = ssh_server.run("fay", f"export {name}").out
        assert json.loads(record.splitlines()[-1])["totals"] == listed["totals"]
        assert ssh_server.run("fay", f"export {code}").out == record
        assert cartino("export", name, "--data", server.data).stdout == record
        assert cartino("export", code.lower(), "--data", server.data).stdout == record
        folder = tmp_path / "records"
        assert cartino("export", "--all", folder, "--data", server.data).stdout.startswith(
            "Wrote 1 record to "
        )
        assert cartino("export", "--all", folder, "--data", server.data).stdout.startswith(
            "Wrote 0 records to "
        )
        assert [path.name for path in folder.iterdir()] == [f"{name}.jsonl"]
        assert (folder / f"{name}.jsonl").read_text() == record
        assert cartino("verify", folder / f"{name}.jsonl").returncode == 0

        server.tell_to_end()
        assert server.exit_status() == 0
        server.start_again()
        assert json.loads(ssh_server.run("fay", "games --finished --json").out) == [listed]
        assert ssh_server.run("fay", f"export {name}").out == record


def test_a_running_game_is_not_exported_by_the_command_line(
    server_with_a_game: tuple[SshServer, Server, SeenTable],
) -> None:
    _, server, table = server_with_a_game
    done = cartino("export", f"{table.code}-1", "--data", server.data)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Game {table.code}-1 isn't over. `ssh HOST export {table.code}` gives what you may see of it.\n"
    )


def test_a_copy_of_a_running_server_opens_as_a_server(
    server_with_a_game: tuple[SshServer, Server, SeenTable], tmp_path: Path
) -> None:
    ssh_server, server, table = server_with_a_game
    place = tmp_path / "copy"
    done = cartino("backup", place / "data", "--data", server.data)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"1 game and the host key are in {place / 'data'}; ")
    done = cartino("backup", place / "data", "--data", server.data)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)

    copy = Server(place)
    try:
        assert copy.greeting.split("host key")[1] == server.greeting.split("host key")[1]
        other = SshServer(ssh_server.terminals, tmp_path / "keys", copy.log, copy.greeting)
        ann = other.visit("ann")
        turn_comes_to([ann], ["ann"], -1)
        assert (SeenTable(ann).code, SeenTable(ann).hand) == (table.code, table.hand)
        assert ann.quit() == 0
    finally:
        copy.ends_well()


def test_the_doctor_finds_nothing_wrong_with_a_server_that_is_open(
    server_with_a_game: tuple[SshServer, Server, SeenTable],
) -> None:
    ssh_server, server, _ = server_with_a_game
    done = cartino("doctor", "--data", server.data, CARTINO_PORT=str(ssh_server.port))
    assert (done.returncode, done.stderr) == (0, "")
    assert "this server is listening" in done.stdout
    elsewhere = cartino("doctor", "--data", server.data, CARTINO_PORT="1")
    assert elsewhere.returncode == 0, "it is looked for where it says that it is"
    assert f"port {ssh_server.port}, this server is listening" in elsewhere.stdout


def test_a_damaged_game_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    with open_server(tmp_path, "--bot-pause", "0") as (ssh_server, server):
        codes, hands = [], []
        for user in ("ann", "bob"):
            window = ssh_server.visit(user, "new", "--bots", "1")
            turn_comes_to([window], [user], -1)
            codes.append(SeenTable(window).code)
            hands.append(SeenTable(window).hand)
            assert window.quit() == 0
    damage(server.data / "journal.db", codes[0])

    done = cartino("doctor", "--data", server.data, CARTINO_PORT="0")
    assert (done.returncode, done.stderr) == (1, "")
    assert f"{codes[0]}-1" in done.stdout
    assert f"{codes[1]}-2" not in done.stdout

    again = Server(tmp_path)
    try:
        assert f"can't resume 1 game ({codes[0]}-1)" in again.says()
        assert re.search(rf"game set aside +game={codes[0]}-1 why=", again.log.read_text())
        other = SshServer(ssh_server.terminals, tmp_path / "keys", again.log, again.greeting)
        assert [room["code"] for room in json.loads(other.run("bob", "games --json").out)] == [codes[1]]
        bob = other.visit("bob", "join", codes[1])
        turn_comes_to([bob], ["bob"], -1)
        assert SeenTable(bob).hand == hands[1]
        assert bob.quit() == 0
    finally:
        again.tell_to_end()
        assert again.exit_status() == 0


def damage(journal: Path, code: str) -> None:
    """Flip a bit in what stands in the file for the table `code`."""
    data = journal.read_bytes()
    whole = f'"code":"{code}"'.encode()
    assert whole in data
    journal.write_bytes(data.replace(whole, whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:]))
