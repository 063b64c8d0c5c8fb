"""Big letters for a room's code, three rows high: each is a picture of 5 lines of 3 dots, two lines a row."""

from cartino_protocol.ids import CODE_ALPHABET

HEIGHT = 3
WIDTH = 3

# One string a letter, its five lines from the top, in octal: 4 the left dot, 2 the middle, 1 the right.
_PICTURES = (
    "25755 65656 34443 65556 74647 74644 34553 55755 11152 55655 44447 57755 "  # A to M, without I
    "75555 65644 25563 65655 34216 72222 55557 55552 55775 55255 55222 71247 "  # N to Z, without O
    "61247 61216 55711 74616 34757 71222 75757 75716"  # 2 to 9
)
_LINES = dict(zip(CODE_ALPHABET, _PICTURES.split(), strict=True))
_BLOCKS = " ▀▄█"


def big(code: str) -> tuple[str, ...]:
    """`code` as three rows of text, each letter 3 cells wide with a blank between; unknown letters are blank."""
    pictures = [_LINES.get(letter, "00000") + "0" for letter in code]
    return tuple(
        " ".join(_pair(int(picture[row]), int(picture[row + 1])) for picture in pictures) for row in (0, 2, 4)
    )


def _pair(upper: int, lower: int) -> str:
    return "".join(_BLOCKS[bool(upper & dot) + 2 * bool(lower & dot)] for dot in (4, 2, 1))
