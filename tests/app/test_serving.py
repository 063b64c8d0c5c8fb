"""A server from its start to its end, in this process: what it prints, and what ends it."""

import asyncio
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from msgspec import structs
from structlog.testing import capture_logs

from cartino_protocol.records import write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_server.app import serving
from cartino_server.app.serving import connect_command, damaged_games_warning, run_server
from cartino_server.cli.main import main
from cartino_server.commands.console import CommandError
from cartino_server.limits import ServerConfig
from cartino_server.operations.settings import ServerSettings, part_of
from cartino_server.server import Server
from cartino_server.ssh.listener import listen
from cartino_server.store.data_directory import DataError
from cartino_server.store.journal import open_journal
from cartino_server.store.port import DamagedGame
from tests.support.cartino import random_record
from tests.support.data import damage, make_data

TIME_LIMIT = 30


@pytest.mark.parametrize(
    ("settings", "port", "words"),
    [
        (ServerSettings(), 2222, "ssh -t -p 2222 127.0.0.1"),
        (ServerSettings(host="games.example.org"), 22, "ssh -t games.example.org"),
        (
            ServerSettings(host="0.0.0.0", public="games.example.org"),
            2222,
            "ssh -t -p 2222 games.example.org",
        ),
        (ServerSettings(host="::"), 2222, f"ssh -t -p 2222 {socket.gethostname()}"),
    ],
)
def test_the_words_for_a_friend(settings: ServerSettings, port: int, words: str) -> None:
    assert connect_command(settings, port) == words


def test_settings_reach_the_part_that_applies_them() -> None:
    config = part_of(ServerSettings(bot_pause=0.25, empty_after=7, tables=9), ServerConfig)
    assert (config.bot_pause, config.empty_after, config.tables) == (0.25, 7, 9)


def test_damaged_games_are_one_line() -> None:
    assert str(
        damaged_games_warning([DamagedGame(12, "K7QP", lazy_gettext("a bit is wrong"))], Path("/my data"))
    ) == (
        "cartino can't resume 1 game (K7QP-12), but the others are fine; "
        "`cartino doctor --data '/my data'` says why"
    )
    many = [
        DamagedGame(number, "\x1b[2J" if number == 1 else "AB2C", lazy_gettext("it is short"))
        for number in range(1, 14)
    ]
    line = str(damaged_games_warning(many, Path("/data")))
    assert line.isprintable()
    assert line.startswith("cartino can't resume 13 games (????-1, AB2C-2, ")
    assert "AB2C-10 and 3 more)" in line


@pytest.fixture(autouse=True)
def own_process() -> Iterator[None]:
    """What serving does to its process for good is undone after each test."""
    handlers, level = logging.root.handlers[:], logging.root.level
    interrupt = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, interrupt)
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


