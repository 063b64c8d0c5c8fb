"""Nobody has a name that the program says of somebody else, in any language it speaks."""

import pytest

from cartino_protocol.notices import ANNOUNCEMENTS
from cartino_server.lobby.people.names import clean_name, shortened, usable_name
from cartino_tui.i18n import LANGUAGES, Language
from cartino_tui.preferences import Preferences

WORDS = ("you", "bot", "Bots", "guest", "owner")
"""What the screens say beside names or in their place."""
ALONE = ("You: {text}", "Nobody could lay another stone.")
"""Begin with a word that nobody is called."""
MADE_UP = ("guest {name}", "bot {name}")
"""What lines say of guests and bots, who are no players with a key."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_called_what_the_program_calls_others(language: Language) -> None:
    translator = Preferences(language).translator
    for word in WORDS:
        assert clean_name(translator.gettext(word)) is None, word
    for sentence in ALONE:
        assert clean_name(translator.gettext(sentence, text="").split()[0].strip(":")) is None, sentence
    for sentence in MADE_UP:
        assert clean_name(translator.gettext(sentence, name="ann")) is None, sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_begins_as_what_the_host_or_the_server_says(language: Language) -> None:
    translator = Preferences(language).translator
    theirs = [form for form in ANNOUNCEMENTS.values() if form.startswith(("The host", "The server"))]
    assert len(theirs) > 3
    for form in theirs:
        # French writes an article together with its noun: "L'hôte".
        words = [
            word for word in translator.gettext(form, text="").replace("'", "' ").split() if word[0].isalpha()
        ]
        # With the article, alone, and as much of it as is no longer than a name.
        starts = (" ".join(words[:2]), words[1], shortened(" ".join(words)))
        for name in (start.replace("' ", "'").rstrip("'") for start in starts):
            assert clean_name(name) is None, name
            assert usable_name(name) == "player"
