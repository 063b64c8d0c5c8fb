import asyncio
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.constants import OPEN_RESOURCE_SHORTAGE
from structlog.testing import capture_logs

from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.rate_limit import TokenBucket
from cartino_server.ssh import connection as connection_module
from cartino_server.ssh.authentication import display_name
from cartino_server.ssh.connection import (
    MAX_ENDING_SESSIONS,
    SESSION_BURST,
    SESSIONS_PER_SECOND,
    TOO_MANY_SESSIONS,
)
from cartino_server.ssh.listener import Listener
from tests.ssh.conftest import SHARED, Connect, FakeReception, Guest, OpenSSH, until
from tests.support.nasty import NASTY, faults_of


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("ann", "ann"),
        ("Léa B", "Léa B"),
        ("", "guest"),
        ("\x1b[2J\x07", "?[2J?"),
        ("\x00\u200b\u202e ", "???"),
        ("x" * 500, "x" * 32),
        (r"DESKTOP-A1B2C3D\ann", "ann"),
        (r"contoso\ann", "ann"),
        (r"AzureAD\AnnSmith", "AnnSmith"),
        (r"AzureAD\ann.smith@contoso.com", "ann.smith"),
        ("CONTOSO+ann", "ann"),
        ("ann@CONTOSO.LOCAL", "ann"),
        ("ann@contoso.com@jump.contoso.com", "ann"),
        ("ann%CONTOSO", "ann"),
        ("ann%10.0.0.1%22", "ann"),
        ("CONTOSO\\ann\n@x", "ann?"),
        (r"CONTOSO\DESKTOP-A1B2C3D$", "guest"),
        ("CONTOSO\\", "guest"),
        ("@contoso.com", "guest"),
        ("CONTOSO/ann", "ann"),
        ("contoso:ann", "ann"),
        ("ann!contoso", "ann"),
        ("ann/admin@CONTOSO.LOCAL", "ann"),
        ("uid=ann,ou=people,dc=contoso,dc=com", "ann"),
        ("CN=Ann Smith,OU=Games,DC=contoso", "Ann Smith"),
        ("ann＠CONTOSO.LOCAL", "ann"),
        ("CONTOSO＼ann", "ann"),
        ("ann.smith+games", "ann.smith"),
        ("ann.smith+games@contoso.com", "ann.smith"),
        ("ann+", "ann"),
        ("+ann", "ann"),
        ("CONTOSO+ann+games", "ann"),
        ("Ann Smith-Jones_2", "Ann Smith-Jones_2"),
        ("ann.o'neil-b_c", "ann.o'neil-b_c"),
    ],
)
def test_the_name_that_others_see(user: str, name: str) -> None:
    assert display_name(user) == name


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_no_name_is_unclean(nasty: str) -> None:
    assert faults_of(display_name(nasty), 32) == []


async def test_the_ssh_program_with_a_key_is_known_by_it(
    openssh: OpenSSH, reception: FakeReception, user_key: Path
) -> None:
    for _ in range(2):
        assert (await openssh.run("games", key=user_key))[0] == 0
    first, second = reception.visitors
    assert first.person == asyncssh.read_public_key(f"{user_key}.pub").get_fingerprint()
    assert second.person == first.person
    assert second.id != first.id
    assert (first.name, first.guest) == ("ann", False)


async def test_the_ssh_program_without_a_key_is_a_guest_and_asked_nothing(
    openssh: OpenSSH, reception: FakeReception
) -> None:
    status, out, err = await openssh.run("games", name="bob")
    assert (status, out, err) == (0, "told\n", "")
    await openssh.run("games", name="bob")
    first, second = reception.visitors
    assert first.guest
    assert first.name == "bob"
    assert first.person.startswith("guest:")
    assert first.person != second.person


