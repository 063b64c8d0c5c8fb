"""A window that is closed ends the program in it, even one that ignores hangups; a detached server outlives it."""

import os
import signal
from pathlib import Path

import pytest

from tests.stories.test_connect import HANGUP, without_hangups
from tests.support.ports import own_port
from tests.support.ssh_world import CARTINO, new_home
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))


def test_games_and_replays_on_this_machine_end(terminals: Terminals) -> None:
    windows = [
        (terminals.open(*without_hangups((*CARTINO, *words)), env=new_home()), shown)
        for words, shown in (
            (("play",), r"p {3,}"),
            (("play", "--plain"), r"\d\. "),
            (("replay", RECORD), r"q quit"),
        )
    ]
    for window, shown in windows:
        window.sees(shown)
    assert [window.close_window() for window, _ in windows] == [HANGUP] * len(windows)


def serve(place: Path, workers: int = 0) -> tuple[str, ...]:
    data = str(place / "data")
    return (*CARTINO, "serve", "--data", data, "--port", str(own_port()), "--workers", str(workers))


def test_a_server_stops_in_order(terminals: Terminals, tmp_path: Path) -> None:
    window = terminals.open(*without_hangups(serve(tmp_path, workers=1)))
    window.sees("cartino is listening")
    assert window.close_window() == 0


@pytest.mark.parametrize(
    "redirected",
    [
        ">log 2>&1",
        pytest.param("</dev/null", marks=pytest.mark.soak),
        pytest.param("2>log", marks=pytest.mark.soak),
        pytest.param("</dev/null >log 2>&1", marks=pytest.mark.soak),
    ],
)
def test_a_server_stops_wherever_its_streams_lead(
    terminals: Terminals, tmp_path: Path, redirected: str
) -> None:
    log = tmp_path / "log"
    window = terminals.open("sh", "-c", f'cd {tmp_path}; exec "$@" {redirected}', "sh", *serve(tmp_path))
    if ">log 2" in redirected:
        terminals.until(lambda: log.exists() and "cartino is listening" in log.read_text(), "it listens")
    else:
        window.sees("cartino is listening")
    assert window.close_window() == 0


@pytest.mark.parametrize("detached", ["setsid", pytest.param("nohup", marks=pytest.mark.soak)])
def test_a_detached_server_outlives_the_window_and_reloads_at_a_hangup(
    terminals: Terminals, tmp_path: Path, detached: str
) -> None:
    log = tmp_path / "log"
    script = f"""{detached} "$@" > {log} 2>&1 & echo $! > {tmp_path / "pid"}; cat"""
    window = terminals.open("sh", "-c", script, "sh", *serve(tmp_path))
    terminals.until(lambda: log.exists() and "cartino is listening" in log.read_text(), "it listens")
    window.close_window()
    pid = int((tmp_path / "pid").read_text())
    try:
        os.kill(pid, signal.SIGHUP)
        terminals.until(lambda: "settings read again" in log.read_text(), "it reloads")
    finally:
        os.kill(pid, signal.SIGTERM)
