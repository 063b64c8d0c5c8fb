"""The language of a table in a window, told by the letters of the court cards."""

from cartino_tui.i18n import Language, translator_for
from tests.support.terminals import Terminal

_LETTERS = {"en": "AKQJ", "fr": "ARDV", "de": "AKDB"}


def sees_letters_of(language: Language, window: Terminal) -> None:
    """Wait for a table with the letters of that language, and check that it has no others."""
    window.sees(rf"q {translator_for(language).gettext('leave')}")
    window.sees(rf"{_LETTERS[language][-1]}[♠♥♦♣]")
    others = set("AKQJRDVB") - set(_LETTERS[language])
    shown = window.screen()
    assert [letter for letter in sorted(others) if f"{letter}♠" in shown] == []


def leave_in(language: Language, window: Terminal) -> None:
    """Leave the table and the server by the keys that the hint line names in that language."""
    gettext = translator_for(language).gettext
    for key, then in (("q", f"y {gettext('yes')}"), ("y", f"q {gettext('quit')}")):
        window.press(key)
        window.sees(then)
    window.press("q")
    assert window.exit_status() == 0
