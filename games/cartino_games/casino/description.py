"""What Casino tells people about itself, on the screen and in sentences alike: title, rules, refusals."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from cartino_games.casino.lessons import WORDS
from cartino_games.casino.story import told
from cartino_games.casino.views import CasinoView
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.game_port.description import GameDescription, Paragraph, Section, read_view
from cartino_tui.i18n import Translator

_views = msgspec.msgpack.Decoder(CasinoView)


def _section(heading: str, *texts: str | Paragraph) -> Section:
    return Section(heading, tuple(Paragraph(text) if isinstance(text, str) else text for text in texts))


def _ours(text: str) -> Paragraph:
    return Paragraph(text, ours=True)


_RULES = (
    _section(
        N_("What it is about"),
        N_("A Danish card game for two to four players, each for themselves: kortspil means card game."),
        N_("Capture cards from the table with the cards in your hand, and score for some of them."),
    ),
    _section(
        N_("The deal"),
        N_("52 cards. Each player gets four, two at a time, and four lie face up on the table."),
        N_("When all hands are empty, each gets four more; the table gets none. So until the pack is empty."),
        N_("The player left of the dealer begins the first hand, the next one the second, and so on."),
        N_("The last hand of a deal is announced."),
        _ours(N_("The last seat deals first, then the deal passes to the left.")),
    ),
    _section(
        N_("Values"),
        N_("Cards count what is printed on them. An ace counts 1 or 14."),
        N_("10♦, big casino, counts 10 or 16. 2♣, little casino, counts 2 or 15."),
        N_("You choose between both values only for a card in hand; on the table the low one counts."),
        N_("Option: in hand, only the high value counts."),
        N_("5♣ takes everything on the table, builds too. Trailed or built with, it is a plain 5."),
        N_("Option: spades instead of clubs, as in Denmark. 2♠ is little casino then, 5♠ takes everything."),
        _ours(N_("Jack, queen and king count 11, 12 and 13.")),
        _ours(N_("On an empty table, 5♣ can only be trailed.")),
    ),
    _section(
        N_("Your turn"),
        N_("Play one card, in one of five ways."),
        N_("Trail: lay it face up on the table. Not while you own a build."),
        N_("Take: cards of its value, sets that add up to it and builds of it, as many as you like at once."),
        N_("Build: lay it on a loose card. You must hold another card worth the sum."),
        N_("Or build on a card of equal value, if you hold one more. Such a build is locked at once."),
        N_("Raise: lay it on any build that isn't locked. You must hold a card of the new value."),
        N_("Add: put it on a build of its value, or with a loose card on one of their sum. That locks it."),
        _ours(N_("You never have to take, and never have to take everything you could.")),
    ),
    _section(
        N_("Builds"),
        N_("Anyone with a card of its value takes a build. It is taken whole and never part of a sum."),
        N_("There is one build of each value at most, and none above 16. A locked one can't be raised."),
        N_("While you own a build you may only take cards, or raise or add to your own build."),
        N_("Always keep a card of its value in hand, to take it before the hand is over."),
        _ours(N_("A build is owned by the last player who built, raised or added to it.")),
    ),
    _section(
        N_("Points"),
        N_("When the pack is played: most clubs 2, most cards 1. If players tie, nobody scores that."),
        N_("10♦ scores 2, 2♣ 1, each ace 1, the last capture 1. With the other two that makes 11."),
        N_("A sweep, a capture that clears the table, scores 1 more."),
        N_("Sweeps cancel out: the fewest that anybody has are taken off all. Option: they don't."),
        N_("Cards that are left at the end go to the player who captured last; that is no sweep."),
        _ours(N_("Clearing the table with 5♣, or with the very last card, is a sweep too.")),
        _ours(N_("If nobody captured anything in a deal, the cards that are left score for nobody.")),
    ),
    _section(
        N_("The end"),
        N_("Once a scored deal brings somebody to 21 points (option: 16 or 11), the highest total wins."),
        _ours(N_("Equal totals share the win.")),
    ),
    _section(
        N_("What is secret"),
        N_("Hands, the pack, and which cards lie in the piles; how many there are is open."),
        _ours(N_("When a deal is scored, everybody may see the piles. Spectators see no hands.")),
    ),
)

_REFUSED = {
    "over": N_("The game is over."),
    "not-in-hand": N_("You don't hold that card."),
    "not-on-table": N_("That isn't on the table."),
    "card-twice": N_("The same card is named twice."),
    "whole-build": N_("A build can't be taken apart."),
    "wrong-cards": N_("To build or add, use one loose card; to raise, none."),
    "not-a-value": N_("That card doesn't count as that value."),
    "nothing-taken": N_("There is nothing to take: name at least one card on the table."),
    "five-takes-all": N_("This five takes everything on the table or nothing."),
    "other-build": N_("That build has another value."),
    "does-not-add-up": N_("Those cards don't add up to that value."),
    "keep-for-build": N_("You own a build: keep a card that takes it, or take it now."),
    "own-a-build": N_("While you own a build, only take cards, or raise or add to your own build."),
    "not-your-build": N_("You own another build: raise or add only to that one."),
    "no-card-for-build": N_("You hold no other card of that value to take the build with."),
    "multiple-never-raised": N_("That build is locked, so it can't be raised."),
    "above-16": N_("No build goes above 16."),
    "use-add": N_("There is a build of that value: add to it instead."),
}
_KINDS = {
    "spades": N_("spades"), "off": N_("all sweeps"), "high": N_("high values"), "16": N_("to 16"), "11": N_("to 11")
}  # fmt: skip
"""The values of options that differ from the usual game, as they stand behind its title."""


class CasinoDescription(GameDescription[CasinoView]):
    """Names, rules and refusals of Casino."""

    name = "casino"
    title = N_("Casino (card game)")
    rules = _RULES
    lessons = WORDS
    refusals: ClassVar = _REFUSED
    facts: ClassVar = {"deal": N_("best deal")}

    def read(self, raw: msgspec.Raw) -> CasinoView:
        """See GameDescription."""
        return read_view(_views, raw)

    def told(self, room: RoomView, view: CasinoView, translator: Translator) -> str:
        """See GameDescription."""
        return told(room, view, view.recent[-1], translator) if view.recent else ""

    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        """See GameDescription: with every option that isn't the usual one ("Casino (card game), spades, to 16")."""
        kinds = (_KINDS[value] for value in options.values() if value in _KINDS)
        return ", ".join(translator.gettext(words) for words in (self.title, *kinds))
