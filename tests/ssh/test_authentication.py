"""Only a key that has signed says who a client is, nobody may try for long, and no session runs before the verdict."""

import asyncio
import base64
import hashlib
import socket
import struct
from asyncio.trsock import TransportSocket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.constants import (
    DISC_BY_APPLICATION,
    MSG_DISCONNECT,
    MSG_USERAUTH_FAILURE,
    MSG_USERAUTH_REQUEST,
    MSG_USERAUTH_SUCCESS,
)
from asyncssh.packet import Boolean, Byte, MPInt, String, UInt32
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from structlog.testing import capture_logs

from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.notices import Announced
from cartino_protocol.text import LazyMessage
from cartino_server.limits import AdmissionLimits, SessionLimits
from cartino_server.ssh import connection as connection_module
from cartino_server.ssh.admission import AdmissionControl, AdmissionRefused, Admitted, Held
from cartino_server.ssh.authentication import (
    KEY_TYPES,
    LOGIN_FAILED,
    MAX_ALGORITHM,
    MAX_KEY_BYTES,
    MAX_UNUSABLE_KEYS,
    REQUESTS_PER_FAILURE,
    SIGNATURE_ALGORITHMS,
    LoginTracker,
    ending_of,
    is_accepted_key,
    is_accepted_signature,
)
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.rejection import disconnect_packet
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply
from tests.ssh.conftest import Connect, FakeReception, Guest, OpenSSH, until
from tests.support.open_gate import RecordingAdmission, listen
from tests.support.raw_client import MSG_PK_OK, RawClient, connect_raw, rsa_blob

ED = b"ssh-ed25519"
SK = b"sk-ssh-ed25519@openssh.com"
CERTIFICATE = b"ssh-ed25519-cert-v01@openssh.com"
MOST = SessionLimits().auth_attempts
FAILURE, SUCCESS = MSG_USERAUTH_FAILURE, MSG_USERAUTH_SUCCESS


class Keeper:
    """Judges as `verdict` says, once it may."""

    def __init__(self) -> None:
        self.may_judge = asyncio.Event()
        self.may_judge.set()
        self.verdict: Callable[[LoginRequest], LoginResult] = lambda newcomer: LoginResult(
            newcomer.key or "guest:x"
        )
        self.came: list[LoginRequest] = []
        self.gone: list[int] = []

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        self.came.append(newcomer)
        await self.may_judge.wait()
        return self.verdict(newcomer)

    def forget_connection(self, connection: int) -> None:
        self.gone.append(connection)


@pytest.fixture
async def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def admission() -> RecordingAdmission:
    return RecordingAdmission()


@pytest.fixture
async def listener(
    host_key: asyncssh.SSHKey,
    reception: FakeReception,
    keeper: Keeper,
    admission: RecordingAdmission,
    limits: SessionLimits,
) -> AsyncIterator[Listener]:
    logins = LoginTracker(keeper, admission)
    listener = await listen(ListenerConfig(port=0), host_key, reception, limits, logins)
    yield listener
    await listener.close()


@pytest.fixture
async def client(listener: Listener) -> AsyncIterator[RawClient]:
    client = await connect_raw(listener.port)
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


# -- keys, signatures and endings by themselves


@pytest.mark.parametrize(
    "kind", ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa"]
)
def test_common_keys_and_their_signatures_are_accepted(kind: str) -> None:
    key = asyncssh.generate_private_key(kind)
    assert is_accepted_key(key.public_data)
    ways = [way for way in key.sig_algorithms if way.decode() in SIGNATURE_ALGORITHMS]
    assert ways
    assert all(is_accepted_signature(key.sign(b"data", way)) for way in ways)


@pytest.mark.parametrize(
    "blob", [String(SK) + String(b"x" * 32) + String(b"ssh:"), *map(rsa_blob, (2048, 3072, 16_384))]
)
def test_security_keys_and_rsa_keys_of_these_sizes_are_accepted(blob: bytes) -> None:
    assert is_accepted_key(blob)


@pytest.mark.parametrize(
    "blob",
    [
        *(b"", b"\0\0\0", b"\xff" * 40, String(b""), String(b"ssh-rsa")),
        String(b"ssh-rsa") + String(b"\1\0\1") + b"\0\0\1",
        String(b"ssh-rsa") + MPInt(65537) + MPInt(-(1 << 2047)),
        String(b"ssh-rsa") + MPInt(65537) + MPInt(1 << 2047),
        *map(rsa_blob, (2047, 16_385, 200_000)),
        *(rsa_blob(2048, exponent=exponent) for exponent in (1, 65536, (1 << 64) | 1, (1 << 2040) | 1)),
        String(CERTIFICATE) + String(b"x" * 32),
        String(b"x509v3-ssh-rsa") + String(b"x"),
        String(b"ssh-ed25519") + b"x" * MAX_KEY_BYTES,
        asyncssh.generate_private_key("ssh-dss").public_data,
    ],
)
def test_keys_that_cost_too_much_or_are_none_are_not(blob: bytes) -> None:
    assert not is_accepted_key(blob)
    assert not any(b"cert" in kind for kind in KEY_TYPES)


