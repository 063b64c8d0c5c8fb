"""The settings as rows: label, choices, note, and where an automatic value comes from."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import AnyScreen
from cartino_tui.i18n import Translator
from cartino_tui.preferences import Preferences


class SettingRow(msgspec.Struct, frozen=True):
    """A row: the field of `Settings` called `name`, its `label`, and its `choices` as (value, label), in English.

    `note`: what it is for; `of_games`: shown only if a game needs it (`GameScreen.settings`).
    """

    name: str
    label: str
    choices: tuple[tuple[object, str], ...]
    note: str
    of_games: bool = False


_AUTO = ("auto", N_("auto"))
_ON_OFF: tuple[tuple[object, str], ...] = ((True, N_("on")), (False, N_("off")))

SETTING_ROWS: Final[tuple[SettingRow, ...]] = (
    SettingRow(
        "language",
        N_("Language"),
        (_AUTO, ("en", "English"), ("fr", "français"), ("de", "Deutsch")),
        N_("Interface language."),
    ),
    SettingRow(
        "letters",
        N_("Card letters"),
        (_AUTO, ("en", "A K Q J"), ("fr", "A R D V"), ("de", "A K D B")),
        N_("The letters for ace, king, queen and jack."),
        of_games=True,
    ),
    SettingRow(
        "theme",
        N_("Colours"),
        (
            _AUTO,
            ("felt", N_("felt")),
            ("dark", N_("dark")),
            ("light", N_("light")),
            ("contrast", N_("high contrast")),
            ("nord", "nord"),
            ("gruvbox", "gruvbox"),
            ("catppuccin", "catppuccin"),
            ("own", N_("the terminal's own")),
        ),
        N_("Colour theme. No effect on terminals without colour."),
    ),
    SettingRow(
        "deck",
        N_("Deck"),
        (("four", N_("four colours")), ("two", N_("two colours"))),
        N_("One colour per suit, or just red and black."),
        of_games=True,
    ),
    SettingRow(
        "characters",
        N_("Characters"),
        (_AUTO, ("unicode", N_("all")), ("ascii", N_("plain (ASCII)"))),
        N_("ASCII only, for terminals where symbols and lines don't line up."),
    ),
    SettingRow(
        "motion",
        N_("Animations"),
        (_AUTO, *((value, words) for value, (_, words) in zip(("on", "off"), _ON_OFF, strict=True))),
        N_("Animate moves and points."),
    ),
    SettingRow(
        "keymap",
        N_("Keys"),
        (
            ("arrows", N_("arrows and h j k l")),
            ("vi", "vi"),
            ("own", N_("your own")),
        ),
        N_("Movement keys; the arrows always work. Press m to see and change all keys."),
    ),
    SettingRow("bell", N_("Bell"), _ON_OFF, N_("Ring when it's your turn and you're in another window.")),
    SettingRow("title", N_("Window title"), _ON_OFF, N_("Show whose turn it is.")),
    SettingRow(
        "notify",
        N_("Notifications"),
        _ON_OFF,
        N_("Desktop notification when it's your turn, if your terminal supports it."),
    ),
    SettingRow("hints", N_("Hints"), _ON_OFF, N_("For beginners: press i for a hint in games against bots.")),
)


def relevant_screens(screens: Mapping[str, AnyScreen], table: TableView | None) -> Mapping[str, AnyScreen]:
    """Return the screen of the game in `table` alone, or all `screens` without a table."""
    screen = None if table is None else screens.get(table.game)
    return screens if screen is None else {screen.name: screen}


def relevant_rows(screens: Mapping[str, AnyScreen]) -> tuple[SettingRow, ...]:
    """Return the rows that the games of `screens` need."""
    used = frozenset[str]().union(*(screen.settings for screen in screens.values()))
    return tuple(row for row in SETTING_ROWS if not row.of_games or row.name in used)


def chosen_index(setting: SettingRow, wanted: Preferences) -> int:
    """Return the index of the current choice; 0 if it is unknown."""
    value = getattr(wanted.settings, setting.name)
    return next((at for at, (known, _) in enumerate(setting.choices) if known == value), 0)


def next_value(setting: SettingRow, wanted: Preferences, by: int) -> object:
    """Return the value `by` choices further, round at the ends."""
    return setting.choices[(chosen_index(setting, wanted) + by) % len(setting.choices)][0]


def value_text(setting: SettingRow, wanted: Preferences, translator: Translator) -> str:
    """Return the current choice as text, and what an automatic one stands for."""
    value, words = setting.choices[chosen_index(setting, wanted)]
    said = translator.gettext(words)
    if value != "auto":
        return said
    return translator.gettext(
        "{auto}: {value}", auto=said, value=_automatic_value(setting, wanted, translator)
    )


def _automatic_value(setting: SettingRow, wanted: Preferences, translator: Translator) -> str:
    now: dict[str, object] = {
        "language": wanted.own_language,
        "letters": wanted.letters,
        "theme": wanted.look,
        "motion": "on",
        "characters": "ascii" if wanted.ascii else "unicode",
    }
    return next(translator.gettext(words) for value, words in setting.choices if value == now[setting.name])


def note_text(setting: SettingRow, wanted: Preferences, translator: Translator) -> str:
    """Return what the setting is for, and the source of an automatic value."""
    note = translator.gettext(setting.note)
    if setting.choices[chosen_index(setting, wanted)][0] != "auto":
        return note
    return translator.gettext("{note} {source}", note=note, source=_SOURCES[setting.name](wanted, translator))


def _background_source(wanted: Preferences, translator: Translator) -> str:
    match wanted.own_ground:
        case "dark":
            return translator.gettext("Your terminal reports a dark background.")
        case "light":
            return translator.gettext("Your terminal reports a light background.")
        case _:
            return translator.gettext("Your terminal doesn't report its background colour.")


_SOURCES: Final[dict[str, Callable[[Preferences, Translator], str]]] = {
    "language": lambda _, translator: translator.gettext("Taken from LANG, if your terminal sends it."),
    "letters": lambda _, translator: translator.gettext("They follow the language."),
    "theme": _background_source,
    "characters": lambda wanted, translator: (
        translator.gettext("Your terminal lacks the others or draws them too wide.")
        if wanted.own_ascii
        else translator.gettext("Your terminal can draw them all.")
    ),
    "motion": lambda _, translator: translator.gettext("Off on slow connections."),
}
