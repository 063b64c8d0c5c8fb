"""`cartino admin` and `cartino health`: which words go to which server, and what its answer becomes."""

import argparse
import json
from pathlib import Path

import msgspec
import pytest

from cartino_server.admin.socket import AdminReply
from cartino_server.cli import admin
from cartino_server.cli.main import main
from cartino_server.commands.console import CommandError
from cartino_server.operations.health import HealthSources, ServerHealth, ServerStatus, check_health
from tests.support.ssh_world import Server

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


def found(tmp_path: Path, *, journal: bool = True) -> ServerHealth:
    return check_health(HealthSources(lambda: journal, lambda: 0, lambda: 1, 1, lambda: True, tmp_path), 0.0)


def answered(monkeypatch: pytest.MonkeyPatch, told: AdminReply) -> None:
    monkeypatch.setattr(admin, "send_admin_command", lambda _data, _words: told)


def words(tmp_path: Path, *, json: bool = False) -> argparse.Namespace:
    return argparse.Namespace(data=str(tmp_path), config=None, json=json)


@pytest.mark.parametrize(("journal", "status"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("as_json", [True, False])
def test_the_status_says_whether_all_is_well(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    journal: bool,
    status: int,
    as_json: bool,
) -> None:
    state = ServerStatus(found(tmp_path, journal=journal), {"people": 3})
    answered(monkeypatch, AdminReply(msgspec.json.encode(state).decode(), "", 0))
    assert admin.run_health(words(tmp_path, json=as_json)) == status
    said = capsys.readouterr().out
    if as_json:
        assert json.loads(said)["health"]["well"] is journal
    else:
        assert len(said.splitlines()) == 2
        assert said.splitlines()[1].startswith("Data: ")
        assert said.startswith("The server is healthy." if journal else "The journal has stopped")


def test_an_answer_of_another_version_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(monkeypatch, AdminReply('{"well": 1}', "", 0))
    with pytest.raises(CommandError, match="different version"):
        admin.run_health(words(tmp_path))


def test_where_the_server_refuses_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(monkeypatch, AdminReply("", "No.\n", 2))
    assert admin.run_health(words(tmp_path)) == 1
    assert capsys.readouterr().err == "No.\n"


@pytest.mark.e2e
def test_a_server_that_runs_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Server(tmp_path)
    try:
        assert main(["health", "--data", str(server.data)]) == 0
        said = capsys.readouterr().out.splitlines()
        assert said[0] == "The server is healthy."
        assert said[1].endswith("0 finished games are kept (parked: 0).")
        assert main(["health", "--json", "--data", str(server.data)]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["health"]["standing"], told["facts"]["people"]) == (1, 0)
    finally:
        server.ends_well()
