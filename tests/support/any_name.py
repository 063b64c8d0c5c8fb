"""An SSH client for a terminal that sends any user name; OpenSSH has refused control characters in one since 10.1.

Run as a program: `any_name.py PORT USER KEY [WORDS…]`. `KEY` is the path of a private key.
"""

import asyncio
import os
import sys
import tty
from unittest.mock import patch

import asyncssh


async def visit(port: int, user: str, key: str, words: str) -> int:
    """Open a session in this terminal, and return its exit status."""
    # asyncssh checks the name, too, both when it is given and when the options are put together.
    with patch("asyncssh.connection.saslprep", str):
        connection = await asyncssh.connect(
            "127.0.0.1",
            port,
            config=None,
            known_hosts=None,
            username=user,
            client_keys=[key],
            agent_path=None,
        )
    async with connection:
        process = await connection.create_process(
            words or None,
            stdin=sys.stdin,
            stdout=sys.stdout,
            encoding=None,
            term_type=os.environ["TERM"],
            term_size=tuple(os.get_terminal_size()),
        )
        done = await process.wait()
    return 255 if done.exit_status is None else done.exit_status


if __name__ == "__main__":
    tty.setraw(sys.stdin)
    port, user, key, *words = sys.argv[1:]
    sys.exit(asyncio.run(visit(int(port), user, key, " ".join(words))))
