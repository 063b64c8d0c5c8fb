"""Who logs in in ways that no program does: only a key that has signed says who it is, and nobody may try for long."""

import asyncio
import base64
import hashlib
import socket
from asyncio.trsock import TransportSocket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

import asyncssh
import pytest
from asyncssh.constants import MSG_USERAUTH_FAILURE, MSG_USERAUTH_REQUEST, MSG_USERAUTH_SUCCESS
from asyncssh.packet import Boolean, Byte, String, UInt32
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cartino_protocol.notices import Announced
from cartino_server.limits import SessionLimits
from cartino_server.ssh.authentication import MAX_ALGORITHM, MAX_UNUSABLE_KEYS, REQUESTS_PER_FAILURE
from cartino_server.ssh.listener import Listener
from tests.ssh.conftest import Connect, FakeReception, OpenSSH
from tests.support.raw_client import MSG_PK_OK, RawClient, knock, rsa_blob, until

ED = b"ssh-ed25519"
SK = b"sk-ssh-ed25519@openssh.com"
CERTIFICATE = b"ssh-ed25519-cert-v01@openssh.com"
MOST = SessionLimits().auth_attempts

Knock = Callable[[], Awaitable[RawClient]]


@pytest.fixture
async def stranger(listener: Listener) -> AsyncIterator[RawClient]:
    client = await knock(listener.port)
    yield client
    client.close()
    assert client.connecting is not None
    await client.connecting


@pytest.fixture(scope="module")
def stolen() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


@pytest.fixture(scope="module")
def own() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


async def person_of(client: RawClient, reception: FakeReception) -> str:
    assert client.connecting is not None
    await client.connecting
    await client.connection.run("games", encoding=None)
    [visitor] = reception.visitors
    assert visitor.guest == (not visitor.key)
    return visitor.key


async def explained(client: RawClient) -> str:
    """What a guest is told about their key; "" for nothing."""
    assert client.connecting is not None
    await client.connecting
    told = (await client.connection.run("games", encoding=None)).stderr
    assert isinstance(told, bytes)
    return told.decode()


async def test_a_key_that_has_signed_is_believed(
    stranger: RawClient, reception: FakeReception, own: asyncssh.SSHKey
) -> None:
    stranger.signs(b"eve", ED, own.public_data, lambda data: own.sign(data, ED))
    await stranger.hears(MSG_USERAUTH_SUCCESS)
    assert await person_of(stranger, reception) == own.get_fingerprint()


async def test_a_key_that_was_only_shown_is_not(
    stranger: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey
) -> None:
    stranger.shows(b"eve", ED, stolen.public_data)
    await stranger.hears(MSG_PK_OK)
    stranger.comes_as_guest()
    await stranger.hears(MSG_PK_OK, MSG_USERAUTH_SUCCESS)
    assert await person_of(stranger, reception) == ""


async def test_nor_is_it_in_one_breath(
    stranger: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey
) -> None:
    stranger.shows(b"eve", ED, stolen.public_data)
    stranger.comes_as_guest()
    stranger.shows(b"eve", ED, stolen.public_data)
    await until(lambda: MSG_USERAUTH_SUCCESS in stranger.kinds or stranger.is_over)
    if not stranger.is_over:
        stranger.comes_as_guest()
        assert await person_of(stranger, reception) == ""


async def test_nor_is_it_for_another_name(
    stranger: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey
) -> None:
    stranger.shows(b"victim", ED, stolen.public_data)
    await stranger.hears(MSG_PK_OK)
    stranger.tries(b"eve", b"none")
    await stranger.hears(MSG_PK_OK, MSG_USERAUTH_FAILURE)
    stranger.comes_as_guest()
    await stranger.hears(MSG_PK_OK, MSG_USERAUTH_FAILURE, MSG_USERAUTH_SUCCESS)
    assert await person_of(stranger, reception) == ""


