"""What stands between the letters of a name and makes no other name of it: in names of today and in what is kept."""

from typing import Final

_BETWEEN: Final = dict.fromkeys(map(ord, " -_.'"))
"""What may stand between the letters of a name."""


def unparted(look: str) -> str:
    """`look` without what stands between letters; where there is nothing else, as it is.

    Looks that were kept by a house of before still have it.
    """
    return look.translate(_BETWEEN) or look