@pytest.mark.parametrize(
    ("limits", "source"),
    [(SessionLimits(), "127.0.0.1"), (SessionLimits(exempt=("192.0.2.0/24", "127.0.0.0/8")), "")],
)
async def test_where_visitors_come_from_is_known_but_where_many_do_who_are_not_one(
    openssh: OpenSSH, reception: FakeReception, source: str
) -> None:
    assert (await openssh.run("games"))[0] == 0
    assert [visitor.source for visitor in reception.visitors] == [source]


async def test_a_person_without_a_key_sees_no_question(openssh: OpenSSH) -> None:
    screen = openssh.screen()
    await screen.shows("face")
    assert "assword" not in screen.text()


class Impostor(Guest):
    """Offers a key that isn't theirs and signs with another one; then comes in as anybody may."""

    def __init__(self, stolen: asyncssh.SSHKey, own: asyncssh.SSHKey) -> None:
        self._pairs = [asyncssh.load_keypairs([key])[0] for key in (stolen, own)]
        self.signed = 0

    def public_key_auth_requested(self) -> Any:
        if not self._pairs:
            return None
        shown, own = self._pairs
        self._pairs = []

        def sign(data: bytes) -> bytes:
            self.signed += 1
            return own.sign(data)

        shown.sign = sign  # type: ignore[method-assign]
        return shown


@pytest.mark.parametrize("signs", [True, False])
async def test_who_only_shows_anothers_key_is_a_guest(
    listener: Listener, reception: FakeReception, monkeypatch: pytest.MonkeyPatch, signs: bool
) -> None:
    stolen, own = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    impostor = Impostor(stolen, own)
    skipped: list[object] = []

    async def skip(auth: Any) -> None:
        skipped.append(auth)
        auth._conn.try_next_auth()

    if not signs:
        monkeypatch.setattr("asyncssh.auth._ClientPublicKeyAuth._send_signed_request", skip)
    async with asyncssh.connect(
        "127.0.0.1",
        listener.port,
        config=None,
        username="eve",
        known_hosts=None,
        client_keys=[],
        client_factory=lambda: impostor,
        agent_path=None,
    ) as connection:
        await connection.run("games")
    assert (impostor.signed, len(skipped)) == ((1, 0) if signs else (0, 1))
    [visitor] = reception.visitors
    assert visitor.guest
    assert visitor.person not in {stolen.get_fingerprint(), own.get_fingerprint()}


async def test_nothing_tried_is_no_way_in(connect: Connect) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(preferred_auth="password"):
            pass


async def open_face(connection: asyncssh.SSHClientConnection) -> asyncssh.SSHClientProcess[bytes]:
    process = await connection.create_process(term_type="xterm", term_size=(80, 24), encoding=None)
    assert (await process.stdout.readline()) == b"face\r\n"
    return process


async def test_one_answer_after_the_other_on_one_connection(connect: Connect) -> None:
    async with connect() as connection:
        for _ in range(SESSION_BURST):
            assert (await connection.run("games")).stdout == b"told\n"


async def test_sessions_that_follow_each_other_too_fast_are_refused_and_the_connection_stays(
    connect: Connect, reception: FakeReception
) -> None:
    with capture_logs() as logs:
        async with connect() as connection, connect("bob") as other:
            told = 0
            with pytest.raises(asyncssh.ChannelOpenError, match=TOO_MANY_SESSIONS) as refused:  # noqa: PT012 - whichever
                # Far more than may come in the time that it takes.
                for _ in range(40 * SESSION_BURST):
                    assert (await connection.run("games")).stdout == b"told\n"
                    told += 1
            assert refused.value.code == OPEN_RESOURCE_SHORTAGE
            assert told >= SESSION_BURST
            assert (await other.run("games")).stdout == b"told\n"
            await until_it_opens(connection)
    assert len(reception.visitors) == told + 2
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []


async def until_it_opens(connection: asyncssh.SSHClientConnection) -> None:
    """Ask for a session until there is one, as somebody does who was told to wait a second."""
    async with asyncio.timeout(40):
        while True:
            try:
                await connection.run("games")
            except asyncssh.ChannelOpenError:
                await asyncio.sleep(1)
            else:
                return


