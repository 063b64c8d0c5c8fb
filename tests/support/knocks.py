"""What the door says first to whoever knocks.

Its name says nothing of whether they are let in: those who are turned away read it too, before they read why. Whoever
is let in and says their own name is answered with what a key exchange begins with.
"""

import socket

from asyncssh.constants import MSG_KEXINIT

GREETING = b"SSH-2.0-cartino\r\n"
"""What everybody hears."""
NAME = b"SSH-2.0-x\r\n"
"""What a visitor has to say to hear more."""
NOISE = b"GET / HTTP/1.1\r\n\r\n"
"""What is no SSH."""
KEPT_OUT = b"it is kept out for about"
"""What somebody hears whose address misbehaved."""
_TYPE_AT = 5
"""Where a packet has its type, behind its length and that of its padding."""
_TIME_LIMIT = 20.0


def was_let_in(heard: bytes) -> bool:
    """Whether the door has begun a key exchange with whoever said their `NAME` and `heard` that."""
    packet = heard.removeprefix(GREETING)
    return packet != heard and packet[_TYPE_AT : _TYPE_AT + 1] == bytes([MSG_KEXINIT])


def knock(port: int, said: bytes = NAME) -> bytes:
    """Say that at the door, and go when it has ended it or has let us in; what was heard."""
    heard = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_TIME_LIMIT) as client:
            client.sendall(said)
            while not was_let_in(heard) and (data := client.recv(65536)):
                heard += data
    except ConnectionError:
        # Nobody lingers for long behind what they have said.
        pass
    return heard