async def test_a_key_beside_one_that_signs_is_not_believed(
    stranger: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey, own: asyncssh.SSHKey
) -> None:
    stranger.shows(b"eve", ED, stolen.public_data)
    stranger.signs(b"eve", ED, own.public_data, lambda data: own.sign(data, ED))
    await until(lambda: MSG_USERAUTH_SUCCESS in stranger.kinds)
    assert await person_of(stranger, reception) == own.get_fingerprint()


@pytest.mark.parametrize("junk", [b"", b"junk", String(ED) + String(b"x" * 64), String(b"x") * 2])
async def test_a_wrong_signature_is_no_way_in(
    stranger: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey, junk: bytes
) -> None:
    stranger.tries(b"eve", b"none")
    stranger.signs(b"eve", ED, stolen.public_data, lambda data: junk)
    await stranger.hears(MSG_USERAUTH_FAILURE, MSG_USERAUTH_FAILURE)
    stranger.comes_as_guest()
    await stranger.hears(MSG_USERAUTH_FAILURE, MSG_USERAUTH_FAILURE, MSG_USERAUTH_SUCCESS)
    assert await person_of(stranger, reception) == ""


async def test_anothers_key_with_ones_own_signature_is_no_way_in(
    stranger: RawClient, stolen: asyncssh.SSHKey, own: asyncssh.SSHKey
) -> None:
    stranger.signs(b"eve", ED, stolen.public_data, lambda data: own.sign(data, ED))
    await stranger.hears(MSG_USERAUTH_FAILURE)


async def test_what_was_signed_for_another_connection_is_no_way_in(
    listener: Listener, stranger: RawClient, own: asyncssh.SSHKey
) -> None:
    other, heard = await knock(listener.port), list[bytes]()

    def sign(data: bytes) -> bytes:
        heard.append(own.sign(data, ED))
        return heard[0]

    other.signs(b"eve", ED, own.public_data, sign)
    await other.hears(MSG_USERAUTH_SUCCESS)
    stranger.signs(b"eve", ED, own.public_data, lambda data: heard[0])
    await stranger.hears(MSG_USERAUTH_FAILURE)
    other.close()


async def test_nobody_has_no_name(stranger: RawClient, reception: FakeReception) -> None:
    stranger.comes_as_guest(b"")
    await stranger.hears(MSG_USERAUTH_SUCCESS)
    assert await person_of(stranger, reception) == ""
    assert reception.visitors[0].name == "guest"


async def test_an_empty_name_with_a_shown_key_is_a_guest(
    stranger: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey
) -> None:
    stranger.shows(b"", ED, stolen.public_data)
    stranger.comes_as_guest(b"")
    await until(lambda: MSG_USERAUTH_SUCCESS in stranger.kinds)
    assert await person_of(stranger, reception) == ""


async def test_three_thousand_tries_with_many_names_end_at_the_limit(stranger: RawClient) -> None:
    for number in range(3000):
        stranger.tries(b"name%d" % (number % 463), b"none")
    await until(lambda: stranger.is_over)
    # The first is what programs ask to learn the methods; the last that fails is answered by the end.
    assert stranger.is_cut_off()
    if not isinstance(stranger.why, ConnectionResetError):
        assert stranger.kinds == [MSG_USERAUTH_FAILURE] * MOST
        assert "Too many" in str(stranger.why)
    assert set(stranger.kinds) <= {MSG_USERAUTH_FAILURE}
    assert len(stranger.kinds) <= MOST


@pytest.mark.parametrize(
    "tries",
    [
        lambda client: client.tries(b"eve", b"password", Boolean(False), String(b"secret")),
        lambda client: client.tries(b"eve", b"hostbased", *(String(b"x"),) * 5),
        lambda client: client.tries(b"eve", b"gssapi-with-mic", UInt32(0)),
        lambda client: client.tries(b"eve", b"no such method"),
        lambda client: client.shows(b"eve", ED, String(ED) + String(b"x")),
    ],
)
async def test_every_failure_counts(stranger: RawClient, tries: Callable[[RawClient], None]) -> None:
    for _ in range(MOST + 1):
        tries(stranger)
    await until(lambda: stranger.is_over)
    assert stranger.kinds == [MSG_USERAUTH_FAILURE] * MOST


