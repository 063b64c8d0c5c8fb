"""What Casino tells people about itself, on the screen and in sentences alike: title, rules, refusals."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.casino.lessons import WORDS
from cartino_games.casino.story import move_said, narrate_event
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.levels import LEVELS
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.description import GameDescription, Paragraph, Section, read_view
from cartino_tui.i18n import Translator

_views = msgspec.msgpack.Decoder(CasinoView)
_plays = msgspec.msgpack.Decoder(Play)


def _section(heading: str, *texts: str | Paragraph) -> Section:
    return Section(heading, tuple(Paragraph(text) if isinstance(text, str) else text for text in texts))


def _ours(text: str) -> Paragraph:
    return Paragraph(text, ours=True)


_RULES = (
    _section(
        N_("About the game"),
        N_("A Danish card game (kortspil) for two to four players, each playing alone."),
        N_("Capture cards from the table with cards from your hand; some of them score points."),
    ),
    _section(
        N_("The deal"),
        N_("52 cards. Each player is dealt four, two at a time, and four go face up on the table."),
        N_(
            "When all hands are empty, each player gets four more and the table none, until the pack is used up."
        ),
        N_("The player to the dealer's left starts the first hand, the next player the second, and so on."),
        N_("The last hand of a deal is announced."),
        _ours(N_("The player in the last seat deals first; then the deal passes to the left.")),
    ),
    _section(
        N_("Values"),
        N_("Number cards are worth their number. An ace is worth 1 or 14."),
        N_("10♦, the big casino, is worth 10 or 16. 2♣, the little casino, is worth 2 or 15."),
        N_(
            "You can choose between two values only for a card in your hand; on the table, the low one counts."
        ),
        N_("Option: in hand, only the high value counts."),
        N_(
            "5♣ takes everything on the table, including builds. When trailed or used in a build, it's an ordinary 5."
        ),
        N_(
            "Option: spades instead of clubs, as in Denmark. Then 2♠ is the little casino and 5♠ takes everything."
        ),
        _ours(N_("Jack, queen and king are worth 11, 12 and 13.")),
        _ours(N_("On an empty table, 5♣ can only be trailed.")),
    ),
    _section(
        N_("Your turn"),
        N_("Play one card in one of five ways."),
        N_("Trail: lay the card face up on the table. Not allowed while you own a build."),
        N_(
            "Capture: for one of its values, take cards of that value, sets that add up to it, and the build of it, as "
            "many as you like at once."
        ),
        N_("Build: lay it on a loose card. You must hold another card worth the sum."),
        N_("Or build on a card of equal value if you hold another one. Such a build is locked at once."),
        N_(
            "Raise: lay it on any build that isn't locked. The new value is the build's plus the card's low value; you "
            "must hold a card of it."
        ),
        N_("A raise to the value of another build joins the two into one locked build."),
        N_(
            "Add: put it on a build of its value, or with a loose card on a build of their sum. You must hold another "
            "card of that value. Adding locks the build."
        ),
        _ours(N_("You never have to capture, or to take everything you could.")),
    ),
    _section(
        N_("Builds"),
        N_(
            "Anyone with a card of its value can take a build. It's always taken whole and is never part of a sum."
        ),
        N_("There's at most one build of each value, and none above 16. A locked build can't be raised."),
        N_("While you own a build, you can only capture, raise it or add to it."),
        N_("Always keep a card of your build's value, so you can take it before the hand ends."),
        _ours(N_("A build belongs to the last player who built it, raised it or added to it.")),
    ),
    _section(
        N_("Points"),
        N_("At the end of a deal: most clubs 2, most cards 1. If players tie, nobody scores it."),
        N_(
            "10♦ scores 2, 2♣ 1, each ace 1, the last capture 1. "
            "Together with most clubs and most cards, that makes 11."
        ),
        N_("A sweep, a capture that clears the table, scores 1 extra point."),
        N_(
            "Sweeps cancel out: the lowest number any player has is deducted from everyone's. Option: all count."
        ),
        N_("Cards left at the end go to the last player who captured; that isn't a sweep."),
        _ours(N_("Clearing the table with 5♣ or with the very last card is also a sweep.")),
        _ours(N_("If nobody captures anything in a deal, the remaining cards score for nobody.")),
    ),
    _section(
        N_("Ending the game"),
        N_(
            "When a deal has been scored and someone has 21 points (option: 16 or 11), the highest total wins."
        ),
        _ours(N_("Players with equal totals share the win.")),
    ),
    _section(
        N_("What is secret"),
        N_("Hands, the pack, and the cards in the piles; the number of cards in each is visible."),
        _ours(N_("Once a deal is scored, everyone can see the piles. Spectators don't see any hands.")),
    ),
    _section(
        N_("Bots"),
        N_(
            "From weak to strong: random, beginner and learner make many mistakes, casual makes a few, greedy "
            "takes what counts most, careful also weighs what it leaves to others and builds, and expert "
            "thinks through what the others may hold."
        ),
        N_(
            "Over a deal played from both seats, each level from learner to greedy is ahead of the one below it "
            "about 2 times in 3, and careful is ahead of greedy about 4 times in 5."
        ),
    ),
)

_REFUSED = {
    "over": N_("The game is over."),
    "not-in-hand": N_("You don't hold that card."),
    "not-on-table": N_("That isn't on the table."),
    "card-twice": N_("You named the same card twice."),
    "whole-build": N_("A build can't be taken apart."),
    "wrong-cards": N_("To build or add, use one loose card; to raise, use none."),
    "not-a-value": N_("That card doesn't have that value."),
    "nothing-taken": N_("Nothing to take: choose at least one card on the table."),
    "five-takes-all": N_("This five takes either everything on the table or nothing."),
    "other-build": N_("That build has another value."),
    "does-not-add-up": N_("Those cards don't add up to that value."),
    "keep-for-build": N_("You own a build: keep a card that can take it, or take it now."),
    "own-a-build": N_("While you own a build, you can only capture, raise it or add to it."),
    "not-your-build": N_("You own another build: you can only raise or add to that one."),
    "no-card-for-build": N_("You hold no other card of that value to take the build with."),
    "multiple-never-raised": N_("That build is locked and can't be raised."),
    "above-16": N_("No build goes above 16."),
    "use-add": N_("There's already a build of that value: add to it instead."),
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
    levels: ClassVar[tuple[str, ...]] = LEVELS
    refusals: ClassVar = _REFUSED
    facts: ClassVar = {"deal": N_("best deal")}

    @override
    def read(self, raw: msgspec.Raw) -> CasinoView:
        return read_view(_views, raw)

    @override
    def describe_last_action(self, table: TableView, view: CasinoView, translator: Translator) -> str:
        return narrate_event(table, view, view.recent[-1], translator) if view.recent else ""

    @override
    def move_said(self, move: msgspec.Raw, table: TableView, translator: Translator) -> str:
        return move_said(_plays.decode(move), translator)

    @override
    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        """Return the title with every unusual option ("Casino (card game), spades, to 16")."""
        kinds = (_KINDS[value] for value in options.values() if value in _KINDS)
        return ", ".join(translator.gettext(words) for words in (self.title, *kinds))
