"""A person's settings, their keymap, and what the terminal reports where a setting is "auto".

Settings travel to the server field by field, so two terminals don't overwrite each other; the server stores them
without reading them. A keymap changes what a key means everywhere; the action it replaces moves to another key.
Arrows, Enter and Esc never change.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec

from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.commands import Create, Prefer, QuickPlay
from cartino_protocol.views import TableView, Welcome
from cartino_tui.draw.theme import Deck, Ground, LookName
from cartino_tui.i18n import ENGLISH, LANGUAGES, Language, Translator, ascii_translator, translator_for
from cartino_tui.key_table import key_from_label, key_label

ThemeName = Literal["auto", "felt", "dark", "light", "contrast", "nord", "gruvbox", "catppuccin", "own"]
"""`own`: the colours of the terminal itself; `auto`: dark or light, whichever its ground is, as far as it tells."""
LettersSetting = Literal["auto", "en", "fr", "de"]
"""Letters of the court cards: A K Q J, A R D V, A K D B; `auto`: those of the language."""
Characters = Literal["auto", "unicode", "ascii"]
Motion = Literal["auto", "on", "off"]
"""`auto`: off on a slow line."""
KeymapName = Literal["arrows", "vi", "own"]


WINS_A_LEVEL: Final = 2
"""Wins against a bot until quick play is against the next one."""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The choices with their defaults. Fields of newer clients are ignored.

    `language`: "auto" for the one that the terminal's LANG names. `own_keys`: for the keymap "own", key by action.
    `bell`, `title`, `notify` (OSC 9 and 777) call a person whose turn it is while their terminal isn't in front.
    `hints`: hints are on, as from a newcomer's first game against bots. `taught`: the lessons need not be offered any
    more. `lessons`: by game, the lesson to resume with. `game`: the game they played last, "" for none. `wins`: games
    for two won against a bot, by game and bot ("GAME BOT"), up to those that quick play asks for.
    """

    language: Literal["auto"] | Language = "auto"
    letters: LettersSetting = "auto"
    theme: ThemeName = "auto"
    deck: Deck = "four"
    characters: Characters = "auto"
    motion: Motion = "auto"
    keymap: KeymapName = "arrows"
    own_keys: dict[str, str] = {}
    bell: bool = True
    title: bool = True
    notify: bool = True
    hints: bool = False
    taught: bool = False
    lessons: dict[str, int] = {}
    game: str = ""
    wins: dict[str, int] = {}


def encode_settings(settings: Settings, names: Iterable[str]) -> msgspec.Raw:
    """Encode the fields `names` of `settings` for `Prefer`: nil for one with its default."""
    chosen, default = msgspec.structs.asdict(settings), msgspec.structs.asdict(Settings())
    fields = {name: None if chosen[name] == default[name] else chosen[name] for name in sorted(names)}
    return msgspec.Raw(msgspec.msgpack.encode(fields))


def decode_settings(said: bytes) -> Settings:
    """Decode stored settings from MessagePack; values that this version doesn't know become the default."""
    return _decode_settings(said, msgspec.msgpack.decode)


def decode_settings_json(said: bytes) -> Settings:
    """Decode settings from JSON, which people may have written themselves."""
    return _decode_settings(said, msgspec.json.decode)


def _decode_settings(said: bytes, decode: Callable[..., Any]) -> Settings:
    try:
        fields: dict[str, msgspec.Raw] = decode(said, type=dict[str, msgspec.Raw])
    except DECODE_ERRORS:
        return Settings()
    known: dict[str, object] = {}
    for field in msgspec.structs.fields(Settings):
        if field.encode_name in fields:
            with contextlib.suppress(*DECODE_ERRORS):
                known[field.name] = decode(fields[field.encode_name], type=field.type)
    return msgspec.structs.replace(Settings(), **known)


ARROWS: Final = ("up", "down", "left", "right")
_SPARE_KEYS: Final = (
    "semicolon",
    "comma",
    "full_stop",
    "minus",
    "plus",
    "asterisk",
    "equals_sign",
    "underscore",
)
"""Keys that do nothing anywhere, for what has no other key left."""
RESERVED_CAPITALS: Final = frozenset("GNTY")
"""Capitals that mean something of their own somewhere."""
_FIXED_KEYS: Final = frozenset({*ARROWS, "enter", "escape", "backspace", "ctrl+l", *"0123456789"})
"""Keys that mean the same in every keymap; numbers choose among what is numbered on the screen."""