@pytest.mark.parametrize(
    "signature",
    [
        *(b"", b"\0\0\0", String(b""), String(b"\xff")),
        *(String(b"ssh-rsa") + String(b"x"), String(b"ssh-dss") + MPInt(5)),
    ],
)
def test_other_signatures_are_not(signature: bytes) -> None:
    assert not is_accepted_signature(signature)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (None, "done"),
        (asyncssh.ConnectionLost("gone"), "lost"),
        (OSError(), "lost"),
        (asyncssh.ProtocolError("noise"), "protocol"),
        (asyncssh.DisconnectError(11, "goodbye"), "done"),
        (asyncssh.DisconnectError(13, "cancelled"), "done"),
        (asyncssh.HostKeyNotVerifiable("who are you"), "done"),
        (asyncssh.DisconnectError(2, "noise"), "protocol"),
        (asyncssh.KeyExchangeFailed("nothing in common"), "mismatch"),
        (UnicodeDecodeError("ascii", b"\xe9", 0, 1, "no text"), "protocol"),
        (RuntimeError("boom"), "crashed"),
    ],
)
def test_each_error_is_an_ending(error: Exception | None, why: Ending) -> None:
    assert ending_of(error) == why


# -- who is believed: a history of what the client does, with what it hears


async def person_of(client: RawClient, reception: FakeReception) -> str:
    """Return the key of the visitor that the client has become, "" for a guest."""
    assert client.connecting is not None
    await client.connecting
    await client.connection.run("games", encoding=None)
    [visitor] = reception.visitors
    assert visitor.guest == (not visitor.key)
    return visitor.key


async def explained(client: RawClient) -> str:
    """Return what a guest is told about their key; "" for nothing."""
    assert client.connecting is not None
    await client.connecting
    text = (await client.connection.run("games", encoding=None)).stderr
    assert isinstance(text, bytes)
    return text.decode()


Step = Callable[[RawClient, asyncssh.SSHKey, asyncssh.SSHKey], object]


def shows(name: bytes = b"eve") -> Step:
    return lambda client, stolen, own: client.shows(name, ED, stolen.public_data)


def signs(sign: Callable[[asyncssh.SSHKey, bytes], bytes] | None = None, *, with_own: bool = True) -> Step:
    def step(client: RawClient, stolen: asyncssh.SSHKey, own: asyncssh.SSHKey) -> None:
        blob = (own if with_own else stolen).public_data
        client.signs(
            b"eve", ED, blob, lambda data: (sign or (lambda key, data: key.sign(data, ED)))(own, data)
        )

    return step


def tries(client: RawClient, stolen: asyncssh.SSHKey, own: asyncssh.SSHKey) -> None:
    client.tries(b"eve", b"none")


def comes(client: RawClient, stolen: asyncssh.SSHKey, own: asyncssh.SSHKey) -> None:
    client.comes_as_guest()


@pytest.mark.parametrize(
    ("steps", "heard", "is_own"),
    [
        ([signs()], [SUCCESS], True),
        ([shows(), comes], [MSG_PK_OK, SUCCESS], False),
        ([shows(b"victim"), tries, comes], [MSG_PK_OK, FAILURE, SUCCESS], False),
        ([shows(), signs()], [MSG_PK_OK, SUCCESS], True),
        *(
            ([tries, signs(lambda _, __, junk=junk: junk, with_own=False), comes], [FAILURE, FAILURE, SUCCESS], False)  # type: ignore[misc]
            for junk in (b"", b"junk", String(ED) + String(b"x" * 64), String(b"x") * 2)
        ),
        ([signs(with_own=False), comes], [FAILURE, SUCCESS], False),
    ],
)  # fmt: skip
async def test_a_key_is_believed_only_if_it_has_signed(
    client: RawClient,
    reception: FakeReception,
    stolen: asyncssh.SSHKey,
    own: asyncssh.SSHKey,
    steps: list[Step],
    heard: list[int],
    is_own: bool,
) -> None:
    for number, step in enumerate(steps, 1):
        step(client, stolen, own)
        await client.hears(*heard[:number])
    assert await person_of(client, reception) == (own.get_fingerprint() if is_own else "")


