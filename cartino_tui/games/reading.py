"""Reading what a house says of a table: whatever is wrong with it is one error."""

from typing import TypeVar

import msgspec

ViewT = TypeVar("ViewT")


def read_view(decoder: msgspec.msgpack.Decoder[ViewT], raw: msgspec.Raw) -> ViewT:
    """The view in `raw`. Raises msgspec.DecodeError."""
    try:
        return decoder.decode(raw)
    except (UnicodeDecodeError, RecursionError) as error:
        # Text that is none and nesting without end are not msgspec's own errors.
        raise msgspec.DecodeError(str(error)) from None
