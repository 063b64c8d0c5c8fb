"""`cartino admin`: what of the words is for the server, and which server it asks."""

from pathlib import Path

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_server.admin.socket import AdminReply
from cartino_server.cli import admin
from cartino_server.cli.main import main

Asked = list[tuple[Path, tuple[str, ...]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Each question, with the data directory of the server that would have been asked."""
    questions: Asked = []

    def ask(data: Path, words: tuple[str, ...]) -> AdminReply:
        questions.append((data, words))
        return AdminReply("", "", 0)

    monkeypatch.setattr(admin, "send_admin_command", ask)
    return questions


@pytest.mark.parametrize(
    "typed",
    [
        "--data {data} mute eve --for 2h",
        "mute eve --for 2h --data {data}",
        "mute --data={data} eve --for 2h",
        "mute eve --config {config} --for 2h",
        "mute eve --for 2h --config={config}",
        "--config {config} mute eve --for 2h",
        "--config nowhere.toml mute eve --for 2h --config {config}",
    ],
)
def test_its_options_stand_anywhere(typed: str, asked: Asked, tmp_path: Path) -> None:
    config = tmp_path / "cartino.toml"
    config.write_text(f'data = "{tmp_path}"\n')
    assert main(["admin", *typed.format(data=tmp_path, config=config).split()]) == 0
    assert asked == [(tmp_path, ("mute", "eve", "--for", "2h"))]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "help"),
        ("help kick", "help kick"),
        ("who --json", "who --json"),
        ("say -- help", "say -- help"),
        ("say -- it is --data x", "say -- it is --data x"),
        ("say it is -- --config", "say it is -- --config"),
        ("-- say x --data", "say x --data"),
    ],
)
def test_all_else_is_for_the_server(typed: str, said: str, asked: Asked, tmp_path: Path) -> None:
    assert main(["admin", "--data", str(tmp_path), *typed.split()]) == 0
    assert asked == [(tmp_path, tuple(said.split()))]


@pytest.mark.parametrize("typed", ["who --data", "who --data --json", "who --config -- x"])
def test_an_option_that_names_nothing_is_said(
    typed: str, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["admin", *typed.split()]) == MISUSE
    assert capsys.readouterr().err.startswith(f"cartino admin: {typed.split()[1]} needs a value, like")
    assert not asked


def test_where_no_server_is_it_says_how_to_name_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["admin", "who", "--data", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"No server is running on the data directory {tmp_path}. ")
    assert "with --data" in told
