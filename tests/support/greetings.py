"""What the listener sends first to a client.

Every client gets the version line, also one that is refused and then reads why. One that is admitted and sends its own
version line gets the beginning of a key exchange.
"""

import socket

from asyncssh.constants import MSG_KEXINIT

GREETING = b"SSH-2.0-cartino\r\n"
"""What every client reads."""
NAME = b"SSH-2.0-x\r\n"
"""A client's version line, after which an admitted one reads more."""
NOISE = b"GET / HTTP/1.1\r\n\r\n"
"""Something else than SSH."""
KEPT_OUT = b"it is kept out for about"
"""What a client reads whose address is penalized."""
_TYPE_AT = 5
"""Where a packet has its type, behind its length and that of its padding."""
_TIME_LIMIT = 20.0


def was_let_in(heard: bytes) -> bool:
    """Return whether a client that sent its `NAME` and `heard` that is in a key exchange."""
    packet = heard.removeprefix(GREETING)
    return packet != heard and packet[_TYPE_AT : _TYPE_AT + 1] == bytes([MSG_KEXINIT])


def read_greeting(port: int, said: bytes = NAME) -> bytes:
    """Send that, and hang up when the server has done so or begins a key exchange; return what was read."""
    heard = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_TIME_LIMIT) as client:
            client.sendall(said)
            while not was_let_in(heard) and (data := client.recv(65536)):
                heard += data
    except ConnectionError:
        # A refused connection is reset soon after the sentence.
        pass
    return heard
