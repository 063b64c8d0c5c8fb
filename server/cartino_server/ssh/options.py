"""How asyncssh is set: what strangers may ask of it, and no more."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import asyncssh
from asyncssh.kex import get_kex_algs
from asyncssh.mac import get_mac_algs

from cartino_server.ssh.offered import SIGNATURES

KEX: Final = ("mlkem768x25519-sha256", "curve25519-sha256")
CIPHERS: Final = ("aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr")
MACS: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "umac-128-etm@openssh.com")


def server_options(
    key: asyncssh.SSHKey, factory: Callable[[], asyncssh.SSHServer], login_timeout: float, keepalive: float
) -> asyncssh.SSHServerConnectionOptions:
    """The options of every connection; `login_timeout` and `keepalive` in seconds."""
    limits: dict[str, Any] = {"login_timeout": login_timeout, "keepalive_interval": keepalive}
    return asyncssh.SSHServerConnectionOptions(
        config=None,
        server_factory=factory,
        server_host_keys=[key],
        server_version="cartino",
        kex_algs=_known(KEX, get_kex_algs()),
        encryption_algs=list(CIPHERS),
        mac_algs=_known(MACS, get_mac_algs()),
        compression_algs=["none"],
        # asyncssh tells clients of these, and believes others all the same: see `inside.guard_login`.
        signature_algs=list(SIGNATURES),
        password_auth=False,
        host_based_auth=False,
        gss_host=None,
        gss_auth=False,
        gss_kex=False,
        public_key_auth=True,
        kbdint_auth=True,
        x509_trusted_certs=None,
        line_editor=False,
        encoding=None,
        agent_forwarding=False,
        x11_forwarding=False,
        sftp_factory=None,
        allow_scp=False,
        rdns_lookup=False,
        # Nothing heard in three intervals, of which two were asked about: such a client is gone.
        keepalive_count_max=2,
        rekey_bytes="1G",
        rekey_seconds="1h",
        window=65536,
        **limits,
    )


def _known(wanted: Iterable[str], known: Iterable[bytes]) -> list[str]:
    """Those that this machine's libraries have: the newest need not be everywhere."""
    names = {name.decode() for name in known}
    return [name for name in wanted if name in names]