class Keymap(msgspec.Struct, frozen=True, eq=False):
    """`means`: what a key that is pressed stands for in the tables; `shows`: what is pressed for a key of theirs.

    Both by Textual's names. Keys that are not in them are what they are. Equal only to itself: `keymap_of` has one of
    each, and it is compared with every key.
    """

    means: Mapping[str, str] = MappingProxyType({})
    shows: Mapping[str, str] = MappingProxyType({})

    def meaning(self, key: str) -> str:
        """Return the key of the tables that `key` stands for."""
        return self.means.get(key, key)

    def key(self, meaning: str) -> str:
        """Return the key to press for `meaning`."""
        return self.shows.get(meaning, meaning)

    def shown(self, text: str) -> str:
        """Return `text`, keys as hints show them, with each replaced by the key to press."""
        return " ".join(self._shown(part) for part in text.split(" ")) if self.shows else text

    def all_shown(self, text: str) -> str:
        """Return the same for the help: all keys that can be pressed, the preferred one first."""
        return " ".join(dict.fromkeys(each for part in text.split(" ") for each in self._all(part)))

    @property
    def arrows(self) -> str:
        """The keys that move: up, down, left, right."""
        return "".join(key_label(self.key(arrow)) for arrow in ARROWS)

    def _shown(self, part: str) -> str:
        key = key_from_label(part)
        return key_label(self.shows[key]) if key in self.shows else part

    def _all(self, part: str) -> Iterator[str]:
        yield self._shown(part)
        key = key_from_label(part)
        if key in self.shows and key not in self.means:
            yield part


DEFAULT_KEYMAP: Final = Keymap()
"""Every key means what the tables say."""
_VI_KEYMAP: Final = Keymap(shows={"up": "k", "down": "j", "left": "h", "right": "l"})
"""These mean that already; so they need only be shown."""


def keymap_of(settings: Settings) -> Keymap:
    """Return the keymap of `settings`."""
    match settings.keymap:
        case "vi":
            return _VI_KEYMAP
        case "own":
            return _own_keymap(tuple(sorted(settings.own_keys.items())))
        case _:
            return DEFAULT_KEYMAP


def chosen_keys(settings: Settings) -> dict[str, str]:
    """Return the rebound keys by what they mean: none for another keymap than the person's own."""
    return dict(settings.own_keys) if settings.keymap == "own" else {}


def is_rebindable(key: str) -> bool:
    """Return whether `key` may be rebound: a single character, no digit."""
    return key not in _FIXED_KEYS and "+" not in key and len(key_label(key)) == 1


@lru_cache(maxsize=64)
def _own_keymap(own: tuple[tuple[str, str], ...]) -> Keymap:
    means: dict[str, str] = {}
    shows: dict[str, str] = {}
    for meaning, key in own:
        if is_rebindable(key) and key not in means and key != meaning:
            means[key] = meaning
            shows[meaning] = key
    for key in list(means):
        # The action that lost this key gets a free one.
        if key not in shows:
            capital = (key.upper(),) if key.islower() and key.upper() not in RESERVED_CAPITALS else ()
            spare = next((each for each in (*capital, *_SPARE_KEYS) if each not in means), key)
            means[spare] = key
            shows[key] = spare
    return Keymap(means, shows)


CardLetters = Literal["en", "fr", "de"]

_NAMED_BY: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(env: Mapping[str, str]) -> Language:
    """Return the language that a terminal's environment names, or English."""
    named = next((env[name] for name in _NAMED_BY if env.get(name)), "")
    code = named.replace("-", "_").split("_")[0].split(".")[0].lower()
    return next((language for language in LANGUAGES if language == code), "en")