def certificates(count: int) -> list[bytes]:
    """Certificates as they are offered, each of another key."""
    authority = asyncssh.generate_private_key("ssh-ed25519")
    keys = [asyncssh.generate_private_key("ssh-ed25519") for _ in range(count)]
    return [authority.generate_user_certificate(key, "eve").public_data for key in keys]


async def test_an_agent_that_begins_with_certificates_locks_nobody_out(
    stranger: RawClient, reception: FakeReception, own: asyncssh.SSHKey
) -> None:
    stranger.tries(b"eve", b"none")
    offers = [(CERTIFICATE, blob) for blob in certificates(3 * MOST)]
    offers += [(b"ssh-dss", String(b"ssh-dss")), (b"ssh-rsa", rsa_blob(4096)), (b"made-up", String(b"x"))]
    for number, (kind, blob) in enumerate(offers, 2):
        stranger.shows(b"eve", kind, blob)
        await stranger.hears(*[MSG_USERAUTH_FAILURE] * number)
    stranger.signs(b"eve", ED, own.public_data, lambda data: own.sign(data, ED))
    await stranger.hears(*[MSG_USERAUTH_FAILURE] * (len(offers) + 1), MSG_USERAUTH_SUCCESS)
    assert await explained(stranger) == ""
    assert reception.visitors[0].key == own.get_fingerprint()


async def test_keys_that_cannot_be_used_are_not_offered_for_ever(stranger: RawClient) -> None:
    for _ in range(MAX_UNUSABLE_KEYS + 1):
        stranger.shows(b"eve", b"ssh-dss", String(b"ssh-dss"))
    await until(lambda: stranger.is_over)
    assert set(stranger.kinds) <= {MSG_USERAUTH_FAILURE}
    assert len(stranger.kinds) < MAX_UNUSABLE_KEYS


@pytest.mark.parametrize(
    ("kind", "blob", "fault"),
    [
        (b"ssh-dss", String(b"ssh-dss") + b"x", "ssh-dss"),
        (b"ssh-rsa", rsa_blob(4096), "RSA, SHA-1"),
        (b"rsa-sha2-512", rsa_blob(1024), "RSA, 1024 bits"),
        (CERTIFICATE, String(CERTIFICATE), CERTIFICATE.decode()),
        (b"", b"", "?"),
        (b"\x1b[2J", b"", "?[2J"),
        (b"x" * 1000, b"\0", "x" * MAX_ALGORITHM),
        (ED, String(ED) + String(b"x"), "ssh-ed25519"),
    ],
)
async def test_a_guest_with_a_key_that_cannot_be_used_is_known_as_one(
    stranger: RawClient, reception: FakeReception, kind: bytes, blob: bytes, fault: str
) -> None:
    stranger.shows(b"eve", kind, blob)
    await stranger.hears(MSG_USERAUTH_FAILURE)
    stranger.shows(b"eve", b"ssh-later", b"")
    await stranger.hears(*[MSG_USERAUTH_FAILURE] * 2)
    stranger.comes_as_guest()
    await until(lambda: MSG_USERAUTH_SUCCESS in stranger.kinds)
    assert await explained(stranger) == f"{Announced('guest', fault).words()}\n"
    assert reception.visitors[0].guest


async def test_so_is_one_whose_signature_is_wrong(
    stranger: RawClient, reception: FakeReception, own: asyncssh.SSHKey
) -> None:
    stranger.signs(b"eve", ED, own.public_data, lambda data: String(ED) + String(bytes(64)))
    await stranger.hears(MSG_USERAUTH_FAILURE)
    stranger.comes_as_guest()
    await until(lambda: MSG_USERAUTH_SUCCESS in stranger.kinds)
    assert "(ssh-ed25519, signature)" in await explained(stranger)
    assert reception.visitors[0].guest