@pytest.mark.parametrize("name", [b"eve", b""])
async def test_nor_in_one_breath(
    client: RawClient, reception: FakeReception, stolen: asyncssh.SSHKey, name: bytes
) -> None:
    client.shows(name, ED, stolen.public_data)
    client.comes_as_guest(name)
    client.shows(name, ED, stolen.public_data)
    await until(lambda: SUCCESS in client.kinds)
    assert await person_of(client, reception) == ""
    assert reception.visitors[0].name == (name.decode() or "guest")


async def test_what_was_signed_for_another_connection_is_refused(
    listener: Listener, client: RawClient, own: asyncssh.SSHKey
) -> None:
    other, heard = await connect_raw(listener.port), list[bytes]()

    def sign(data: bytes) -> bytes:
        heard.append(own.sign(data, ED))
        return heard[0]

    other.signs(b"eve", ED, own.public_data, sign)
    await other.hears(SUCCESS)
    client.signs(b"eve", ED, own.public_data, lambda data: heard[0])
    await client.hears(FAILURE)
    other.close()


@pytest.mark.parametrize("flags", [0, 1, 5], ids=["untouched", "touched", "with a PIN"])
async def test_a_security_key_signs_with_or_without_a_touch(
    client: RawClient, reception: FakeReception, flags: int
) -> None:
    """A key made with `-O no-touch-required` signs untouched; the server can't know which one was made so."""
    private = Ed25519PrivateKey.generate()
    blob = String(SK) + String(private.public_key().public_bytes_raw()) + String(b"ssh:")

    def sign(data: bytes) -> bytes:
        body = hashlib.sha256(b"ssh:").digest() + Byte(flags) + UInt32(7) + hashlib.sha256(data).digest()
        return String(SK) + String(private.sign(body)) + Byte(flags) + UInt32(7)

    client.signs(b"eve", SK, blob, sign)
    await client.hears(SUCCESS)
    expected = asyncssh.import_public_key(SK + b" " + base64.b64encode(blob))
    assert await person_of(client, reception) == expected.get_fingerprint()


async def test_a_certificate_is_its_key_and_not_who_signed_it(
    connect: Connect, reception: FakeReception
) -> None:
    authority, key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    certificate = authority.generate_user_certificate(key, "eve", principals=["eve"])
    async with connect("eve", (key, certificate)) as connection:
        assert (await connection.run("games")).stdout == b"told\n"
    assert [visitor.key for visitor in reception.visitors] == [key.get_fingerprint()]


# -- how often


async def test_three_thousand_tries_with_many_names_end_at_the_limit(client: RawClient) -> None:
    for number in range(3000):
        client.tries(b"name%d" % (number % 463), b"none")
    await until(lambda: client.is_over)
    # The first asks for the methods; the last that fails is answered by the end.
    assert client.is_cut_off()
    if not isinstance(client.why, ConnectionResetError):
        assert client.kinds == [FAILURE] * MOST
        assert "Too many" in str(client.why)
    assert set(client.kinds) <= {FAILURE}
    assert len(client.kinds) <= MOST


@pytest.mark.parametrize(
    ("attempt", "most"),
    [
        (lambda client: client.tries(b"eve", b"password", Boolean(False), String(b"secret")), MOST),
        (lambda client: client.tries(b"eve", b"hostbased", *(String(b"x"),) * 5), MOST),
        (lambda client: client.tries(b"eve", b"gssapi-with-mic", UInt32(0)), MOST),
        (lambda client: client.tries(b"eve", b"no such method"), MOST),
        (lambda client: client.shows(b"eve", ED, String(ED) + String(b"x")), MOST),
        (lambda client: client.shows(b"eve", b"ssh-dss", String(b"ssh-dss")), MAX_UNUSABLE_KEYS - 1),
    ],
)
async def test_every_failure_counts(
    client: RawClient, attempt: Callable[[RawClient], None], most: int
) -> None:
    for _ in range(most + 2):
        attempt(client)
    await until(lambda: client.is_over)
    assert client.kinds == [FAILURE] * most


async def test_asking_about_keys_ends_too(client: RawClient, stolen: asyncssh.SSHKey) -> None:
    for number in range(REQUESTS_PER_FAILURE * MOST):
        client.shows(b"eve", ED, stolen.public_data)
        await client.hears(*[MSG_PK_OK] * (number + 1))
    client.shows(b"eve", ED, stolen.public_data)
    await until(lambda: client.is_over)
    assert client.kinds == [MSG_PK_OK] * (REQUESTS_PER_FAILURE * MOST)


