"""`cartino connect`: its words, its questions, and one sentence for what can't be. Visits are in `e2e`."""

from pathlib import Path

import asyncssh
import pytest

from cartino_protocol.commands import Join, Watch
from cartino_server.cli import terminal
from cartino_server.cli.connect import connect_first, connect_words, parse_address, parse_route
from cartino_server.client.connection import ConnectRefused
from cartino_server.client.connector import Connector
from cartino_server.client.ssh_config import ServerAddress, SshConfig
from cartino_server.commands.console import CommandError
from cartino_tui.visit.routes import StartRoute
from tests.support.far_server import caller_of, far_server
from tests.support.game_server import World, new_server


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own, without an agent."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("host", "port", "name", "address"),
    [
        ("games", None, None, ServerAddress("games")),
        ("games.example.org", 2222, None, ServerAddress("games.example.org", None, 2222)),
        ("ann@games", None, None, ServerAddress("games", "ann")),
        ("ann@games", None, "bob", ServerAddress("games", "bob")),
        ("::1", None, None, ServerAddress("::1")),
    ],
)
def test_a_host_is_named_as_for_ssh(
    host: str, port: int | None, name: str | None, address: ServerAddress
) -> None:
    assert parse_address(host, port, name) == address


@pytest.mark.parametrize(
    ("join", "watch", "intent"),
    [
        (None, None, None),
        ("k7qp", None, Join("K7QP")),
        (None, "K7-QP", Watch("K7QP")),
    ],
)
def test_where_one_goes_first(join: str | None, watch: str | None, intent: StartRoute) -> None:
    assert parse_route(join, watch) == intent


def test_the_words_for_a_friend_say_no_name() -> None:
    assert connect_words(ServerAddress("games", "ann")).join("K7QP") == "cartino connect games --join K7QP"
    listener = connect_words(ServerAddress("games.example.org", None, 2222))
    assert listener.join("K7QP") == "cartino connect games.example.org --port 2222 --join K7QP"


async def test_a_yes_leads_in_and_is_remembered_a_no_does_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with far_server(new_server(World())) as far:
        monkeypatch.setattr(terminal, "confirm_host_key", lambda unknown: False)
        with pytest.raises(CommandError, match=r"Not connected\."):
            await connect_first(caller_of(far, tmp_path, known=False))
        assert not (tmp_path / "known_hosts").exists()
        monkeypatch.setattr(terminal, "confirm_host_key", lambda unknown: True)
        (await connect_first(caller_of(far, tmp_path, known=False))).close()
        known = asyncssh.read_known_hosts(str(tmp_path / "known_hosts"))
        assert known.match("127.0.0.1", "", far.port)[0] == [far.key.convert_to_public()]
        (tmp_path / "known_hosts").unlink()
        (tmp_path / "known_hosts").mkdir()
        (await connect_first(caller_of(far, tmp_path, known=False))).close()
    assert "can't be saved" in capsys.readouterr().err


async def test_a_new_key_is_added_without_a_question_where_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "confirm_host_key", lambda unknown: pytest.fail("asked"))
    known = tmp_path / "known_hosts"
    async with far_server(new_server(World())) as far:
        here = ("127.0.0.1", far.port)
        settings = SshConfig("ann", *here, *here, (known,), (known,), (), new_host_keys="add")
        (await connect_first(Connector(settings, lambda _: ""))).close()
        (await Connector(settings, lambda _: "").call()).close()
        await far.shut()
        far.key = asyncssh.generate_private_key("ssh-ed25519")
        await far.open()
        with pytest.raises(ConnectRefused, match="has changed"):
            await connect_first(Connector(settings, lambda _: ""))
