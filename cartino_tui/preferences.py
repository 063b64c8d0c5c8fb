"""What holds for one person on one terminal: their settings, and what the terminal says where they leave it open."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from cartino_protocol.commands import Prefer, QuickPlay
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.draw.roles import Deck
from cartino_tui.draw.theme import Ground, LookName
from cartino_tui.keymap import Keymap, keymap_of
from cartino_tui.settings import Settings, read_settings, said_of
from cartino_tui.tongue import ENGLISH, LANGUAGES, Language, Tongue, in_ascii, tongue_of

CardLetters = Literal["en", "fr", "de"]

_NAMED_BY: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(env: Mapping[str, str]) -> Language:
    """The language that a terminal's environment names, English where it names none of ours."""
    named = next((env[name] for name in _NAMED_BY if env.get(name)), "")
    code = named.replace("-", "_").split("_")[0].split(".")[0].lower()
    return next((language for language in LANGUAGES if language == code), "en")


class Preferences:
    """The settings of a visit as they are now; screens ask here each time they draw."""

    def __init__(
        self, language: Language = "en", *, ascii: bool = False, ground: Ground | None = None
    ) -> None:
        """Nothing chosen: the terminal speaks `language` and shows no more than ASCII, or all, on its own `ground`."""
        self.settings = Settings()
        self._unsaid: frozenset[str] = frozenset()
        """The settings that were changed since the house was told of them."""
        self._said: frozenset[str] = frozenset()
        """Those that it was told of last."""
        self.own_language = language
        self.own_ascii = ascii
        self.own_ground = ground
        """What the terminal says of itself; None where it says nothing of its ground."""

    @property
    def tongue(self) -> Tongue:
        """The language to speak."""
        chosen = self.settings.language
        tongue = tongue_of(self.own_language if chosen == "auto" else chosen)
        return in_ascii(tongue) if self.ascii and tongue is not ENGLISH else tongue

    @property
    def letters(self) -> CardLetters:
        """The letters on the court cards."""
        chosen = self.settings.letters
        if chosen != "auto":
            return chosen
        return next((language for language in LANGUAGES if language == self.tongue.name), "en")

    @property
    def ascii(self) -> bool:
        """Whether to draw with ASCII alone."""
        chosen = self.settings.characters
        return self.own_ascii if chosen == "auto" else chosen == "ascii"

    @property
    def keymap(self) -> Keymap:
        """Which key means what."""
        return keymap_of(self.settings)

    @property
    def look(self) -> LookName:
        """The theme to draw in."""
        chosen = self.settings.theme
        return self.own_ground or "dark" if chosen == "auto" else chosen

    @property
    def deck(self) -> Deck:
        """The colours of cards."""
        return self.settings.deck

    def choose(self, **choices: object) -> Settings:
        """Change some settings; all of them as they are then."""
        self.settings = msgspec.structs.replace(self.settings, **choices)
        self._unsaid |= choices.keys()
        return self.settings

    def played(self, room: RoomView) -> bool:
        """Remember the game of `room` for quick play, if the person plays there; return whether that is news."""
        if room.you is None or room.state != "playing" or room.game == self.settings.game:
            return False
        self.choose(game=room.game)
        return True

    def quick_play(self, welcome: Welcome | None) -> QuickPlay:
        """Return the command of quick play: the game played last, as far as it can be played here."""
        here = () if welcome is None else tuple(game.name for game in welcome.games)
        return QuickPlay(self.settings.game if self.settings.game in here else "")

    def news(self) -> Prefer | None:
        """What tells the house of all that it was not told yet, None for nothing. From now on it was."""
        if not self._unsaid:
            return None
        self._said, self._unsaid = self._unsaid, frozenset()
        return Prefer(said_of(self.settings, self._said))

    def unsay(self) -> None:
        """The house has not heard the last of it: it is to be told again."""
        self._unsaid |= self._said

    def learn(self, kept: bytes) -> None:
        """This is what the house has of the person; what it was not told yet holds all the same."""
        unsaid = {name: getattr(self.settings, name) for name in self._unsaid}
        self.settings = msgspec.structs.replace(read_settings(kept), **unsaid)

    def unlearn(self) -> None:
        """The house has nothing of the person any more: whatever they have chosen, it was not told."""
        chosen, default = msgspec.structs.asdict(self.settings), msgspec.structs.asdict(Settings())
        self._unsaid |= {name for name in chosen if chosen[name] != default[name]}