async def test_keys_are_not_shown_for_ever(stranger: RawClient, stolen: asyncssh.SSHKey) -> None:
    for number in range(REQUESTS_PER_FAILURE * MOST):
        stranger.shows(b"eve", ED, stolen.public_data)
        await stranger.hears(*[MSG_PK_OK] * (number + 1))
    stranger.shows(b"eve", ED, stolen.public_data)
    await until(lambda: stranger.is_over)
    assert stranger.kinds == [MSG_PK_OK] * (REQUESTS_PER_FAILURE * MOST)


@pytest.mark.parametrize("name", [b"x" * 2000, "é".encode() * 600])
async def test_names_that_are_none_end_the_connection(
    stranger: RawClient, name: bytes, listener: Listener
) -> None:
    stranger.comes_as_guest(name)
    await until(lambda: stranger.is_over or MSG_USERAUTH_SUCCESS in stranger.kinds)
    assert stranger.is_over


@pytest.mark.parametrize("flags", [0, 1, 5], ids=["untouched", "touched", "with a PIN"])
async def test_the_first_key_of_a_security_key_is_its_owner(
    stranger: RawClient, reception: FakeReception, flags: int
) -> None:
    """A key made with `-O no-touch-required` signs untouched; the server can't know which one was made so."""

    private = Ed25519PrivateKey.generate()
    blob = String(SK) + String(private.public_key().public_bytes_raw()) + String(b"ssh:")

    def sign(data: bytes, flags: int) -> bytes:
        body = hashlib.sha256(b"ssh:").digest() + Byte(flags) + UInt32(7) + hashlib.sha256(data).digest()
        return String(SK) + String(private.sign(body)) + Byte(flags) + UInt32(7)

    stranger.signs(b"eve", SK, blob, lambda data: sign(data, flags))
    await stranger.hears(MSG_USERAUTH_SUCCESS)
    expected = asyncssh.import_public_key(SK + b" " + base64.b64encode(blob))
    assert await person_of(stranger, reception) == expected.get_fingerprint()


async def test_who_has_a_certificate_is_their_key_and_not_who_signed_it(
    connect: Connect, reception: FakeReception
) -> None:
    authority, key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    certificate = authority.generate_user_certificate(key, "eve", principals=["eve"])
    async with connect("eve", (key, certificate)) as connection:
        assert (await connection.run("games")).stdout == b"told\n"
    [visitor] = reception.visitors
    assert visitor.key == key.get_fingerprint()


TIGHTEST: Final = SessionLimits(input_rate=4096, input_burst=8192, login_grace=5)


@pytest.mark.parametrize("limits", [SessionLimits(), TIGHTEST])
async def test_several_keys_in_an_agent_are_no_attack(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path
) -> None:
    keys = []
    for number, kind in enumerate(["rsa", "rsa", "rsa", "rsa", "ed25519"]):
        path = tmp_path / f"id_{number}"
        size = ["-b", "1024"] if kind == "rsa" else []
        made = await openssh.program("ssh-keygen", "-q", "-t", kind, *size, "-N", "", "-f", str(path))
        assert made[0] == 0
        keys.append(path)
    flags = [flag for path in keys for flag in ("-o", f"IdentityFile={path}")]
    before = [*flags, "-o", "RequiredRSASize=1024"]
    assert (await openssh.run("games", before=before))[0] == 0
    [visitor] = reception.visitors
    assert visitor.key == asyncssh.read_public_key(f"{keys[-1]}.pub").get_fingerprint()


@pytest.mark.parametrize("sizes", [(2048, 3072, 4096)])
async def test_ordinary_rsa_keys_are_welcome(
    connect: Connect, reception: FakeReception, sizes: tuple[int, ...]
) -> None:
    key = asyncssh.generate_private_key("ssh-rsa", key_size=sizes[0])
    async with connect("ann", key) as connection:
        assert (await connection.run("games")).stdout == b"told\n"
    assert reception.visitors[0].key == key.get_fingerprint()


