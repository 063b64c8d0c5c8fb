"""Who may knock: every connection until it ends, counted by where it comes from."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

import asyncssh

Ending = Literal["done", "grace", "auth", "attempts", "protocol", "crashed", "lost"]
"""How a connection ended.

"done": as it should; "grace": nobody had logged in in time; "auth": nobody had logged in, though it was tried;
"attempts": it was tried too often; "protocol": what came was no SSH; "crashed": something broke here; "lost": the other
side was gone.
"""


ENDINGS: Final[Mapping[str, Ending]] = {name: name for name in get_args(Ending)}
"""All of them, by their names."""


def ending_of(error: BaseException | None) -> Ending:
    """How a connection ended that asyncssh gave up for `error`."""
    match error:
        case None:
            return "done"
        case asyncssh.ConnectionLost() | OSError():
            return "lost"
        case asyncssh.Error():
            return "protocol"
        case _:
            return "crashed"
