"""A hangup while a real server starts: it goes on, and reads its settings again once it can."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from cartino_server.app.process_control import EarlyHangup

PATIENCE = 30


def test_a_hangup_is_waiting_until_somebody_obeys() -> None:
    hangups = EarlyHangup()
    assert not hangups.waiting
    hangups.note()
    assert hangups.waiting


def test_a_hangup_as_soon_as_it_starts_ends_nothing_and_is_obeyed(tmp_path: Path) -> None:
    """Its settings come out of a pipe, so that the test knows when it reads them."""
    settings, second = tmp_path / "cartino.toml", tmp_path / "second"
    os.mkfifo(settings)
    os.mkfifo(second)
    command = [sys.executable, "-m", "cartino_server.cli.main", "serve"]
    options = ["--port", "0", "--data", str(tmp_path / "data"), "--config", str(settings)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            # Comes back when the other end is opened.
            with settings.open("w") as file:
                server.send_signal(signal.SIGHUP)
                file.write("bot_pause = 2\n")
                # So that what comes next is no more of the first reading.
                second.replace(settings)
            with settings.open("w") as file:
                file.write("bot_pause = 3\n")
            assert server.stderr is not None
            while "settings read again" not in (line := server.stderr.readline()):
                assert line, "it ended"
            assert "bot_pause" in line
            server.send_signal(signal.SIGTERM)
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()


EARLY = """
import os, signal, sys
from cartino_server.cli.main import main

class Eager:
    def find_spec(self, name, *_):
        if name == "cartino_server.cli.commands":
            print("loads", flush=True)
            os.kill(os.getpid(), signal.SIGHUP)

sys.meta_path.insert(0, Eager())
main(["serve", "--help"])
"""


def test_a_hangup_before_its_words_are_read_ends_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout[:6]) == (0, "loads\n")
    assert "--bot-pause" in done.stdout
