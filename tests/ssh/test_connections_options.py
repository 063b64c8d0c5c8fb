import asyncssh
import pytest

from cartino_server.ssh.authentication import SIGNATURE_ALGORITHMS
from cartino_server.ssh.connections import server_options
from cartino_server.ssh.listener import Listener
from cartino_server.ssh.negotiation import CIPHERS, KEX, MACS
from tests.ssh.conftest import Connect


def test_what_strangers_may_ask_for_is_little(host_key: asyncssh.SSHKey) -> None:
    options = server_options(host_key, asyncssh.SSHServer, 15, 20)
    off = ("agent_forwarding", "x11_forwarding", "allow_scp", "line_editor", "rdns_lookup")
    methods = ("password_auth", "host_based_auth", "gss_auth", "gss_kex")
    assert [name for name in (*off, *methods) if getattr(options, name)] == []
    assert options.sftp_factory is None
    assert {name.decode() for name in options.kex_algs} <= set(KEX)
    assert {name.decode() for name in options.encryption_algs} <= set(CIPHERS)
    assert {name.decode() for name in options.mac_algs} <= set(MACS)
    assert options.compression_algs == [b"none"]
    assert list(options.server_host_keys) == [b"ssh-ed25519"]
    assert (options.login_timeout, options.keepalive_interval, options.keepalive_count_max) == (20, 15, 2)
    assert (options.rekey_bytes, options.rekey_seconds) == (1 << 30, 3600)


def test_nothing_is_signed_with_sha_1(host_key: asyncssh.SSHKey) -> None:
    options = server_options(host_key, asyncssh.SSHServer, 15, 20)
    assert [name.decode() for name in options.signature_algs] == list(SIGNATURE_ALGORITHMS)
    assert not {"ssh-rsa", "ssh-dss"} & set(SIGNATURE_ALGORITHMS)


async def test_an_old_cipher_is_refused(listener: Listener, connect: Connect) -> None:
    with pytest.raises(asyncssh.KeyExchangeFailed, match="encryption"):
        async with connect(encryption_algs=["aes128-cbc"]):
            pass
