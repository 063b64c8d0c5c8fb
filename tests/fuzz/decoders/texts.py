"""What people type for others to read: names, talk, and words that are said back to them."""

import unicodedata

from cartino_server.lobby.people.names import LONGEST, MOST_BYTES, clean_name, key_of, shortened
from cartino_server.table.chat import clean_text, quotable
from cartino_tui.draw.text import clean, plain
from tests.fuzz.attacking import Decoder, plainly

SAID = tuple(
    text.encode()
    for text in (
        "ann",
        "Łukasz Żółw",
        "大阪の人",
        "good game, everybody",
        "e\u0301\u0301a\u0308",
        "שלום ann",
        "\U0001f1e9\U0001f1ea \U0001f469\u200d\U0001f680 👋🏽",
        "ﬁnal Ⅷ ½",
        "a\u202eb\u2066c\u200bd\ufe0fe\U000e0041f",
    )
)
WORDS = tuple(
    text.encode()
    for text in (
        *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
        *"\u00ad\u034f\u115f\u17b4\u180e\u2028\u2029\u2060\u3164\ufeff\ufff9\U000e0001\U000e0100",
        *"\x00\x07\x1b\x7f\u0085\u009b\u009d",
        "\u0301" * 30,
        "\ufdfa",
        "\u0130",
        "ẞ",
        "[red]",
        "bot:",
        "~",
        "\x1b]52;c;AAAA\x07",
    )
)
_HARMLESS = frozenset({"L", "M", "N", "P", "S"})


def _texts(data: bytes) -> bool:
    """Whatever stays can be seen: no control, no direction, no width of zero, and no piece of a pair."""
    text = data.decode("utf-8", "surrogateescape")
    name, said = clean_name(text), clean_text(text, 300)
    for kept in (name, said, quotable(text)):
        for letter in kept or "":
            assert letter == " " or unicodedata.category(letter)[0] in _HARMLESS, ascii(letter)
        (kept or "").encode()
    if name is not None:
        assert len(name) <= LONGEST
        assert len(name.encode()) <= MOST_BYTES
        assert clean_name(name) == name, "it stays what it is"
        key_of(name)
    if said is not None:
        assert 0 < len(said) <= 300
        assert clean_text(said, 300) is not None
    shortened(text)
    assert plain(text).isascii()
    clean(text).encode()
    return bool(name or said)


DECODERS = (Decoder("texts", SAID, plainly(_texts), "bytes", WORDS, most=2000),)