def test_who_asks_every_second_over_one_connection_is_never_refused() -> None:
    openings = TokenBucket(SESSIONS_PER_SECOND, SESSION_BURST, now=0)
    assert all(openings.take_tokens(1, second) for second in range(3600))


async def test_openssh_comes_by_a_connection_of_its_own_where_the_shared_one_refuses(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "SESSION_BURST", 3)
    monkeypatch.setattr(connection_module, "SESSIONS_PER_SECOND", 1e-6)
    shared = ["-S", str(tmp_path / "way")]
    master = openssh.screen("-M", "-N", *shared)
    await until((tmp_path / "way").exists)
    for _ in range(3):
        assert await openssh.run("games", before=shared) == (0, "told\n", "")
    status, out, err = await openssh.run("games", before=shared)
    assert (status, out) == (0, "told\n")
    assert "Session open refused by peer" in err
    assert not master.ended
    assert len({visitor.connection for visitor in reception.visitors}) == 2


@SHARED
async def test_an_answer_beside_an_open_face(connect: Connect, reception: FakeReception) -> None:
    async with connect() as connection:
        process = await open_face(connection)
        for _ in range(5):
            assert (await connection.run("games")).stdout == b"told\n"
        process.stdin.write(b"x")
        [face] = reception.faces
        await until(lambda: face.told == [b"x"])
        face.over.set()
        await process.wait_closed()
        assert process.exit_status == 0


@SHARED
async def test_a_shared_connection_of_the_ssh_program(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path
) -> None:
    screen = openssh.screen("-M", "-S", str(tmp_path / "way"))
    await screen.shows("face")
    for _ in range(3):
        status, out, err = await openssh.run("games", before=["-S", str(tmp_path / "way")])
        assert (status, out, err) == (0, "told\n", "")
    assert len({visitor.person for visitor in reception.visitors}) == 1, "all came by one connection"


@SHARED
async def test_there_is_an_end_to_how_much_runs_on_one_connection(
    connect: Connect, reception: FakeReception
) -> None:
    async with connect() as connection:
        processes = [await open_face(connection) for _ in range(4)]
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.run("games")
        reception.faces[0].over.set()
        await processes[0].wait_closed()
        assert (await connection.run("games")).stdout == b"told\n"
        # Another connection is another person's, or theirs: it has its own.
        async with connect() as other:
            assert (await other.run("games")).stdout == b"told\n"


async def test_who_never_closes_a_channel_gets_no_more_of_them(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect() as connection:
        with monkeypatch.context() as mocks:
            # A client that has all that was sent, and keeps its side of the channel open.
            mocks.setattr(asyncssh.SSHClientChannel, "_close_send", lambda _: None)
            for _ in range(MAX_ENDING_SESSIONS):
                process = await connection.create_process("games", encoding=None)
                assert (await process.stdout.read()) == b"told\n"
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.create_process("games")
        connection.abort()


@SHARED
async def test_a_session_that_opens_on_a_full_way_begins_stalled(
    connect: Connect, reception: FakeReception
) -> None:
    async with connect() as connection:
        await open_face(connection)
        owner = reception.terminals[0]._connection.get_owner()  # type: ignore[attr-defined]
        owner.sessions.fills()
        process = await connection.create_process(term_type="xterm", term_size=(80, 24), encoding=None)
        await until(lambda: len(reception.faces) == 2)
        assert [face.told for face in reception.faces] == [["stall"], ["stall"]]
        owner.sessions.empties()
        assert [face.told for face in reception.faces] == [["stall", "drained"]] * 2
        process.close()


@SHARED
async def test_everybody_on_a_connection_is_dismissed(connect: Connect, listener: Listener) -> None:
    async with connect() as connection:
        processes = [await open_face(connection) for _ in range(2)]
        closing = asyncio.create_task(listener.close(LazyMessage("The server is closing.")))
        for process in processes:
            await process.wait_closed()
            assert process.exit_status == BROKEN_OFF
            assert await process.stdout.read() == b"The server is closing.\r\n"
        connection.close()
        await closing
