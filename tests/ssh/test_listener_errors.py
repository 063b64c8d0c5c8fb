"""Each reason why the server can't listen gets its own sentence."""

import errno
import socket

import pytest

from cartino_server.ssh.listener import listen_failure


@pytest.mark.parametrize(
    ("error", "port", "sentence"),
    [
        (
            OSError(errno.EADDRINUSE, "Address already in use (… ('127.0.0.1', 2291))"),
            2291,
            "Another program is listening on 127.0.0.1, port 2291; stop it, or choose another port with --port.",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied"),
            22,
            "Port 22 is reserved for the system, like all below 1024; choose a higher one with --port.",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied"),
            2222,
            "The system doesn't let this user listen on 127.0.0.1, port 2222; choose another port with --port.",
        ),
        (
            OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address"),
            2222,
            "127.0.0.1 isn't an address of this machine; set --host to one that is.",
        ),
        (
            socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
            2222,
            "The host name 127.0.0.1 is unknown; check it, or give an address with --host.",
        ),
        (
            UnicodeError("label empty or too long"),
            2222,
            "The host name 127.0.0.1 is unknown; check it, or give an address with --host.",
        ),
        (
            OSError(errno.EMFILE, "Too many open files (('127.0.0.1', 1))"),
            2222,
            "Can't listen on 127.0.0.1, port 2222 (Too many open files); "
            "choose another with --host or --port.",
        ),
    ],
)
def test_each_reason_is_a_sentence(error: OSError | ValueError, port: int, sentence: str) -> None:
    assert str(listen_failure(error, "127.0.0.1", port)) == sentence


def test_a_host_comes_back_without_what_a_terminal_obeys() -> None:
    assert str(listen_failure(ValueError(), "\x1b[2J", 0)).isprintable()
    assert "every address, port 7;" in str(listen_failure(OSError(errno.EADDRINUSE, ""), "", 7))
