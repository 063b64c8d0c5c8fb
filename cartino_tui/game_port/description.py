"""Describe a game to people: title, rules, lessons, and the words for refusals, records, endings and chance.

All texts are English and are translated where they are shown, so one instance serves every visitor. `read_view` turns
every fault into `msgspec.DecodeError`, because the bytes come from the network. A `GameCatalog` holds the installed
games and those that a server describes; it belongs to one visit, since servers differ.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from cartino_protocol.text import N_
from cartino_protocol.views import GameInfo, TableView
from cartino_tui.draw.text import capitalized
from cartino_tui.i18n import Translator


class ChanceWords(msgspec.Struct, frozen=True):
    """English sentences about the seed. The hash follows `open` before the game, and `begun` from its start on.

    `short` says `kept` in a few words.
    """

    heading: str
    open: str
    begun: str
    cut: str
    kept: str
    broken: str
    short: str


SHUFFLE: Final = ChanceWords(
    N_("The shuffle"),
    N_("A seed fixes the shuffle. It's revealed when the game ends; this is its SHA-256:"),
    N_("A seed fixed the shuffle. Its SHA-256, shown before the deal:"),
    N_("Optional: press x to add your own text to the shuffle."),
    N_("Fair shuffle verified: the seed matches the hash shown before the deal."),
    N_("The seed doesn't match the hash shown before the deal: this was a different shuffle."),
    N_("Fair shuffle verified"),
)
LOT: Final = ChanceWords(
    N_("Who goes first"),
    N_("A seed decides who goes first. It's revealed when the game ends; this is its SHA-256:"),
    N_("A seed decided who went first. Its SHA-256, shown before the game:"),
    N_("Optional: press x to add your own text to the draw that decides who goes first."),
    N_("Fair draw verified: the seed matches the hash shown before the game."),
    N_("The seed doesn't match the hash shown before the game: this was a different draw."),
    N_("Fair draw verified"),
)
"""For games in which chance only decides who begins."""


class TaskWords(msgspec.Struct, frozen=True):
    """A task in English: what to do, what was learned when it is done, and what to say to who strays from it.

    Cards stand in `{places}`, which the game fills (`lesson_places`).
    """

    task: str
    learnt: str
    astray: str = ""


class LessonWords(msgspec.Struct, frozen=True):
    """A lesson in English: its title, its introduction, and its tasks in order."""

    title: str
    begin: str
    tasks: tuple[TaskWords, ...]


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph of the rules, in English.

    `only` names the edition that it is about, "" for all; one that `compares` editions is left out of the rules of one.
    `ours`: the printed rules leave it open, and we decided it.
    """

    text: str
    only: str = ""
    ours: bool = False
    compares: bool = False

    def translate_paragraph(self, translator: Translator) -> str:
        """Return the paragraph, translated, behind its marks."""
        text = translator.gettext(self.text)
        if self.only and self.ours:
            return translator.gettext("{kind} only, our ruling: {rule}", kind=self.only, rule=text)
        if self.only:
            return translator.gettext("{kind} only: {rule}", kind=self.only, rule=text)
        if self.ours:
            return translator.gettext("Our ruling: {rule}", rule=text)
        return text


class Chapter(msgspec.Struct, frozen=True):
    """A translated part of the rules: its heading, and its paragraphs, a line each."""

    heading: str
    lines: tuple[str, ...]


class Section(msgspec.Struct, frozen=True):
    """A part of the rules in English."""

    heading: str
    paragraphs: tuple[Paragraph, ...]

    def select_edition(self, options: Mapping[str, str]) -> "Section":
        """Return the section without what is about other editions than that of `options`."""
        return Section(
            self.heading,
            tuple(
                msgspec.structs.replace(each, only="")
                for each in self.paragraphs
                if each.only in {"", *options.values()} and not each.compares
            ),
        )

    def translate_section(self, translator: Translator) -> Chapter:
        """Return the section, translated."""
        return Chapter(
            translator.gettext(self.heading),
            tuple(each.translate_paragraph(translator) for each in self.paragraphs),
        )


