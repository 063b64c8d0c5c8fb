"""Why a game was lost, as it is written beside the game's number: a sentence that can be told in any language."""

import msgspec

from cartino_protocol.marking import Sentence

_decoder = msgspec.json.Decoder(Sentence)


def write_why(why: Sentence) -> str:
    """`why` as JSON; what stands in its places is texts and numbers."""
    return msgspec.json.encode(why).decode()


def read_why(written: bytes) -> Sentence:
    """The sentence that was written. What is none is told as it stands: so older versions wrote it."""
    try:
        why = _decoder.decode(written)
        # Its places have to be there, whatever became of the file.
        str(why)
    except (msgspec.DecodeError, UnicodeDecodeError, LookupError, ValueError, AttributeError, TypeError):
        return Sentence(written.decode("utf-8", "replace"))
    return why