async def test_the_time_to_log_in_ends(host_key: asyncssh.SSHKey, reception: FakeReception) -> None:
    from cartino_server.ssh.listener import ListenerConfig
    from tests.support.open_gate import listen

    listener = await listen(ListenerConfig(port=0), host_key, reception, SessionLimits(login_grace=0.3))
    client = await knock(listener.port)
    await until(lambda: client.is_over)
    await listener.close()


async def test_a_key_that_arithmetic_breaks_at_is_refused(
    stranger: RawClient, monkeypatch: pytest.MonkeyPatch, own: asyncssh.SSHKey
) -> None:
    def explode(data: bytes) -> None:
        raise OverflowError

    monkeypatch.setattr("asyncssh.connection.decode_ssh_public_key", explode)
    stranger.shows(b"eve", ED, own.public_data)
    await stranger.hears(MSG_USERAUTH_FAILURE)
    await asyncio.sleep(0)
    assert not stranger.is_over


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("🙂🙂", "🙂🙂"),
        ("a\u200bn\u200dn", "a?n?n"),
        ("\u05d0a", "\u05d0a"),
        ("\u202e\x1b[2J", "??[2J"),
        ("\u200b", "?"),
        ("a\tb", "a?b"),
        ("a\x00\x07", "a??"),
        ("\x7f\x1b", "??"),
        ("é" * 500, "é" * 32),
    ],
)
async def test_whoever_has_a_name_of_signs_comes_in(
    stranger: RawClient, reception: FakeReception, own: asyncssh.SSHKey, user: str, name: str
) -> None:
    stranger.signs(user.encode(), ED, own.public_data, lambda data: own.sign(data, ED))
    await stranger.hears(MSG_USERAUTH_SUCCESS)
    assert await person_of(stranger, reception) == own.get_fingerprint()
    assert [visitor.name for visitor in reception.visitors] == [name]


async def test_so_does_who_has_one_in_bytes_that_are_no_text(
    stranger: RawClient, reception: FakeReception
) -> None:
    stranger.comes_as_guest("Zoë".encode("latin-1"))
    await stranger.hears(MSG_USERAUTH_SUCCESS)
    # Once one is in, one is who one was.
    stranger.comes_as_guest(b"adam")
    assert await person_of(stranger, reception) == ""
    assert [visitor.name for visitor in reception.visitors] == ["Zo"]


async def test_a_request_that_names_nobody_ends_it(stranger: RawClient) -> None:
    stranger.send(MSG_USERAUTH_REQUEST, UInt32(1000))
    await until(lambda: stranger.is_over)
    assert isinstance(stranger.why, asyncssh.DisconnectError)


async def test_bytes_that_come_after_a_login_was_ended_are_ignored(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections = list[asyncssh.SSHServerConnection]()
    made = asyncssh.SSHServerConnection.connection_made

    def note(self: asyncssh.SSHServerConnection, transport: asyncio.BaseTransport) -> None:
        connections.append(self)
        made(self, transport)

    monkeypatch.setattr(asyncssh.SSHServerConnection, "connection_made", note)
    stranger = await knock(listener.port)
    (connection,) = connections
    connection.abort()
    connection.data_received(b"late")
    await until(lambda: stranger.is_over)


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="Linux has this option")
async def test_what_a_login_sends_is_acknowledged_at_once(
    connect: Connect, own: asyncssh.SSHKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSSH doesn't send its key exchange, nor ask to log in, until its packet before is acknowledged."""
    acknowledged = []
    set_option = TransportSocket.setsockopt

    def count(self: TransportSocket, level: int, option: int, value: int) -> None:
        if (level, option) == (socket.IPPROTO_TCP, socket.TCP_QUICKACK):
            acknowledged.append(value)
        set_option(self, level, option, value)

    monkeypatch.setattr(TransportSocket, "setsockopt", count)
    async with connect(key=own) as client:
        # The versions, the key exchange, the new keys with the service, and the key twice, perhaps in fewer pieces.
        assert 4 <= len(acknowledged) <= 8
        assert set(acknowledged) == {1}
        acknowledged.clear()
        await client.run("games")
    assert not acknowledged
