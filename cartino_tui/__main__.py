"""`python -m cartino_tui` is `cartino play`.

This package knows nothing of the server, which is what plays at a table on this machine; the command line above
both does. So the way there is the installed command itself, found by its name, and not an import.
"""

import sys
from importlib.metadata import entry_points


def main() -> int | None:
    """Run `cartino play` with the words of this command line; its exit code."""
    found = entry_points(group="console_scripts", name="cartino")
    if not found:
        print("The command cartino is not installed here; install the package cartino.", file=sys.stderr)  # noqa: T201 - our own words
        return 1
    result: int | None = next(iter(found)).load()(["play", *sys.argv[1:]])
    return result


if __name__ == "__main__":
    sys.exit(main())
