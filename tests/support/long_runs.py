"""What long tests ask of the machine."""

import pytest


def require(found: object, sentence: str, *, long_run: bool) -> None:
    """Fail with `sentence` if the machine lacks what a long run needs; in `make test`, skip the test instead."""
    if not found:
        (pytest.fail if long_run else pytest.skip)(sentence)
