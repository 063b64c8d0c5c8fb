"""The hosts' socket: its owner's alone, and whoever hangs, floods or talks nonsense there is alone with it."""

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from cartino_protocol.wire import frame_bytes
from cartino_server.admin import socket as module
from cartino_server.admin.socket import (
    MAX_CONNECTIONS,
    MAX_REQUEST_BYTES,
    SOCKET_FILE,
    AdminReply,
    AdminRequest,
    AdminSocket,
    connect_socket,
    create_socket,
    decode_message,
    encode_message,
    is_allowed,
    open_admin_socket,
    peer_uid,
)
from cartino_server.visitors import Reply
from cartino_tui.i18n import Translator, translator_for


async def echo(who: str, words: Sequence[str], translator: Translator, begin: str) -> Reply:
    """Says what it was asked; breaks at "boom", and never ends at "wait"."""
    if words == ("boom",):
        raise RuntimeError("boom")
    if words == ("wait",):
        await asyncio.Event().wait()
    return Reply(
        f"{who}: {' '.join(words)} ({'de' if translator is translator_for('de') else 'en'}, {begin})",
        status=3,
    )


@pytest.fixture
async def admin_socket(tmp_path: Path) -> AsyncIterator[AdminSocket]:
    opened = open_admin_socket(tmp_path, echo)
    assert opened is not None
    yield opened
    await opened.close()


async def says(data: Path, raw: bytes) -> bytes:
    """Send `raw`; all that comes back until the server closes."""
    reader, writer = await asyncio.open_unix_connection(sock=connect_socket(data, 5))
    writer.write(raw)
    try:
        return await asyncio.wait_for(reader.read(), 20)
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def asks(data: Path, *words: str, **env: str) -> AdminReply:
    answer = await says(data, frame_bytes(encode_message(AdminRequest(words, env))))
    return decode_message(answer[4:], AdminReply)


async def test_a_host_is_answered_in_their_language_and_known_by_their_user(
    admin_socket: AdminSocket, tmp_path: Path
) -> None:
    told = await asks(tmp_path, "who", "else", LANG="de_DE.UTF-8")
    assert told == AdminReply(f"uid {os.getuid()}: who else (de, cartino admin)", "", 3)


async def test_the_socket_is_its_owners_alone(admin_socket: AdminSocket, tmp_path: Path) -> None:
    assert (tmp_path / SOCKET_FILE).stat().st_mode & 0o777 == 0o600
    await admin_socket.close()
    assert not (tmp_path / SOCKET_FILE).exists()


def test_it_is_never_open_to_others_not_even_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(os, "chmod", lambda path, _: seen.append(os.stat(path).st_mode & 0o777))
    before = os.umask(0)
    try:
        create_socket(tmp_path).close()
    finally:
        os.umask(before)
    assert seen == [0o600]


@pytest.mark.parametrize(
    ("peer", "own", "may"),
    [(1000, 1000, True), (0, 1000, True), (1001, 1000, False), (None, 1000, False), (65534, 0, False)],
)
def test_only_the_same_user_and_root_may_ask(peer: int | None, own: int, may: bool) -> None:
    assert is_allowed(peer, own) is may


async def test_another_user_is_turned_away_unheard(
    admin_socket: AdminSocket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "peer_uid", lambda _: os.getuid() + 1)
    monkeypatch.setattr(module, "is_allowed", lambda peer, own: peer == own)
    with capture_logs() as logs:
        assert await says(tmp_path, frame_bytes(encode_message(AdminRequest(("who",))))) == b""
    assert [line["log_level"] for line in logs] == ["warning"]


