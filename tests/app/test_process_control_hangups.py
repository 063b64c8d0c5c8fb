"""A hangup while a real server starts: it goes on, and reads its settings again once it can."""

import signal
import subprocess
import sys
from pathlib import Path

from cartino_server.app.process_control import EarlyHangup

TIME_LIMIT = 30


def test_a_hangup_is_waiting_until_somebody_obeys() -> None:
    hangups = EarlyHangup()
    assert not hangups.waiting
    hangups.note()
    assert hangups.waiting


READING = """
import os, signal, sys
from pathlib import Path
from cartino_server.cli.main import main
from cartino_server.operations import settings

read_file, path = settings.read_file, Path(sys.argv[-1])

def read(*asked):
    content = read_file(*asked)
    if b"= 2" in content:
        path.write_text("bot_pause = 3")
        os.kill(os.getpid(), signal.SIGHUP)
    return content

settings.read_file = read
sys.exit(main())
"""


def test_a_hangup_as_soon_as_it_starts_ends_nothing_and_is_obeyed(tmp_path: Path) -> None:
    """It comes while the settings are first read, which change then."""
    settings = tmp_path / "cartino.toml"
    settings.write_text("bot_pause = 2")
    options = ["--port", "0", "--data", str(tmp_path / "data"), "--config", str(settings)]
    with subprocess.Popen(
        [sys.executable, "-c", READING, "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            while "settings read again" not in (line := server.stderr.readline()):
                assert line, "it ended"
            assert "bot_pause" in line
            server.send_signal(signal.SIGTERM)
            assert server.wait(TIME_LIMIT) == 0
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
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, timeout=TIME_LIMIT
    )
    assert (done.returncode, done.stdout[:6]) == (0, "loads\n")
    assert "--bot-pause" in done.stdout
