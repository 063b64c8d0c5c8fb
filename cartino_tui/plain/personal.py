"""What a person chooses for themselves, as far as it matters in lines: the language."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

from cartino_tui.plain.topic import Choice, Topic
from cartino_tui.tongue import Language

_OWN_NAMES: Final[dict[Language, str]] = {"en": "English", "fr": "Français", "de": "Deutsch"}
"""Each language as those who read it call it: it is looked for by people who can't read the one that is set."""


class Personal(Topic):
    """The settings."""

    def opening(self) -> Sequence[str]:
        """What can be chosen."""
        return (self.tongue.say("The language of the house, for you:"),)

    def choices(self) -> Sequence[Choice]:
        """The languages."""
        languages = [Choice(name, partial(self._choose, code), (code,)) for code, name in _OWN_NAMES.items()]
        return (Choice(self.tongue.say("as your terminal says"), partial(self._choose, "auto")), *languages)

    def _choose(self, language: Literal["auto"] | Language) -> None:
        self.floor.preferences.choose(language=language)
        news = self.floor.preferences.news()
        if news is not None:
            self.floor.say(news, awaited=False)
        spoken = next((name for code, name in _OWN_NAMES.items() if code == self.tongue.name), "")
        self.floor.tell(self.tongue.say("The language of the house is {language} now.", language=spoken))
        self.floor.pop()