async def test_whatever_breaks_at_one_the_next_is_answered(
    admin_socket: AdminSocket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deaf:
        def error(self, *_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

    def broken(_: socket.socket) -> int:
        raise RuntimeError("boom")

    with monkeypatch.context() as mocks:
        mocks.setattr(module, "peer_uid", broken)
        mocks.setattr(module, "_log", Deaf())
        assert await says(tmp_path, frame_bytes(encode_message(AdminRequest(("who",))))) == b""
    assert (await asks(tmp_path, "who")).status == 3


def test_the_system_says_who_is_there() -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert peer_uid(here) == os.getuid()


def test_where_the_system_does_not_say_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "SO_PEERCRED")
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert peer_uid(here) is None


def test_what_a_dead_server_left_is_replaced_and_what_is_no_socket_is_not(tmp_path: Path) -> None:
    create_socket(tmp_path).close()
    assert (tmp_path / SOCKET_FILE).exists()
    create_socket(tmp_path).close()
    (tmp_path / SOCKET_FILE).unlink()
    (tmp_path / SOCKET_FILE).write_text("mine")
    with pytest.raises(FileExistsError):
        create_socket(tmp_path)
    with capture_logs() as logs:
        assert open_admin_socket(tmp_path, echo) is None
    assert logs[0]["log_level"] == "error"
    assert logs[0]["mend"] == "move admin.sock away, then restart the server"
    assert (tmp_path / SOCKET_FILE).read_text() == "mine"


async def test_a_long_way_to_the_data_is_no_obstacle(tmp_path: Path) -> None:
    data = tmp_path / ("d" * 120)
    data.mkdir()
    opened = open_admin_socket(data, echo)
    assert opened is not None
    assert (await asks(data, "who")).status == 3
    await opened.close()


NONSENSE = [
    b"",
    b"\x00",
    b"\x00\x00\x00\x05ab",
    struct.pack(">I", MAX_REQUEST_BYTES + 1) + b"x" * 10,
    b"\xff\xff\xff\xff",
    frame_bytes(b""),
    frame_bytes(b"\xc1"),
    frame_bytes(b"\x81\xa4type\xa5Asked"),
    frame_bytes(encode_message(AdminReply("", "", 0))),
    frame_bytes(encode_message(AdminRequest(("x" * 5000,)))),
    frame_bytes(encode_message(AdminRequest(("x",) * 300))),
    frame_bytes(encode_message(AdminRequest((), {str(n): "" for n in range(10)}))),
    frame_bytes(b"\xdf\xff\xff\xff\xff"),
    frame_bytes(b"\x91" * 5000),
    b"SSH-2.0-x\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
]


@pytest.mark.parametrize("raw", NONSENSE)
async def test_nonsense_gets_no_answer_and_harms_nobody(
    admin_socket: AdminSocket, tmp_path: Path, raw: bytes
) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=connect_socket(tmp_path, 5))
    writer.write(raw)
    writer.write_eof()
    with suppress(ConnectionError):
        assert await asyncio.wait_for(reader.read(), 20) == b""
    writer.close()
    assert (await asks(tmp_path, "who")).status == 3


async def test_what_breaks_in_the_server_breaks_one_question(
    admin_socket: AdminSocket, tmp_path: Path
) -> None:
    with capture_logs() as logs:
        assert await says(tmp_path, frame_bytes(encode_message(AdminRequest(("boom",))))) == b""
    assert [line["event"] for line in logs] == ["admin request crashed"]
    assert (await asks(tmp_path, "who")).status == 3


async def test_who_hangs_is_let_go_and_blocks_nobody(
    admin_socket: AdminSocket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = connect_socket(tmp_path, 5)
    half = connect_socket(tmp_path, 5)
    half.send(b"\x00\x00")
    assert (await asks(tmp_path, "who")).status == 3
    monkeypatch.setattr(module, "REQUEST_SECONDS", 0.0)
    late = connect_socket(tmp_path, 5)
    loop = asyncio.get_running_loop()
    late.setblocking(False)
    assert await asyncio.wait_for(loop.sock_recv(late, 1), 20) == b""
    for each in (silent, half, late):
        each.close()


async def test_of_too_many_the_last_is_turned_away(admin_socket: AdminSocket, tmp_path: Path) -> None:
    hanging = []
    for _ in range(MAX_CONNECTIONS):
        client = connect_socket(tmp_path, 5)
        client.send(frame_bytes(encode_message(AdminRequest(("wait",)))))
        hanging.append(client)
    assert await says(tmp_path, frame_bytes(encode_message(AdminRequest(("who",))))) == b""
    for client in hanging:
        client.close()
    await admin_socket.close()


async def test_an_answer_that_nobody_takes_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def long(*_: object) -> Reply:
        return Reply("x" * 5_000_000)

    opened = open_admin_socket(tmp_path, long)
    assert opened is not None
    client = connect_socket(tmp_path, 5)
    client.send(frame_bytes(encode_message(AdminRequest(("who",)))))
    with capture_logs() as logs:
        monkeypatch.setattr(module, "CLOSE_SECONDS", 0)
        await opened.close()
    client.close()
    assert not [line for line in logs if line["log_level"] == "error"]


async def test_a_disk_without_sockets_is_logged_and_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chmod", refuse)
    with capture_logs() as logs:
        assert open_admin_socket(tmp_path, echo) is None
    (line,) = logs
    assert (line["why"], line["without"]) == ("Operation not permitted", "cartino admin, cartino health")
    assert line["mend"] == "use a data directory on a local disk, then restart the server"
    assert list(tmp_path.iterdir()) == []