class Life:
    """A server's life on `data`; once it listens, `event(port)` happens."""

    def __init__(self, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.data = data
        data.mkdir(mode=0o700)
        self.settings = ServerSettings(host="127.0.0.1", port=0, data=str(data), grace=0, workers=0)
        self._patch = monkeypatch
        self._dead: list[Callable[[str], object]] = []

    def live(
        self,
        event: Callable[["Life"], object],
        read: Callable[[], ServerSettings] | None = None,
        **others: Callable[..., object],
    ) -> None:
        """`others` take the place of what `serving` knows by those names."""

        async def listening(*words: Any) -> Any:
            listener = await listen(*words)
            asyncio.get_running_loop().call_soon(event, self)
            return listener

        def opening(data: Path, dead: Callable[[str], object], entries: int) -> Any:
            self._dead.append(dead)
            return open_journal(data, dead, entries=entries)

        with self._patch.context() as patch:
            patch.setattr(serving, "listen", listening)
            patch.setattr(serving, "open_journal", opening)
            for name, other in others.items():
                patch.setattr(serving, name, other)
            run_server(self.settings, read or (lambda: self.settings), self.data)

    def lose_journal(self) -> None:
        (dead,) = self._dead
        dead("The journal can't be trusted any more and has ended: disk I/O error.")


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    return Life(tmp_path / "data", monkeypatch)


def tell(number: signal.Signals) -> Callable[[Life], None]:
    return lambda _: os.kill(os.getpid(), number)


def test_it_says_where_it_listens_and_ends_when_told(life: Life, capsys: pytest.CaptureFixture[str]) -> None:
    with capture_logs() as logs:
        life.live(tell(signal.SIGTERM))
    out = capsys.readouterr().out
    assert out.startswith("cartino is listening on 127.0.0.1:")
    assert out.count("\n") == 1
    assert {"closing", "closed"} <= {entry["event"] for entry in logs}
    assert {entry["log_level"] for entry in logs} == {"info"}


def test_told_to_stop_before_it_is_ready_it_does_not_say_that_it_listens(
    life: Life, capsys: pytest.CaptureFixture[str]
) -> None:
    async def late(*words: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        noticed = asyncio.Event()
        asyncio.get_running_loop().call_later(0, lambda: asyncio.get_running_loop().call_soon(noticed.set))
        await noticed.wait()
        return await listen(*words)

    with capture_logs() as logs:
        life.live(lambda _: None, listen=late)
    assert capsys.readouterr().out == ""
    assert {"closing", "closed"} <= {entry["event"] for entry in logs}


def test_a_lost_journal_ends_it_with_one_sentence(life: Life) -> None:
    with capture_logs() as logs, pytest.raises(CommandError) as told:
        life.live(Life.lose_journal)
    assert str(told.value) == (
        "The journal can't be trusted any more and has ended: disk I/O error. The server has therefore stopped. Check "
        f"the disk, run `cartino doctor --data {life.data}`, then start the server again. No confirmed move is lost."
    )
    assert told.value.code == 1
    assert [entry["event"] for entry in logs if entry["log_level"] == "critical"] == ["journal lost"]


def test_settings_are_read_again_at_a_hangup(life: Life) -> None:
    def read() -> ServerSettings:
        os.kill(os.getpid(), signal.SIGTERM)
        return ServerSettings(
            host="127.0.0.1", port=7, data=life.settings.data, grace=0, bot_pause=3, workers=0
        )

    with capture_logs() as logs:
        life.live(tell(signal.SIGHUP), read)
    told = [(entry["event"], entry.get("settings", entry.get("changed"))) for entry in logs]
    assert ("only a restart changes these settings", ["port"]) in told
    assert ("settings read again", ["bot_pause"]) in told


def test_a_door_that_can_not_be_opened_leaves_the_data_in_order(
    life: Life, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServerSettings(host="127.0.0.1", port=taken.getsockname()[1], data=life.settings.data)
        with pytest.raises(CommandError, match=r"^Another program is listening on"):
            run_server(settings, lambda: settings, life.data)
    assert capsys.readouterr().out == ""
    life.live(tell(signal.SIGINT))


def test_data_that_workers_could_read_are_refused(
    life: Life, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "game-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    settings = structs.replace(life.settings, workers=1)
    with pytest.raises(DataError) as told:
        run_server(settings, lambda: settings, life.data)
    assert str(told.value) == (
        f"The data directory {life.data} is in {tmp_path}, which the worker processes must be able to read. Move it, "
        "or choose another one."
    )
    assert list(life.data.iterdir()) == []


def start(script: str, data: Path) -> subprocess.Popen[str]:
    """A server of its own on `data`, with what `script` makes of it before it starts."""
    script += f"""
from cartino_server.cli.main import main
sys.exit(main(["serve", "--port", "0", "--data", {str(data)!r}]))
"""
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


SLOW_START = """
import sys, time
from cartino_protocol.records import write_lines
from cartino_server.app import serving

def opening(*_, **__):
    print("opens the journal", flush=True)
    time.sleep(600)

serving.open_journal = opening
"""
SLOW_END = """
import asyncio, sys, time
from cartino_server.store.journal import DiskJournal

async def close(self):
    await asyncio.to_thread(time.sleep, 600)

DiskJournal.close = close
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_a_start_that_takes_long_can_be_ended(tmp_path: Path, number: signal.Signals, status: int) -> None:
    with start(SLOW_START, tmp_path / "data") as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "opens the journal\n"
        server.send_signal(number)
        assert server.wait(TIME_LIMIT) == status


def test_a_disk_that_hangs_does_not_keep_the_process(tmp_path: Path) -> None:
    with start(SLOW_END, tmp_path / "data") as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("cartino is listening on ")
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIME_LIMIT) == 1
        assert server.stderr is not None
        assert server.stderr.read().splitlines()[-1] == str(serving.CLOSED_UNSAVED)


def test_tables_of_damaged_games_are_set_aside(life: Life, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a game that can't be proved as of one that can't be played again; the printed line names both."""
    shutil.rmtree(life.data)
    make_data(life.data, [("K7QP", random_record(0)[:5]), ("AB2C", random_record(1)[:5])])
    damage(life.data, write_lines(random_record(0)[4:5]).strip())
    servers: list[Server] = []

    def build(*parts: Any, **words: Any) -> Server:
        servers.append(Server(*parts, **words))
        return servers[-1]

    with capture_logs():
        life.live(tell(signal.SIGTERM), Server=build)
    (game_server,) = servers
    for code in ("K7QP", "AB2C"):
        assert game_server.services.registry.no_table(code) == Refusal("set-aside")
    named, advice = capsys.readouterr().out.splitlines()[1].split("; ")
    assert named == "cartino can't resume 2 games (K7QP-1, AB2C-2), but the others are fine"
    assert f"`cartino doctor --data {life.data}` says why" in advice
    assert main(["doctor", "--data", str(life.data)]) == 1
    said = capsys.readouterr().out
    assert ("K7QP-1 is damaged" in said, "AB2C-2 is damaged" in said) == (True, True)
