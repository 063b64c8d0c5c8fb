"""`cartino serve`: each way in which a start fails is one sentence."""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from cartino_server.cli.main import main
from cartino_server.store.data_directory import lock_directory


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


def serve(data: Path, *words: str) -> int:
    return main(["serve", "--data", str(data), *words])


def test_a_port_in_use_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert serve(tmp_path / "data", "--port", str(port)) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"Another program is listening on 127.0.0.1, port {port}; ")
    assert error.count("\n") == 1


def test_a_damaged_host_key_stops_the_start_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    key = data / "host_key"
    key.write_bytes(b"-----BEGIN OPENSSH PRIVATE KEY-----\nhalf")
    key.chmod(0o600)
    assert serve(data, "--port", "0") == 1
    assert capsys.readouterr().err.startswith(f"The host key {key} is damaged. ")
    assert key.read_bytes().endswith(b"half")


def test_a_data_directory_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "data"
    file.write_text("")
    assert serve(file, "--port", "0") == 1
    assert "is a file; choose a directory" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["~no-such-user-here/x", "nul\0"])
def test_a_data_directory_that_can_be_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--data", name, "--port", "0"]) == 1
    error = capsys.readouterr().err
    assert "choose another one" in error
    assert error.count("\n") == 1


def test_a_host_that_can_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(tmp_path / "data", "--host", "a" * 70 + ".x", "--port", "0") == 1
    error = capsys.readouterr().err
    assert error.startswith("The host name aaa")
    assert error.count("\n") == 1


def test_broken_settings_are_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "cartino.toml"
    config.write_text("port = twenty")
    assert serve(tmp_path / "data", "--config", str(config)) == 2
    assert capsys.readouterr().err.startswith(f"The settings in {config} are invalid: ")
    assert not (tmp_path / "data").exists()


def test_a_second_server_is_a_sentence_and_touches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with lock_directory(data):
        assert serve(data, "--port", "0") == 1
    error = capsys.readouterr().err
    assert error.startswith(
        f"Another server (process {os.getpid()}) is running on the data directory {data}. "
    )
    assert error.count("\n") == 1
    assert [path.name for path in data.iterdir()] == ["lock"]


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
        assert serve(data) == 1
    port, typo, refused = capsys.readouterr().err.splitlines()
    assert "CARTINO_PORT is ignored: a container platform has set it to tcp://10.0.0.1:80." in port
    assert "CARTINO_PROT is ignored: there is no such setting. Did you mean CARTINO_PORT?" in typo
    assert refused.startswith("Another server ")
    assert main(["doctor", "--data", str(data)]) == 1
    assert capsys.readouterr().err.count(" is ignored: ") == 2
