"""The language in which the command line speaks: that of the environment it was started in."""

import os

from cartino_tui.preferences import language_of
from cartino_tui.tongue import Language, Tongue, tongue_of


def own_language() -> Language:
    """The language that this process's own terminal names."""
    return language_of(os.environ)


def own_tongue() -> Tongue:
    """That language as one to speak."""
    return tongue_of(own_language())
