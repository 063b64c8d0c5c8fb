"""Which clients agree with the server on algorithms: by the lists that clients have, and by guesses that are wrong."""

from typing import Any

import asyncssh
import pytest
from asyncssh.constants import MSG_KEX_FIRST, MSG_KEXINIT
from asyncssh.packet import Boolean, NameList, SSHPacket, String, UInt32
from structlog.testing import capture_logs

from cartino_server.ssh.negotiation import CIPHERS, KEX, MACS, MAX_LOGGED, Missing, read_offer
from tests.ssh.conftest import Connect, OpenSSH, until

ED = "ssh-ed25519"
JSCH = {
    "KexAlgorithms": "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
    "ecdh-sha2-nistp521,diffie-hellman-group-exchange-sha256,diffie-hellman-group16-sha512,"
    "diffie-hellman-group18-sha512,diffie-hellman-group14-sha256",
    "HostKeyAlgorithms": "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,"
    "rsa-sha2-256",
    "Ciphers": "aes128-ctr,aes192-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com",
    "MACs": "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha1-etm@openssh.com,hmac-sha2-256,"
    "hmac-sha2-512,hmac-sha1",
}
"""What mwiede's fork of JSch offers, with Java 15 or later."""


def a_kexinit(
    kex: str = KEX[0],
    host_keys: str = ED,
    cipher: str = "aes256-ctr",
    mac: str = MACS[0],
    guesses: bool = True,
) -> SSHPacket:
    lists = (kex, host_keys, cipher, cipher, mac, mac, "none", "none", "", "")
    return SSHPacket(
        bytes(16)
        + b"".join(NameList(names.encode().split(b",")) for names in lists)
        + Boolean(guesses)
        + UInt32(0)
    )


@pytest.mark.parametrize(
    ("kex", "host_keys", "is_wrong"),
    [
        (KEX[0], ED, False),
        (f"{KEX[0]},{KEX[1]}", f"{ED},rsa-sha2-512", False),
        # What is chosen in the end doesn't matter.
        (KEX[1], ED, True),
        (f"{KEX[1]},{KEX[0]}", ED, True),
        (KEX[0], f"rsa-sha2-512,{ED}", True),
        ("", "", True),
    ],
)
def test_a_guess_is_right_if_both_prefer_the_same(kex: str, host_keys: str, is_wrong: bool) -> None:
    ours = [name.encode() for name in KEX]
    offer = read_offer(a_kexinit(kex, host_keys))
    assert offer.is_wrong_guess(ours, [ED.encode()]) == is_wrong
    assert not read_offer(a_kexinit(kex, host_keys, guesses=False)).is_wrong_guess(ours, [ED.encode()])


@pytest.mark.parametrize(
    ("offered", "missing"),
    [
        ({}, None),
        ({"kex": "diffie-hellman-group1-sha1"}, Missing("key exchange", "diffie-hellman-group1-sha1")),
        ({"kex": ""}, Missing("key exchange", "")),
        ({"host_keys": "ssh-rsa,ssh-dss"}, Missing("host key", "ssh-rsa,ssh-dss")),
        ({"cipher": "aes128-cbc,3des-cbc"}, Missing("cipher", "aes128-cbc,3des-cbc")),
        ({"mac": "hmac-md5"}, Missing("MAC", "hmac-md5")),
        ({"mac": "hmac-md5", "cipher": "aes256-gcm@openssh.com,aes256-ctr"}, None),
        ({"mac": "\x1b[2J\u202e"}, Missing("MAC", "?[2J\ufffd\ufffd\ufffd")),
        ({"mac": "x" * 30_000}, Missing("MAC", "x" * MAX_LOGGED)),
    ],
)
def test_what_an_offer_lacks(offered: dict[str, str], missing: Missing | None) -> None:
    assert read_offer(a_kexinit(**offered)).missing() == missing  # type: ignore[arg-type]


@pytest.mark.parametrize("cipher", [name for name in CIPHERS if name.endswith("ctr")])
@pytest.mark.parametrize("mac", MACS)
async def test_each_cipher_goes_with_each_mac(connect: Connect, cipher: str, mac: str) -> None:
    async with connect(encryption_algs=[cipher], mac_algs=[mac]) as connection:
        assert (await connection.run("games")).stdout == b"told\n"


@pytest.mark.parametrize("kex", KEX)
async def test_each_key_exchange_works(connect: Connect, kex: str) -> None:
    async with connect(kex_algs=[kex]) as connection:
        assert (await connection.run("games")).stdout == b"told\n"


@pytest.mark.parametrize(
    "options",
    [
        {"Ciphers": "aes256-ctr", "MACs": "hmac-sha2-256"},
        {"Ciphers": "aes128-ctr", "MACs": "hmac-sha2-512"},
        {"KexAlgorithms": "curve25519-sha256@libssh.org"},
        JSCH,
    ],
    ids=["plain MAC", "smallest cipher", "old name", "mwiede's JSch"],
)
async def test_openssh_comes_in_with_the_algorithms_of_others(
    openssh: OpenSSH, options: dict[str, str]
) -> None:
    before = [flag for item in options.items() for flag in ("-o", "=".join(item))]
    assert await openssh.run("games", before=before) == (0, "told\n", "")


@pytest.mark.parametrize(
    ("options", "is_wrong"),
    [
        ({"kex_algs": [KEX[1]]}, True),
        ({"kex_algs": [KEX[1], KEX[0]]}, True),
        ({"kex_algs": [KEX[0]], "server_host_key_algs": ["rsa-sha2-512", ED]}, True),
        ({"kex_algs": list(KEX), "server_host_key_algs": [ED]}, False),
    ],
    ids=["another key exchange", "ours later", "another host key", "right"],
)
async def test_a_wrong_guess_is_ignored_and_a_right_one_taken(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], is_wrong: bool
) -> None:
    """As Dropbear, the client sends a first packet of a key exchange right behind each KEXINIT.

    After a wrong one, asyncssh's client sends another once it knows what the server prefers.
    """
    send_packet = asyncssh.SSHClientConnection.send_packet

    def send(self: Any, pkttype: int, *args: bytes, **more: Any) -> None:
        if pkttype == MSG_KEXINIT:
            args = (args[0][:-5] + Boolean(True) + UInt32(0),)
            self._client_kexinit = bytes([MSG_KEXINIT]) + args[0]
        send_packet(self, pkttype, *args, **more)
        if pkttype == MSG_KEXINIT and is_wrong:
            send_packet(self, MSG_KEX_FIRST, String(bytes(32)))

    monkeypatch.setattr(asyncssh.SSHClientConnection, "send_packet", send)
    async with connect(**options, **({"rekey_bytes": 1} if is_wrong else {})) as connection:
        for _ in range(2):
            assert (await connection.run("games")).stdout == b"told\n"


async def test_the_log_has_what_a_refused_client_lacks_and_which_it_is(connect: Connect) -> None:
    with capture_logs() as logs:
        with pytest.raises(asyncssh.KeyExchangeFailed):
            await connect(
                encryption_algs=["aes256-ctr"],
                mac_algs=["hmac-md5", "hmac-sha1"],
                client_version="Dropbear_2012.55",
            )
        await until(lambda: logs)
    [line] = logs
    assert line["event"] == "did not come in"
    assert {name: line[name] for name in ("client", "why", "lacks", "offered")} == {
        "client": "SSH-2.0-Dropbear_2012.55",
        "why": "no common algorithm",
        "lacks": "MAC",
        "offered": "hmac-md5,hmac-sha1",
    }
