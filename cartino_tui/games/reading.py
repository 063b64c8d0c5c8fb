"""Read what a server says of a table, and pass it on as JSON: whatever is wrong with it is one error."""

from typing import Any, TypeVar

import msgspec

ViewT = TypeVar("ViewT")


def read_view(decoder: msgspec.msgpack.Decoder[ViewT], raw: msgspec.Raw) -> ViewT:
    """The view in `raw`. Raises msgspec.DecodeError."""
    try:
        return decoder.decode(raw)
    except (UnicodeDecodeError, RecursionError) as error:
        # Text that is none and nesting without end are not msgspec's own errors.
        raise msgspec.DecodeError(str(error)) from None


def whole(value: Any) -> Any:
    """Return `value` as JSON can hold it: every field of every struct by its name, but for those that are unset."""
    if isinstance(value, msgspec.Struct):
        fields = {name: whole(getattr(value, name)) for name in value.__struct_fields__}
        return {name: field for name, field in fields.items() if field is not msgspec.UNSET}
    if isinstance(value, tuple | list):
        return [whole(each) for each in value]
    return value
