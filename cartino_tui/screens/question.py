"""A question that is answered by y or n."""

from collections.abc import Callable

import msgspec


class Question(msgspec.Struct, frozen=True):
    """A question that y answers with `yes`, and n with nothing."""

    sentence: str
    yes: Callable[[], None]
