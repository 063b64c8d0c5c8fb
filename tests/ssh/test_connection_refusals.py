"""What the real ssh, sftp and scp may ask for and don't get; who asked is told, and plays on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cartino_server.ssh.listener import Listener
from tests.ssh.conftest import FakeReception, OpenSSH, until
from tests.support.ports import own_port


@pytest.fixture
async def secret() -> AsyncIterator[tuple[int, list[bytes]]]:
    """A service beside the server that nobody may reach through it: its port, and who reached it."""
    reached: list[bytes] = []

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(b"")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], reached
    server.close()


@pytest.mark.parametrize("how", ["-L", "-D"])
async def test_nothing_is_reached_through_the_server(
    openssh: OpenSSH, secret: tuple[int, list[bytes]], how: str
) -> None:
    port, reached = secret
    here = own_port()
    asked = f"{here}:127.0.0.1:{port}" if how == "-L" else str(here)
    screen = openssh.screen(how, asked)
    await screen.shows("face")
    reader, writer = await asyncio.open_connection("127.0.0.1", here)
    if how == "-D":
        writer.write(b"\x05\x01\x00" + b"\x05\x01\x00\x01\x7f\x00\x00\x01" + port.to_bytes(2, "big"))
    async with asyncio.timeout(40):
        await reader.read()
    writer.close()
    assert reached == []
    assert not screen.ended


@pytest.mark.parametrize("asked", ["0:127.0.0.1:22", "/no-such-place:127.0.0.1:22"])
async def test_the_server_listens_for_nobody(openssh: OpenSSH, asked: str) -> None:
    before = ["-R", asked, "-o", "ExitOnForwardFailure=yes"]
    status, out, _ = await openssh.run("games", before=before)
    assert (status, out) == (255, "")
    assert (await openssh.run("games", before=["-R", asked]))[:2] == (0, "told\n")


@pytest.mark.parametrize(
    "before",
    [
        ["-A"],
        ["-X"],
        ["-Y"],
        ["-C"],
        ["-o", "Compression=yes"],
        ["-o", "SendEnv=PATH HOME"],
        ["-o", "SetEnv=LD_PRELOAD=/x.so"],
        ["-o", "PermitLocalCommand=no", "-o", "Tunnel=ethernet"],
        ["-o", "UpdateHostKeys=yes"],
        ["-o", "GSSAPIAuthentication=yes"],
        ["-o", "PreferredAuthentications=password,keyboard-interactive"],
    ],
)
async def test_who_asks_for_more_gets_what_there_is(
    openssh: OpenSSH, reception: FakeReception, before: list[str]
) -> None:
    status, out, _ = await openssh.run("games", before=before)
    assert (status, out) == (0, "told\n")
    assert reception.visitors[0].env.keys() <= {"LANG"}


@pytest.mark.parametrize("program", ["sftp", "scp", "old scp"])
async def test_there_are_no_files(
    openssh: OpenSSH, listener: Listener, tmp_path: Path, program: str, reception: FakeReception
) -> None:
    at, target = openssh.command("127.0.0.1").index("-p"), tmp_path / "stolen"
    flags = openssh.command()[1:at]
    flags = [flag for flag in flags if flag not in ("-F", "none")]
    source = ["-F", "none", *flags, "-P", str(listener.port), "ann@127.0.0.1:/etc/passwd", str(target)]
    words = {"sftp": ["sftp"], "scp": ["scp"], "old scp": ["scp", "-O"]}[program]
    status, _, err = await openssh.program(*words, *source)
    assert status != 0
    if program == "old scp":
        assert reception.words == [["scp", "-f", "/etc/passwd"]]
    else:
        assert "subsystem request failed" in err
    assert not target.exists()


async def test_the_words_of_a_shell_are_words(openssh: OpenSSH, reception: FakeReception) -> None:
    await openssh.run("games;", "cat", "/etc/passwd", "|", "$(id)", "`id`", "&&", "ls")
    assert reception.words == [["games;", "cat", "/etc/passwd", "|", "$(id)", "`id`", "&&", "ls"]]


async def test_a_second_ssh_on_a_shared_connection_gets_one_of_its_own(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path
) -> None:
    """The one session of the connection is somebody's table."""
    shared = ["-o", "ControlMaster=auto", "-o", f"ControlPath={tmp_path / 'way'}"]
    screen = openssh.screen(*shared)
    await screen.shows("face")
    for _ in range(3):
        status, out, _ = await openssh.run("games", before=shared)
        assert (status, out) == (0, "told\n")
    assert len({visitor.connection for visitor in reception.visitors}) == 4
    assert not screen.ended
    reception.faces[0].over.set()
    assert await screen.exit_code() == 0


async def test_who_insists_on_compression_is_told(openssh: OpenSSH, listener: Listener) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    writer.write(b"SSH-2.0-x\r\n")
    await reader.readline()
    lists = [
        *(b"curve25519-sha256", b"ssh-ed25519", b"aes128-gcm@openssh.com", b"aes128-gcm@openssh.com"),
        *(b"hmac-sha2-256-etm@openssh.com", b"hmac-sha2-256-etm@openssh.com", b"zlib", b"zlib", b"", b""),
    ]
    payload = b"\x14" + bytes(16) + b"".join(len(each).to_bytes(4, "big") + each for each in lists) + bytes(5)
    padding = 8 - (len(payload) + 5) % 8 + 4
    padding += -(len(payload) + 5 + padding) % 8
    writer.write(
        (len(payload) + padding + 1).to_bytes(4, "big") + bytes([padding]) + payload + bytes(padding)
    )
    async with asyncio.timeout(40):
        said = await reader.read()
    assert b"No matching compression algorithm found" in said
    writer.close()
    assert (await openssh.run("games"))[0] == 0


async def test_a_face_lives_on_beside_refusals(openssh: OpenSSH, reception: FakeReception) -> None:
    screen = openssh.screen("-A", "-C", "-R", "0:127.0.0.1:22")
    await screen.shows("face")
    screen.child.send("x")
    await until(lambda: b"x" in reception.faces[0].told)
