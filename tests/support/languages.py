"""The languages that the app speaks beside English, for what is drawn at every size."""

from typing import Final

import msgspec

from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import LANGUAGES, Language
from cartino_tui.preferences import Preferences

OTHERS: Final[tuple[Language, ...]] = tuple(language for language in LANGUAGES if language != "en")


def in_others(look: Look) -> tuple[Look, ...]:
    """`look` in each of them, with its own letters for the courts."""
    each = [Preferences(language, ascii=look.ascii) for language in OTHERS]
    return tuple(
        msgspec.structs.replace(look, translator=those.translator, letters=those.letters) for those in each
    )