@pytest.mark.parametrize("limits", [SessionLimits(login_grace=0.3)])
async def test_the_time_to_log_in_ends(client: RawClient) -> None:
    await until(lambda: client.is_over)


# -- keys that can't be used


async def test_an_agent_that_begins_with_certificates_locks_nobody_out(
    client: RawClient, reception: FakeReception, own: asyncssh.SSHKey
) -> None:
    authority = asyncssh.generate_private_key("ssh-ed25519")
    certificate = authority.generate_user_certificate(own, "eve").public_data
    client.tries(b"eve", b"none")
    offers = [(CERTIFICATE, certificate)] * 3 * MOST
    offers += [(b"ssh-dss", String(b"ssh-dss")), (b"ssh-rsa", rsa_blob(4096)), (b"made-up", String(b"x"))]
    for number, (kind, blob) in enumerate(offers, 2):
        client.shows(b"eve", kind, blob)
        await client.hears(*[FAILURE] * number)
    client.signs(b"eve", ED, own.public_data, lambda data: own.sign(data, ED))
    await client.hears(*[FAILURE] * (len(offers) + 1), SUCCESS)
    assert await explained(client) == ""
    assert reception.visitors[0].key == own.get_fingerprint()


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
async def test_a_guest_with_an_unusable_key_is_told(
    client: RawClient, reception: FakeReception, kind: bytes, blob: bytes, fault: str
) -> None:
    client.shows(b"eve", kind, blob)
    await client.hears(FAILURE)
    client.shows(b"eve", b"ssh-later", b"")
    await client.hears(FAILURE, FAILURE)
    client.comes_as_guest()
    await until(lambda: SUCCESS in client.kinds)
    assert await explained(client) == f"{Announced('guest', fault).words()}\n"
    assert reception.visitors[0].guest


async def test_so_is_one_with_a_wrong_signature_and_one_with_sha_1(
    client: RawClient, reception: FakeReception, own: asyncssh.SSHKey, connect: Connect
) -> None:
    client.signs(b"eve", ED, own.public_data, lambda data: String(ED) + String(bytes(64)))
    await client.hears(FAILURE)
    client.comes_as_guest()
    await until(lambda: SUCCESS in client.kinds)
    assert "(ssh-ed25519, signature)" in await explained(client)
    key = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    async with connect("ann", key, signature_algs=["ssh-rsa"]) as connection:
        ran = await connection.run("games")
    assert (ran.stdout, b"(RSA, SHA-1)" in ran.stderr) == (b"told\n", True)
    assert all(visitor.guest for visitor in reception.visitors)


async def test_nor_is_one_believed_that_says_sha_2_and_signs_with_sha_1(
    connect: Connect, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    async with connect("ann", key) as connection:
        await connection.run("games")
    sign = type(key).sign
    monkeypatch.setattr(type(key), "sign", lambda own, data, _: sign(own, data, b"ssh-rsa"))
    async with connect("ann", key) as connection:
        await connection.run("games")
    assert [visitor.key for visitor in reception.visitors] == [key.get_fingerprint(), ""]


async def test_a_key_that_arithmetic_breaks_at_is_refused(
    client: RawClient, monkeypatch: pytest.MonkeyPatch, own: asyncssh.SSHKey
) -> None:
    def explode(data: bytes) -> None:
        raise OverflowError

    monkeypatch.setattr("asyncssh.connection.decode_ssh_public_key", explode)
    client.shows(b"eve", ED, own.public_data)
    await client.hears(FAILURE)
    await asyncio.sleep(0)
    assert not client.is_over


# -- names


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("🙂🙂", "🙂🙂"),
        ("a\u200bn\u200dn", "a?n?n"),
        ("\u05d0a", "\u05d0a"),
        ("\u202e\x1b[2J", "??[2J"),
        ("a\tb", "a?b"),
        ("a\x00\x07", "a??"),
        ("é" * 500, "é" * 32),
    ],
)
async def test_every_name_logs_in(
    client: RawClient, reception: FakeReception, own: asyncssh.SSHKey, user: str, name: str
) -> None:
    client.signs(user.encode(), ED, own.public_data, lambda data: own.sign(data, ED))
    await client.hears(SUCCESS)
    assert await person_of(client, reception) == own.get_fingerprint()
    assert [visitor.name for visitor in reception.visitors] == [name]


