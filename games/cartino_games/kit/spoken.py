"""Cards, points and players in spoken sentences, for plain mode and wherever else a table is told in words."""

import re
from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec

from cartino_games.kit.marks import CARDS, COURTS, JOKER
from cartino_protocol.base import Seat
from cartino_protocol.views import TableView
from cartino_tui.draw.text import clean
from cartino_tui.game_port.speech import find_word
from cartino_tui.i18n import Translator

EventT = TypeVar("EventT")

_ENGLISH: Final = {letter: rank for courts in COURTS.values() for rank, letter in courts.items()}
"""The court cards by their letters in other languages, no two of which disagree."""


class NothingHeld(msgspec.Struct, frozen=True):
    """The selection of a game whose moves are one word each: nothing is ever chosen in part."""


def command_of(typed: str, words: Sequence[str]) -> str | None:
    """Return the command that was typed, in English; `words` are those of `Translator.command_words`."""
    number, count = find_word(words, typed), len(words) // 2
    return None if number is None else words[count + number % count]


def in_english(text: str) -> str:
    """Return typed cards or a move in capitals, with the letters of any language for court cards in English.

    `DHxDC` is `QHXQC`: a letter is a rank only in front of a suit.
    """
    return re.sub("[A-Z](?=[SHDC])", lambda found: _ENGLISH.get(found[0], found[0]), text.upper())


def in_letters(text: str, translator: Translator) -> str:
    """Return cards or a move, given in English, with the court cards' letters of the reader's language."""
    courts = COURTS["fr"] if translator.name == "fr" else COURTS["de"] if translator.name == "de" else {}
    return re.sub("[KQJ](?=[SHDC])", lambda found: courts.get(found[0], found[0]), text)


def rank_name(rank: str, translator: Translator) -> str:
    """Return a rank in words: `K` is "king"; a number stays what it is."""
    match rank:
        case "A":
            return translator.pgettext("card", "ace")
        case "K":
            return translator.pgettext("card", "king")
        case "Q":
            return translator.pgettext("card", "queen")
        case "J":
            return translator.pgettext("card", "jack")
        case _:
            return rank


def suit_name(suit: str, translator: Translator) -> str:
    """Return a suit in words: `S` is "spades"."""
    match suit:
        case "S":
            return translator.pgettext("suit", "spades")
        case "H":
            return translator.pgettext("suit", "hearts")
        case "D":
            return translator.pgettext("suit", "diamonds")
        case _:
            return translator.pgettext("suit", "clubs")


def card_name(card: str, translator: Translator) -> str:
    """Return a card in words, with its article: `KS` is "the king of spades", `*` is "joker"."""
    if card == JOKER:
        return translator.pgettext("card", "joker")
    gettext, suit = translator.gettext, suit_name(card[-1], translator)
    match card[:-1]:
        case "A":
            return gettext("the ace of {suit}", suit=suit)
        case "K":
            return gettext("the king of {suit}", suit=suit)
        case "Q":
            return gettext("the queen of {suit}", suit=suit)
        case "J":
            return gettext("the jack of {suit}", suit=suit)
        case number:
            return gettext("the {number} of {suit}", number=number, suit=suit)


def card_names(translator: Translator) -> dict[str, str]:
    """Return every card in words by its code, for the texts of lessons."""
    return {card: card_name(card, translator) for card in CARDS}


def cards(names: Sequence[str], translator: Translator) -> str:
    """Return cards in words: "the king of spades, the queen of hearts, joker"."""
    return ", ".join(card_name(name, translator) for name in names)


def points(n: int, translator: Translator) -> str:
    """Return so many points in words: "9 points", "minus 3 points"."""
    if n < 0:
        return translator.ngettext("minus {n} point", "minus {n} points", -n)
    return translator.ngettext("{n} point", "{n} points", n)


def listed(parts: Sequence[str], translator: Translator) -> str:
    """Return `parts`, which may have commas of their own, in one sentence; "" for none."""
    said = parts[-1] if parts else ""
    for part in reversed(parts[:-1]):
        said = translator.gettext("{first}; {others}", first=part, others=said)
    return said


def name_of(table: TableView, seat: Seat) -> str:
    """Return a player's name, `?` where the table has no such seat."""
    return clean(table.seats[seat].name) if seat < len(table.seats) else "?"


def headline(table: TableView, translator: Translator) -> str:
    """Return that the game is over and who won with how many points."""
    result = table.result
    if result is None or not result.totals:
        return translator.gettext("The game is over.")
    if not result.winners:
        return translator.gettext("The game was abandoned; nobody won.")
    gain = points(result.totals[result.winners[0]], translator)
    if result.winners == (table.you,):
        return translator.gettext("The game is over. You win with {points}.", points=gain)
    names = [name_of(table, seat) for seat in result.winners]
    if len(names) == 1:
        return translator.gettext("The game is over. {name} wins with {points}.", name=names[0], points=gain)
    return translator.gettext(
        "The game is over. {names} share the win with {points}.", names=", ".join(names), points=gain
    )


def find_new_events(old: tuple[EventT, ...], new: tuple[EventT, ...]) -> tuple[tuple[EventT, ...], bool]:
    """Return the events that `new` has and `old` hadn't, and whether some in between are missing.

    Both are the last events of a view, without numbers: the new ones are those that have to be put behind the old
    ones for the last of them to be `new`.
    """
    for kept in range(min(len(new), len(old)), 0, -1):
        if new[:kept] == old[-kept:]:
            return new[kept:], False
    return new, bool(old)
