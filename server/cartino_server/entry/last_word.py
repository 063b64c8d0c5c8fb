"""What an app leaves on the terminal when it has ended."""

import sys
from typing import Any

from cartino_server.entry.errors import FAILURE


def finish(app: Any) -> int:
    """Say the last word of `app` (a SessionApp), or on stderr why it crashed; its exit code."""
    if app.crash:
        print("The table has crashed, sorry; this is what a report of it should hold:", file=sys.stderr)
        print(app.crash, file=sys.stderr)
        return FAILURE
    if app.return_value:
        print(app.return_value)
    return app.return_code or 0