async def test_so_does_one_in_bytes_that_are_no_text_and_it_stays(
    client: RawClient, reception: FakeReception
) -> None:
    client.comes_as_guest("Zoë".encode("latin-1"))
    await client.hears(SUCCESS)
    client.comes_as_guest(b"adam")
    assert await person_of(client, reception) == ""
    assert [visitor.name for visitor in reception.visitors] == ["Zo"]


@pytest.mark.parametrize("name", [b"x" * 2000, "é".encode() * 600, None])
async def test_names_that_are_none_end_the_connection(client: RawClient, name: bytes | None) -> None:
    if name is None:
        client.send(MSG_USERAUTH_REQUEST, UInt32(1000))
    else:
        client.comes_as_guest(name)
    await until(lambda: client.is_over or SUCCESS in client.kinds)
    assert client.is_over


# -- the real ssh program


async def made(openssh: OpenSSH, path: Path, kind: str, *how: str) -> Path:
    """Make a key of that kind in the file `path`."""
    status, _, _ = await openssh.program("ssh-keygen", "-q", "-t", kind, *how, "-N", "", "-f", str(path))
    assert status == 0
    return path


async def test_openssh_is_told_which_algorithms_are_accepted(openssh: OpenSSH, user_key: Path) -> None:
    status, _, text = await openssh.run("games", before=["-vv"], key=user_key)
    assert status == 0
    (named,) = [line for line in text.splitlines() if "server-sig-algs=<" in line]
    assert named.partition("<")[2].partition(">")[0].split(",") == list(SIGNATURE_ALGORITHMS)
    proposal = text[text.index("peer server KEXINIT proposal") :].splitlines()
    assert next(line for line in proposal if "host key algorithms" in line).endswith(": ssh-ed25519")


@pytest.mark.parametrize(
    ("kind", "accepted"),
    [("ed25519", ""), ("ecdsa", ""), ("rsa", "rsa-sha2-256"), ("rsa", "rsa-sha2-512")],
)
async def test_openssh_logs_in_by_any_key_that_it_makes(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path, kind: str, accepted: str
) -> None:
    key = await made(openssh, tmp_path / "id", kind)
    before = ["-o", f"PubkeyAcceptedAlgorithms={accepted}"] if accepted else []
    assert (await openssh.run("games", before=before, key=key))[0] == 0
    assert reception.visitors[0].key == asyncssh.read_public_key(f"{key}.pub").get_fingerprint()


@pytest.mark.parametrize(
    ("kind", "bits", "options", "fault"),
    [
        ("rsa", "1024", ["RequiredRSASize=1024"], "RSA, 1024 bits"),
        ("dsa", "1024", ["PubkeyAcceptedAlgorithms=+ssh-dss"], "ssh-dss"),
        # It knows what the server takes and doesn't offer the key, so nobody but itself can say so.
        ("rsa", "2048", ["PubkeyAcceptedAlgorithms=ssh-rsa"], ""),
    ],
)
async def test_openssh_with_an_unusable_key_is_a_guest_and_told_why(
    openssh: OpenSSH,
    reception: FakeReception,
    tmp_path: Path,
    kind: str,
    bits: str,
    options: list[str],
    fault: str,
) -> None:
    key = await made(openssh, tmp_path / "id", kind, "-b", bits)
    before = [word for option in options for word in ("-o", option)]
    said = f"You're a guest: your key can't be used here ({fault}). Use an Ed25519 key.\n" if fault else ""
    assert await openssh.run("games", before=before, key=key) == (0, "told\n", said)
    assert reception.visitors[0].guest
    # A screen gets it through its link instead.
    screen = openssh.screen(*before, key=key)
    await screen.shows("face")
    assert "guest" not in screen.text()
    assert reception.visitors[1].unusable_key == fault


@pytest.mark.parametrize("limits", [SessionLimits(input_rate=4096, input_burst=8192, login_grace=5)])
async def test_several_keys_in_an_agent_are_no_attack(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path
) -> None:
    kinds = [*[("rsa", "-b", "1024")] * 4, ("ed25519",)]
    keys = [await made(openssh, tmp_path / f"id_{n}", *kind) for n, kind in enumerate(kinds)]
    flags = [flag for path in keys for flag in ("-o", f"IdentityFile={path}")]
    assert (await openssh.run("games", before=[*flags, "-o", "RequiredRSASize=1024"]))[0] == 0
    assert reception.visitors[0].key == asyncssh.read_public_key(f"{keys[-1]}.pub").get_fingerprint()


# -- how connections end before the login, as admission control hears of it


