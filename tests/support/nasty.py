"""What strangers put into every text that they may send, and whether any of it is left in what others get."""

from typing import Any, Final

import msgspec

from cartino_protocol.text import is_control, is_visible, legible

BIDI: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
NASTY: Final = {
    "escape": "ev\x1b[2Jil",
    "bare escape": "evil\x1b",
    "title": "ev\x1b]0;owned\x07il",
    "note": "ev\x1b]777;notify;owned;you\x1b\\il",
    "clipboard": "ev\x1b]52;c;b3duZWQ=\x9cil",
    "c1 csi": "ev\x9b2Jil",
    "c1 osc": "ev\x9d0;owned\x9cil",
    "c1 dcs": "ev\x90q\x9cil",
    "nul": "ev\x00il",
    "newline": "evil\n2026-01-01 [info] forged=1",
    "return": "evil\rann: forged",
    "bell and backspace": "evil\x07\x08\x08\x08\x7f",
    "tab": "ev\til",
    "bidi": "".join(f"e{letter}v" for letter in BIDI),
    "one bidi": "\u202elive\u202c",
    "zero width": "e\u200bv\u200ci\u200dl\u2060\ufeff\u00ad\u180e",
    "variation selectors": "e\ufe0fv\ufe00i\U000e0100l\u180b",
    "marks": "evil" + "\u0301\u0316\u0489\u20dd" * 50,
    "tags": "evil" + "".join(chr(0xE0000 + ord(letter)) for letter in "cancel") + "\U000e007f",
    "wide": "\uff45\uff56\uff49\uff4c\u3000\U0001f4a9\U0001f468\u200d\U0001f469",
    "sprawling": "evil\ufdfd\u2e3b\U00012031",
    "halves": "e\u1161\u11a8\ud7b0vil",
    "blank letters": "e\u3164\u115f\u1160\uffa0\u2800\u00a0il",
    "line separators": "e\u2028v\u2029il\x85",
    "unassigned and private": "e\u0378\ue000\U000f0000\U0010fffdvil",
    "format of others": "e\ufff9v\ufffail\U0001d173\U00013430",
    "markup": "[red]evil[/red][@click=app.bell]x[/]",
    "placeholders": "{name} %s %(x)s {0} {__class__}",
    "long": "evil" * 25_000,
    # Longer than any command may be, but not by much: to normalise marks takes quadratic time.
    "long marks": "e" + "\u0301\u0316" * 5_000,
}
LONGEST: Final = 1000
"""Characters of any text that reaches others."""


def texts_of(message: object) -> list[str]:
    """Every text in a message, however deep, of the bytes in it as well."""
    found: list[str] = []

    def walk(value: Any) -> None:
        match value:
            case str():
                found.append(value)
            case bytes():
                found.append(value.decode("latin-1"))
            case dict():
                walk(list(value))
                walk(list(value.values()))
            case list() | tuple():
                for each in value:
                    walk(each)

    walk(msgspec.msgpack.decode(msgspec.msgpack.encode(message)))
    return found


def faults_of(text: str, longest: int = LONGEST) -> list[str]:
    """What is in `text` that nobody may put onto another's screen; in words, for whoever reads the failure."""
    faults = [f"U+{ord(letter):04X}" for letter in text if is_control(letter) or not is_visible(letter)]
    if legible(text) != text:
        faults.append("marks")
    return faults + ["too long"] * (len(text) > longest)
