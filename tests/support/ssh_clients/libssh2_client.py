"""libssh2, by ssh2-python, as a client: PORT USER KEYFILE COMMAND, where KEYFILE is "" for a guest."""

import socket
import sys
from collections.abc import Callable

from ssh2.session import Session


def read_all(read: Callable[[], tuple[int, bytes]]) -> bytes:
    """Everything that comes until the end."""
    parts = list[bytes]()
    while True:
        size, part = read()
        if size <= 0:
            return b"".join(parts)
        parts.append(part)


def main() -> int:
    port, user, keyfile, command = sys.argv[1:]
    with socket.create_connection(("127.0.0.1", int(port))) as line:
        session = Session()
        session.handshake(line)
        if keyfile:
            session.userauth_publickey_fromfile(user, keyfile, "", f"{keyfile}.pub")
        else:
            session.userauth_keyboardinteractive(user, "")
        channel = session.open_session()
        channel.execute(command)
        channel.write(sys.stdin.buffer.read())
        channel.send_eof()
        sys.stdout.buffer.write(read_all(channel.read))
        sys.stderr.buffer.write(read_all(channel.read_stderr))
        channel.close()
        channel.wait_closed()
        status = int(channel.get_exit_status())
        session.disconnect()
    return status


if __name__ == "__main__":
    sys.exit(main())
