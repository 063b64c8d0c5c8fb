"""What an app leaves on the terminal when it has ended."""

import sys
from typing import Any

from cartino_server.entry.errors import FAILURE
from cartino_server.entry.speaking import own_tongue


def finish(app: Any) -> int:
    """Say the last word of `app` (a SessionApp), or on stderr why it crashed; its exit code."""
    if app.crash:
        sorry = own_tongue().say("The table has crashed, sorry; this is what a report of it should hold:")
        print(sorry, file=sys.stderr)
        print(app.crash, file=sys.stderr)
        return FAILURE
    if app.return_value:
        print(app.return_value)
    return app.return_code or 0