OLDER_GAMES_REMOVED: Final = N_("Older games are no longer kept.")

View = TypeVar("View", bound=msgspec.Struct)


class GameDescription(ABC, Generic[View]):
    """A game's view and words, shared by its screen and its speech; immutable."""

    name: ClassVar[str]
    """The game's name on the wire."""
    title: ClassVar[str]
    rules: ClassVar[Sequence[Section]]
    """The first section says what the game is about."""
    lessons: ClassVar[Mapping[str, LessonWords]] = MappingProxyType({})
    """By the lesson's name in the rules."""
    refusals: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The sentence, in English, for each rule that refuses a move."""
    facts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The English name of each entry of `Game.highlights`."""

    levels: ClassVar[tuple[str, ...]] = ()
    """The bots for quick play, weakest first: the next one after some wins. Without any it is the game's first bot."""
    chance: ClassVar[ChanceWords] = SHUFFLE
    no_chance: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options with which nothing is left to chance."""
    endings: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Why a game ends, in English, by the reasons that its rules give."""

    @abstractmethod
    def read(self, raw: msgspec.Raw) -> View:
        """Return the game's view in a `TableView.table`. Raises msgspec.DecodeError."""

    @abstractmethod
    def describe_last_action(self, table: TableView, view: View, translator: Translator) -> str:
        """Return the last action in one sentence, for a replay; "" at the start."""

    def move_said(self, move: msgspec.Raw, table: TableView, translator: Translator) -> str:
        """Return a move of the game in `table`, encoded, in a few words ("K♠ upper"), "" for one that needs none.

        Raises msgspec.DecodeError if it isn't one of this game.
        """
        return ""

    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        """Return the title with the options that name an edition ("Cartino 1969")."""
        return translator.gettext(self.title)

    def rules_of(self, options: Mapping[str, str]) -> Sequence[Section]:
        """Return the rules with these options, what the game is about first; without sections of other editions."""
        return [
            section for section in (each.select_edition(options) for each in self.rules) if section.paragraphs
        ]

    def chance_of(self, options: Mapping[str, str]) -> ChanceWords | None:
        """Return `chance`; None where these options leave nothing to chance."""
        sure = any(options.get(name) == choice for name, choice in self.no_chance.items())
        return None if sure else self.chance

    def describe_refusal(self, rule: str, translator: Translator) -> str:
        """Return the sentence for a rule that refused a move."""
        return translator.gettext(self.refusals.get(rule, N_("The rules don't allow that.")))

    def fact(self, fact: str, translator: Translator) -> str:
        """Return the name of an entry of `Game.highlights` ("best turn"); the entry itself if it has none."""
        return translator.gettext(self.facts[fact]) if fact in self.facts else fact


_COMMON_ENDINGS: Final = {
    "points": N_("the winning score was reached"),
    "abandoned": N_("abandoned before the end, so nobody won"),
}

AnyDescription = GameDescription[Any]


def bot_levels(games: Mapping[str, AnyDescription]) -> dict[str, tuple[str, ...]]:
    """Return each game's bots for quick play, weakest first."""
    return {name: game.levels for name, game in games.items()}


def game_title(
    games: Mapping[str, AnyDescription], game: str, options: Mapping[str, str], translator: Translator
) -> str:
    """Return what people call `game` with these options ("Cartino 1974").

    Its bare name where `games` lacks it or it fails, so that one game can't break a list.
    """
    known = games.get(game)
    try:
        return game if known is None else known.title_of(options, translator)
    except Exception:
        return game


def fact_name(games: Mapping[str, AnyDescription], game: str, fact: str, translator: Translator) -> str:
    """Return the name of an entry of `game`'s `highlights`; the entry itself if there is none."""
    try:
        return games[game].fact(fact, translator)
    except Exception:
        return fact


def end_reason(games: Mapping[str, AnyDescription], game: str, reason: str, translator: Translator) -> str:
    """Return why a game was over ("nobody could go on"); the bare reason if there are no words for it."""
    own = games[game].endings if game in games else {}
    return translator.gettext(own.get(reason) or _COMMON_ENDINGS.get(reason, reason))