async def test_a_line_that_breaks_during_login_is_no_offence(
    listener: Listener, admission: RecordingAdmission
) -> None:
    """Every program tries `none` at once; three such, as in a tunnel of a train, kept a household out."""
    for number in range(3):
        client = await connect_raw(listener.port)
        client.tries(b"ann", b"none")
        await client.hears(FAILURE)
        client.close()
        assert client.connecting is not None
        await client.connecting
        await until(lambda number=number: len(admission.endings) > number)  # type: ignore[misc]
    assert admission.endings == ["lost"] * 3
    assert isinstance(admission.request("127.0.0.1"), Admitted)


async def test_a_client_that_tries_and_says_goodbye_is_known(
    client: RawClient, admission: RecordingAdmission
) -> None:
    client.tries(b"ann", b"none")
    await client.hears(FAILURE)
    client.send(MSG_DISCONNECT, UInt32(DISC_BY_APPLICATION), String(b"next"), String(b""))
    await until(lambda: admission.endings)
    assert admission.endings == ["auth"]


async def test_distrust_of_the_host_key_is_no_offence(
    listener: Listener, admission: RecordingAdmission
) -> None:
    for _ in range(3):
        with pytest.raises(asyncssh.HostKeyNotVerifiable):
            await asyncssh.connect(
                "127.0.0.1", listener.port, config=None, known_hosts=([], [], []), agent_path=None
            )
    await until(lambda: len(admission.endings) == 3)
    assert set(admission.endings) <= {"done", "lost"}
    assert isinstance(admission.request("127.0.0.1"), Admitted)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "lost"),
        (b"SSH-2.0-check_ssh_1.5\r\n", "lost"),
        (b"GET / HTTP/1.0\r\n\r\n", "protocol"),
        (b"SSH-2.0-caf\xe9\r\n", "protocol"),
    ],
)
@pytest.mark.parametrize("resets", [True, False])
async def test_probes_of_the_port_end_so(
    listener: Listener, admission: RecordingAdmission, said: bytes, why: Ending, resets: bool
) -> None:
    with capture_logs() as logs, socket.create_connection(("127.0.0.1", listener.port)) as probe:
        probe.setblocking(False)
        probe.send(said)
        if said and why == "protocol":
            await until(lambda: admission.endings)
        if resets:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await until(lambda: admission.endings)
    assert admission.endings == [why]
    assert {line["log_level"] for line in logs} <= {"info"}


@pytest.mark.parametrize("kind", [[], ["-t", "rsa"], ["-t", "ed25519"]])
async def test_ssh_keyscan_may_come_again(
    listener: Listener, admission: RecordingAdmission, openssh: OpenSSH, kind: list[str]
) -> None:
    for _ in range(2):
        await openssh.program("ssh-keyscan", *kind, "-p", str(listener.port), "127.0.0.1")
        await until(lambda: not admission.connections)
    assert set(admission.endings) <= {"lost", "mismatch", "done"}
    assert (await openssh.run("games"))[:2] == (0, "told\n")


# -- the verdict


async def test_a_session_waits_for_the_verdict(
    keeper: Keeper, reception: FakeReception, connect: Connect, own: asyncssh.SSHKey
) -> None:
    keeper.may_judge.clear()
    keeper.verdict = lambda newcomer: LoginResult("SHA256:first")
    async with connect(key=own) as connection:
        process = await connection.create_process("games")
        assert (len(keeper.came), reception.visitors) == (1, [])
        keeper.may_judge.set()
        assert (await process.wait()).stdout == b"told\n"
    (newcomer,), (visitor,) = keeper.came, reception.visitors
    assert newcomer.key == visitor.key == own.get_fingerprint()
    assert (newcomer.source, newcomer.user) == ("127.0.0.1", "ann")
    assert newcomer.client.startswith("SSH-2.0-AsyncSSH_")
    assert (visitor.person, visitor.guest) == ("SHA256:first", False)
    assert visitor.connection == newcomer.connection > 0
    await until(lambda: keeper.gone)
    assert keeper.gone == [newcomer.connection]


async def test_a_refused_client_reads_why_and_nothing_runs(
    keeper: Keeper, reception: FakeReception, openssh: OpenSSH
) -> None:
    keeper.verdict = lambda newcomer: LoginResult("SHA256:eve", LazyMessage("Not until Monday."))
    assert await openssh.run("games") == (1, "", "Not until Monday.\n")
    screen = openssh.screen()
    assert await screen.exit_code() == 1
    assert "Not until Monday." in screen.text()
    assert reception.visitors == []
    await until(lambda: len(keeper.gone) == 2)


