"""The languages that the app speaks beside English, for what is drawn at every size."""

from typing import Final

import msgspec

from cartino_tui.games.screen import Look
from cartino_tui.preferences import Preferences
from cartino_tui.tongue import LANGUAGES, Language

OTHERS: Final[tuple[Language, ...]] = tuple(language for language in LANGUAGES if language != "en")


def in_others(look: Look) -> tuple[Look, ...]:
    """`look` in each of them, with its own letters for the courts."""
    each = [Preferences(language, ascii=look.ascii) for language in OTHERS]
    return tuple(msgspec.structs.replace(look, tongue=those.tongue, letters=those.letters) for those in each)