class Preferences:
    """The settings of a visit as they are now; screens ask here each time they draw."""

    def __init__(
        self,
        language: Language = "en",
        *,
        ascii: bool = False,
        ground: Ground | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Start with `settings`; "auto" in them means `language`, `ascii` and `ground`, as the terminal reports."""
        self.settings = settings or Settings()
        self._unsent: frozenset[str] = frozenset()
        """Settings changed since they were last sent."""
        self._said: frozenset[str] = frozenset()
        """Settings sent last."""
        self.own_language = language
        self._running = ""
        """The commitment of the game that the person was last seen playing."""
        self.own_ascii = ascii
        self.own_ground = ground
        """What the terminal reports; the ground is None where it reports none."""

    @property
    def translator(self) -> Translator:
        """The language to speak."""
        chosen = self.settings.language
        translator = translator_for(self.own_language if chosen == "auto" else chosen)
        return ascii_translator(translator) if self.ascii and translator is not ENGLISH else translator

    @property
    def letters(self) -> CardLetters:
        """The letters on the court cards."""
        chosen = self.settings.letters
        if chosen != "auto":
            return chosen
        return next((language for language in LANGUAGES if language == self.translator.name), "en")

    @property
    def ascii(self) -> bool:
        """Whether to draw with ASCII alone."""
        chosen = self.settings.characters
        return self.own_ascii if chosen == "auto" else chosen == "ascii"

    @property
    def keymap(self) -> Keymap:
        """The keymap to use."""
        return keymap_of(self.settings)

    @property
    def look(self) -> LookName:
        """The theme to draw in."""
        chosen = self.settings.theme
        if chosen != "auto":
            return chosen
        return "light" if self.own_ground == "light" else "felt"

    @property
    def deck(self) -> Deck:
        """The colours of cards."""
        return self.settings.deck

    def choose(self, **choices: object) -> Settings:
        """Change some settings; return all of them."""
        self.settings = msgspec.structs.replace(self.settings, **choices)
        self._unsent |= choices.keys()
        return self.settings

    def bookmark(self, game: str, number: int) -> bool:
        """Have the lessons of `game` resume with lesson `number`; return whether that is news."""
        before = self.settings.lessons
        if number == before.get(game, 1):
            return False
        others = {name: at for name, at in before.items() if name != game}
        self.choose(lessons={**others, game: number} if number > 1 else others)
        return True

    @property
    def is_offered_lessons(self) -> bool:
        """Whether to offer lessons: to those who have never played, until they answer."""
        return not self.settings.taught and not self.settings.game

    def remember_game(self, table: TableView) -> None:
        """Remember the game of `table` for quick play, if the person plays there.

        A first game against bots turns hints on.
        """
        if table.you is None or table.state != "playing" or table.game == self.settings.game:
            return
        bots = all(seat.kind == "bot" for number, seat in enumerate(table.seats) if number != table.you)
        if bots and not self.settings.game:
            self.choose(hints=True)
        self.choose(game=table.game)

    def count_win(self, table: TableView) -> str:
        """Count a game for two won against a bot that was seen running; return the bot if it is beaten by now.

        It is beaten with the last of the wins that quick play asks for.
        """
        if table.state == "playing" and table.you is not None:
            self._running = table.commitment
        over = table.state == "finished" and table.you is not None and table.commitment == self._running
        if table.result is None or table.you is None or not over:
            return ""
        self._running = ""
        bots = [seat.name for seat in table.seats if seat.kind == "bot"]
        if len(table.seats) != 2 or not bots or table.result.winners != (table.you,):
            return ""
        rival = f"{table.game} {bots[0]}"
        wins = self.settings.wins.get(rival, 0) + 1
        if wins > WINS_A_LEVEL:
            return ""
        self.choose(wins={**self.settings.wins, rival: wins})
        return bots[0] if wins == WINS_A_LEVEL else ""

    def rival(self, game: str, levels: Iterable[str]) -> str:
        """Return the first bot of `levels` that isn't beaten yet in `game`; "" where all are."""
        wins = self.settings.wins
        return next((bot for bot in levels if wins.get(f"{game} {bot}", 0) < WINS_A_LEVEL), "")

    def quick_play(self, welcome: Welcome | None, levels: Mapping[str, Sequence[str]]) -> QuickPlay | Create:
        """Return the command of quick play: the game played last, as far as it can be played here.

        Against the weakest bot of the game's `levels` that isn't beaten yet, or else the strongest one. Those who have
        never played get a table with that bot; for the others somebody may wait.
        """
        games = () if welcome is None else welcome.games
        last = next((game for game in games if game.name == self.settings.game), None)
        game = last or next(iter(games), None)
        bots = [bot for bot in levels.get(game.name, ()) if bot in game.bots] if game is not None else []
        bot = self.rival(game.name, bots) or (bots[-1:] or [""])[0] if game is not None else ""
        if game is not None and bot and not self.settings.game:
            seats = max(2, game.seats[0])
            return Create(game.name, seats=seats, bots=(bot,) * (seats - 1))
        return QuickPlay(game.name, bot) if last is not None and game is not None else QuickPlay()

    def flush_unsent_settings(self) -> Prefer | None:
        """Return the command that saves unsent settings, None for nothing; they count as sent from now on."""
        if not self._unsent:
            return None
        self._said, self._unsent = self._unsent, frozenset()
        return Prefer(encode_settings(self.settings, self._said))

    def mark_unsent(self) -> None:
        """Mark what was sent last as unsent: the server did not save it."""
        self._unsent |= self._said

    def learn(self, kept: bytes) -> None:
        """Take over the stored settings, except those that are unsent."""
        unsaid = {name: getattr(self.settings, name) for name in self._unsent}
        self.settings = msgspec.structs.replace(decode_settings(kept), **unsaid)

    def mark_all_unsent(self) -> None:
        """Mark all that was chosen as unsent: the server has no settings of this person any more."""
        chosen, default = msgspec.structs.asdict(self.settings), msgspec.structs.asdict(Settings())
        self._unsent |= {name for name in chosen if chosen[name] != default[name]}