async def test_a_refused_client_that_stays_is_disconnected(
    keeper: Keeper, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "REJECTION_DELAY", 0.05)
    keeper.verdict = lambda newcomer: LoginResult("", LazyMessage("No."))
    async with connect() as connection, asyncio.timeout(20):
        await connection.wait_closed()


async def test_an_error_in_the_verdict_lets_nobody_in(
    keeper: Keeper, openssh: OpenSSH, reception: FakeReception
) -> None:
    keeper.verdict = broken
    with capture_logs() as logs:
        assert await openssh.run("games") == (1, "", f"{LOGIN_FAILED}\n")
    assert reception.visitors == []
    assert [line["event"] for line in logs if line["log_level"] == "error"] == [
        "deciding about a login failed"
    ]


async def test_a_dismissal_ends_one_connection(
    listener: Listener, keeper: Keeper, openssh: OpenSSH, connect: Connect
) -> None:
    first, second = openssh.screen(name="ann"), openssh.screen(name="bob")
    await first.shows("face")
    await second.shows("face")
    (number,) = [newcomer.connection for newcomer in keeper.came if newcomer.user == "ann"]
    listener.dismiss(number, LazyMessage("The host sends you away."))
    assert await first.exit_code() == BROKEN_OFF
    assert "The host sends you away." in first.text()
    assert second.child.isalive()
    listener.dismiss(number, LazyMessage("Twice."))
    listener.dismiss(12345)
    # Without a session, and before the login.
    async with connect("cid") as connection, asyncio.timeout(20):
        await until(lambda: len(keeper.came) == 3)
        listener.dismiss(keeper.came[2].connection)
        await connection.wait_closed()
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.readline() == b"SSH-2.0-cartino\r\n"
    listener.dismiss(4, LazyMessage("Go."))
    async with asyncio.timeout(20):
        await reader.read()
    writer.close()


