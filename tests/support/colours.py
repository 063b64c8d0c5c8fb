"""What colours look like to whom: contrast (WCAG 2.1), colour-blindness (Machado 2009, and for a second opinion Viénot
1999 and Brettel 1997), difference (CIEDE2000)."""

import math
from typing import Final

from rich.color import Color

Linear = tuple[float, float, float]
"""Light of red, green and blue, from 0 to 1."""

Matrix = tuple[Linear, Linear, Linear]

KINDS: Final[dict[str, Matrix]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Machado, Oliveira, Fernandes 2009: what is left of a colour for those who lack a kind of cone entirely."""

_VIENOT: Final[dict[str, Matrix]] = {
    "protan": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deutan": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}
"""Viénot, Brettel, Mollon 1999, for the light of sRGB."""

_BRETTEL: Final[tuple[Matrix, Matrix]] = (
    ((1.01277, 0.13548, -0.14826), (-0.01243, 0.86812, 0.14431), (0.07589, 0.80500, 0.11911)),
    ((0.93678, 0.18979, -0.12657), (0.06154, 0.81526, 0.12320), (-0.37562, 1.12767, 0.24796)),
)
"""Brettel, Viénot, Mollon 1997 for tritan, for the light of sRGB: one matrix on each side of a plane. Machado's, which
holds for protan and deutan, is known to be off there."""
_PLANE: Final[Linear] = (0.03901, -0.02788, -0.01113)


def linear(colour: Color) -> Linear:
    """The light of an sRGB colour."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour.get_truecolor()
    )
    return red, green, blue


def contrast(one: Color, other: Color) -> float:
    """How much brighter the brighter of two colours is: from 1 to 21."""
    low, high = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(linear, (one, other))
    )
    return (high + 0.05) / (low + 0.05)


def difference(one: Color, other: Color, kind: str = "normal") -> float:
    """How different two colours look to people of that kind (CIEDE2000): 2 is just seen in two large fields.

    By whichever of the simulations of that kind has them less different.
    """
    return min(
        _ciede2000(_lab(first), _lab(second))
        for first, second in zip(_seen(one, kind), _seen(other, kind), strict=True)
    )


def _seen(colour: Color, kind: str) -> list[Linear]:
    """The colour as each simulation has it."""
    light = linear(colour)
    ways = [KINDS[kind]]
    if kind == "tritan":
        ways.append(_BRETTEL[_dot(_PLANE, light) < 0])
    elif kind in _VIENOT:
        ways.append(_VIENOT[kind])
    return [_through(matrix, light) for matrix in ways]


def _through(matrix: Matrix, light: Linear) -> Linear:
    red, green, blue = (min(1.0, max(0.0, _dot(row, light))) for row in matrix)
    return red, green, blue


def _dot(one: Linear, other: Linear) -> float:
    return sum(weight * part for weight, part in zip(one, other, strict=True))


def _lab(light: Linear) -> tuple[float, float, float]:
    red, green, blue = light
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (
        part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _ciede2000(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """Sharma, Wu, Dalal 2005, with their names."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean**7 / (mean**7 + 25**7))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lightness, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * math.cos(math.radians(h - 30))
        + 0.24 * math.cos(math.radians(2 * h))
        + 0.32 * math.cos(math.radians(3 * h + 6))
        - 0.20 * math.cos(math.radians(4 * h - 63))
    )
    sl = 1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rotation = -math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2)))) * (
        2 * math.sqrt(c**7 / (c**7 + 25**7))
    )
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * dc / sc * dh / sh)
