"""How every struct that travels is made: frozen, tagged, and deaf to nothing it does not know."""

import msgspec


class Message(
    msgspec.Struct, frozen=True, tag=True, tag_field="t", forbid_unknown_fields=True, omit_defaults=True
):
    """A tagged struct that can be the outermost thing in a frame. The tag is the class's name, under `t`."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A struct inside a message, by field names."""


class Row(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A struct inside a message that comes many times over, so it travels as a plain array."""
