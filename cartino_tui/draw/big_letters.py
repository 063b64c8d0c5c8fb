"""A table's code in letters of three rows of half blocks, to be read from afar."""

from typing import Final

from cartino_protocol.base import CODE_ALPHABET

# One string per letter, its five lines from the top, in octal: 4 the left dot, 2 the middle, 1 the right.
_PICTURES = (
    "25755 65656 34443 65556 74647 74644 34553 55755 11152 55655 44447 00000 "  # A to M, without I
    "00000 65644 25563 65655 34216 72222 55557 55552 00000 55255 55222 71247 "  # N to Z, without O
    "61247 61216 55711 74616 34757 71222 75757 75716"  # 2 to 9
)
_WIDE: Final = {
    "M": ("#...#", "##.##", "#.#.#", "#...#", "#...#"),
    "N": ("#..#", "##.#", "#.##", "#..#", "#..#"),
    "W": ("#...#", "#...#", "#.#.#", "##.##", "#...#"),
}
"""Letters that three dots in a row can't tell from H, U and V."""
_PICTURE_OF: Final[dict[str, tuple[str, ...]]] = {
    letter: tuple(f"{int(line):03b}".replace("0", ".").replace("1", "#") for line in picture)
    for letter, picture in zip(CODE_ALPHABET, _PICTURES.split(), strict=True)
} | _WIDE
_BLANK: Final = ("...",) * 5
_BLOCKS = " ▀▄█"


def big_letters(code: str) -> tuple[str, ...]:
    """Return `code` in three rows of text, with a blank between its letters; unknown ones are blank."""
    pictures = [_PICTURE_OF.get(letter, _BLANK) for letter in code]
    pictures = [(*picture, "." * len(picture[0])) for picture in pictures]
    return tuple(
        " ".join(_cell_row(picture[row], picture[row + 1]) for picture in pictures) for row in (0, 2, 4)
    )


def _cell_row(upper: str, lower: str) -> str:
    return "".join(_BLOCKS[(high == "#") + 2 * (low == "#")] for high, low in zip(upper, lower, strict=True))