def review_sentences(
    table: TableView, translator: Translator, move_said: Callable[[msgspec.Raw], str]
) -> list[str]:
    """Return what the reader learns after the end: points lost, new rating, and the turn of theirs that lost most.

    `move_said` returns a move in a few words. It may raise msgspec.DecodeError.
    """
    said: list[str] = []
    result = table.result
    if result is not None and result.lost is not None:
        lost = translator.decimal(result.lost)
        if not result.place:
            told = N_("You were {lost} points short.")
        elif table.sealed:
            told = N_("You were {lost} points short: rank {place} so far.")
        else:
            told = N_("You were {lost} points short: rank {place}.")
        said.append(translator.gettext(told, lost=lost, place=result.place))
    if result is not None and result.rating is not None:
        rating, change = result.rating.after, result.rating.after - result.rating.before
        shown = f"+{change}" if change > 0 else f"−{-change}" if change else "±0"
        said.append(translator.gettext("Your rating: {rating} ({change}).", rating=rating, change=shown))
    if result is not None and result.missed is not None:
        missed = result.missed
        try:
            words = [move_said(move) for move in missed.moves]
        except msgspec.DecodeError:
            words = []
        moves = "; ".join(filter(None, words))
        if missed.lost > max(0, missed.best - missed.made):
            moves = capitalized(moves)
            told = (
                N_(
                    "Your costliest turn: turn {turn}. {moves}: about {lost} points better in the long run, "
                    "{best} instead of {made} at once."
                )
                if moves
                else N_(
                    "Your costliest turn: turn {turn}, about {lost} points below the best in the long run."
                )
            )
        else:
            told = (
                N_("The best turn you missed: {best} points instead of {made} in turn {turn} ({moves}).")
                if moves
                else N_("The best turn you missed: {best} points instead of {made} in turn {turn}.")
            )
        places = {"turn": missed.turn, "best": missed.best, "made": missed.made, "lost": missed.lost}
        said.append(translator.gettext(told, moves=moves, **places))
    return said


ViewT = TypeVar("ViewT")


def read_view(decoder: msgspec.msgpack.Decoder[ViewT], raw: msgspec.Raw) -> ViewT:
    """Return the view in `raw`. Raises msgspec.DecodeError."""
    try:
        return decoder.decode(raw)
    except (UnicodeDecodeError, RecursionError) as error:
        # Invalid UTF-8 and endless nesting raise other errors in msgspec.
        raise msgspec.DecodeError(str(error)) from None


def fields_of(value: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a struct by the names that they have on the wire."""
    for attribute, name in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
        yield name, getattr(value, attribute)


def to_json_value(value: Any) -> Any:
    """Return `value` as JSON: every field of every struct by name, except unset ones; encoded moves as their fields."""
    if isinstance(value, msgspec.Raw):
        return msgspec.msgpack.decode(value)
    if isinstance(value, msgspec.Struct):
        fields = {name: to_json_value(field) for name, field in fields_of(value)}
        return {name: field for name, field in fields.items() if field is not msgspec.UNSET}
    if isinstance(value, tuple | list):
        return [to_json_value(each) for each in value]
    return value


Shown = TypeVar("Shown")


class GameCatalog(dict[str, Shown]):
    """Screens or speeches by game name: the `installed` ones, and one made by `foreign` for each other game.

    One per visit: a server's description of its games is meant for nobody else.
    """

    def __init__(self, installed: Mapping[str, Shown], foreign: Callable[[GameInfo], Shown]) -> None:
        super().__init__(installed)
        self._foreign: Final = foreign

    def learn(self, games: Sequence[GameInfo]) -> None:
        """Add the games that a server has."""
        for game in games:
            if game.name not in self:
                self[game.name] = self._foreign(game)


def add_server_games(shown: Mapping[str, Any], games: Sequence[GameInfo]) -> None:
    """Add the server's games, if `shown` is a `GameCatalog`."""
    if isinstance(shown, GameCatalog):
        shown.learn(games)
