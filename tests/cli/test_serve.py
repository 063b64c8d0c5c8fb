"""`cartino serve`: each way in which a start fails is one sentence, most in `serve.txt`."""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import structlog

from cartino_server.cli.main import main
from cartino_server.store.data_directory import lock_directory
from tests.support.cli_script import run_cli_script
from tests.support.script import scripts_in


@pytest.fixture(autouse=True)
def own_process() -> Iterator[None]:
    """What `serve` does to its process for good is undone after each test."""
    environ = dict(os.environ)
    handlers, level = logging.root.handlers[:], logging.root.level
    signals = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT)}
    yield
    for number, handler in signals.items():
        signal.signal(number, handler)
    os.environ.clear()
    os.environ.update(environ)
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("serve.txt")))
def test_script(script: Sequence[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_cli_script(script, tmp_path, capfd)


def test_a_name_that_no_directory_can_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--data", "nul\0", "--port", "0"]) == 1
    assert "choose another one" in capsys.readouterr().err


def test_a_port_in_use_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--data", str(tmp_path / "data"), "--port", str(port)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"Another program is listening on 127.0.0.1, port {port}; ")
    assert error.count("\n") == 1


def test_a_second_server_is_turned_away_before_anything_slow_is_loaded(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    script = (
        "import sys; from cartino_server.cli.main import main; "
        f"code = main(['serve', '--data', {str(data)!r}]); "
        "slow = {'textual', 'asyncssh'} & {name.split('.')[0] for name in sys.modules}; "
        "sys.exit(code if not slow else f'loaded {slow}')"
    )
    with lock_directory(data):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.startswith("Another server ")


def test_a_misspelt_variable_is_no_refusal_but_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    monkeypatch.setenv("CARTINO_PROT", "5")
    monkeypatch.setenv("CARTINO_PORT", "tcp://10.0.0.1:80")
    with lock_directory(data):
        assert main(["serve", "--data", str(data)]) == 1
    port, typo, refused = capsys.readouterr().err.splitlines()
    assert "CARTINO_PORT is ignored: a container platform has set it to tcp://10.0.0.1:80." in port
    assert "CARTINO_PROT is ignored: there is no such setting. Did you mean CARTINO_PORT?" in typo
    assert refused.startswith("Another server ")
    assert main(["doctor", "--data", str(data)]) == 1
    assert capsys.readouterr().err.count(" is ignored: ") == 2