async def test_a_refused_source_reads_why_in_openssh_and_may_come_again(
    listener: Listener, admission: RecordingAdmission, openssh: OpenSSH, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.ssh.admission.MAX_LOGIN_WAIT", 0.1)
    admission.banned.add("127.0.0.1")
    for _ in range(3):
        status, out, err = await openssh.run("games")
        assert (status, out) == (255, "")
        assert "The host of this server doesn't let your address in." in err
    admission.banned.clear()
    readers = [await asyncio.open_connection("127.0.0.1", listener.port) for _ in range(2)]
    for _ in range(3):
        status, _, err = await openssh.run("games")
        assert status == 255
        assert "Others are logging in from your address. Please try again in a moment." in err
    for reader, writer in readers:
        writer.close()
        await reader.read()
    assert (await openssh.run("games"))[0] == 0


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the system has no socket of both families")
@pytest.mark.parametrize("host", ["::", "0.0.0.0"])
async def test_every_address_may_include_ipv4_which_keeps_its_name(
    host_key: asyncssh.SSHKey, reception: FakeReception, keeper: Keeper, host: str
) -> None:
    admission = RecordingAdmission()
    config = ListenerConfig(host, 0)
    listener = await listen(config, host_key, reception, logins=LoginTracker(keeper, admission))
    sources = ["127.0.0.1", "::1"] if host == "::" else ["127.0.0.1"]
    for address in sources:
        async with asyncssh.connect(
            address, listener.port, config=None, known_hosts=None, client_keys=None, client_factory=Guest
        ) as connection:
            assert (await connection.run("games")).exit_status == 0
    assert [newcomer.source for newcomer in keeper.came] == sources
    if host == "0.0.0.0":
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("::1", listener.port)
    admission.banned.add("127.0.0.1")
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.read() == disconnect_packet(AdmissionRefused("banned"))
    writer.close()
    await listener.close()


# -- the time without a session


async def ends_idle(connection: asyncssh.SSHClientConnection, logs: list[Any]) -> None:
    async with asyncio.timeout(20):
        await connection.wait_closed()
    assert "ended without a session" in [line["event"] for line in logs]


@pytest.mark.steady
async def test_a_connection_on_which_nothing_runs_is_ended(
    listener: Listener, connect: Connect, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.2)
    with capture_logs() as logs:
        async with connect() as connection:
            await ends_idle(connection, logs)
    # A channel that is opened and not used is no session.
    with capture_logs() as logs:
        client = await connect_raw(listener.port)
        await client.comes_in()
        await client.session()
        await until(lambda: "ended without a session" in [line["event"] for line in logs])
        await until(lambda: client.is_over)
    assert "opens a session" in [line["event"] for line in logs]
    assert reception.visitors == []
    assert listener.is_open


@pytest.mark.steady
async def test_while_something_runs_a_connection_stays_and_afterwards_for_a_while(
    reception: FakeReception, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.2)
    with capture_logs() as logs:
        async with connect() as connection:
            process = await connection.create_process(term_type="xterm")
            await until(lambda: reception.faces)
            # As long as it takes for somebody who came later, and whom nothing keeps.
            async with connect("bob") as other:
                await ends_idle(other, logs)
            assert (await process.stdout.read(4)) == b"face"
            reception.faces[0].over.set()
            await process.wait()
            assert (await connection.run("games")).exit_status == 0
            await ends_idle(connection, logs)


@pytest.mark.steady
async def test_a_slow_reader_has_as_long_as_it_goes_on_reading(
    reception: FakeReception, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.3)
    reception.reply = Reply("x" * 1_000_000)
    with capture_logs() as logs:
        async with connect() as connection:
            # A window so small takes hundreds of ways there and back.
            process = await connection.create_process("games", window=4096, max_pktsize=4096)
            assert await process.stdout.read() == b"x" * 1_000_000
            process = await connection.create_process("games", window=4096, max_pktsize=4096)
            await ends_idle(connection, logs)


# -- the tracker, without a connection


class Tracked:
    """A tracker of a source's logins, whose keeper judges once it may."""

    def __init__(self) -> None:
        self.keeper = Keeper()
        self.keeper.may_judge.clear()
        self.admission = AdmissionControl(AdmissionLimits(), lambda: 0.0)
        self.tracker = LoginTracker(self.keeper, self.admission)

    def comes(self, user: str) -> LoginRequest:
        decision = self.admission.request("192.0.2.1")
        assert isinstance(decision, Admitted)
        return LoginRequest(decision.connection, "192.0.2.1", f"SHA256:{user}", user)


def broken(newcomer: LoginRequest) -> LoginResult:
    raise RuntimeError("boom")


@pytest.mark.parametrize("leaves", ["afterwards", "meanwhile", "before"])
async def test_an_end_is_reported_once_and_after_the_verdict(leaves: str) -> None:
    world = Tracked()
    newcomer = world.comes("ann")
    if leaves == "before":
        world.tracker.record_connection_end(1, "lost")
    judging = asyncio.create_task(world.tracker.judge(newcomer))
    await asyncio.sleep(0)
    assert world.admission.unauthenticated == 0
    if leaves == "meanwhile":
        world.tracker.record_connection_end(1, "lost")
    assert world.keeper.gone == []
    world.keeper.may_judge.set()
    assert bool((await judging).refused.text) == (leaves == "before")
    for _ in range(2):
        world.tracker.record_connection_end(1, "done")
    assert world.keeper.gone == [1] * (leaves != "before")
    assert world.admission.connections == 0


async def test_an_end_is_reported_after_an_error_and_not_without_a_login() -> None:
    world = Tracked()
    world.keeper.may_judge.set()
    world.keeper.verdict = broken
    with capture_logs() as logs:
        assert await world.tracker.judge(world.comes("bob")) == LoginResult(refused=LOGIN_FAILED)
    assert [line["event"] for line in logs] == ["deciding about a login failed"]
    world.tracker.record_connection_end(1, "done")
    world.tracker.record_connection_end(world.comes("ann").connection, "grace")
    assert world.keeper.gone == [1]


async def test_refusals_count_against_nobody_at_the_same_address() -> None:
    """Be they banned, or the server full: others come in, and wait at most as behind any loop."""
    world = Tracked()
    world.keeper.may_judge.set()
    world.keeper.verdict = lambda newcomer: LoginResult(refused=LazyMessage("Not you."))
    for _ in range(40):
        newcomer = world.comes("eve")
        assert (await world.tracker.judge(newcomer)).refused == LazyMessage("Not you.")
        world.tracker.record_connection_end(newcomer.connection, "done")
    world.admission.logged_in(world.comes("ann").connection)
    assert world.admission.request("192.0.2.1") == Held(42, 0.25)


# -- the input of a login


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


async def test_bytes_after_the_end_are_ignored(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    connections = list[asyncssh.SSHServerConnection]()
    made = asyncssh.SSHServerConnection.connection_made

    def note(self: asyncssh.SSHServerConnection, transport: asyncio.BaseTransport) -> None:
        connections.append(self)
        made(self, transport)

    monkeypatch.setattr(asyncssh.SSHServerConnection, "connection_made", note)
    client = await connect_raw(listener.port)
    (connection,) = connections
    connection.abort()
    connection.data_received(b"late")
    await until(lambda: client.is_over)
