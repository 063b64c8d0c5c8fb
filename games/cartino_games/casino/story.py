"""What happened at a table of Casino and what a play would do, as sentences for the screen and for speech."""

from collections.abc import Callable, Sequence
from typing import Final

from cartino_games.casino.arithmetic import gain
from cartino_games.casino.cards import BIG, LOW
from cartino_games.casino.views import CasinoEvent, CasinoView, Play
from cartino_games.kit.marks import UNICODE, Marks
from cartino_games.kit.spoken import card_name, cards, name_of, points, suit_name
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.i18n import Translator

_SAID = {
    "trail": (N_("{name} trails {card}."), N_("You trail {card}.")),
    "capture": (N_("{name} takes {cards} with {card}."), N_("You take {cards} with {card}.")),
    "sweep": (N_("{name} sweeps {cards} with {card}!"), N_("You sweep {cards} with {card}!")),
    "build": (N_("{name} builds {n} with {card} on {cards}."), N_("You build {n} with {card} on {cards}.")),
    "raise": (N_("{name} raises a build to {n} with {card}."), N_("You raise a build to {n} with {card}.")),
    "add": (N_("{name} adds {cards} to the build of {n}."), N_("You add {cards} to the build of {n}.")),
    "deal": (N_("{name} deals and lays {cards} on the table."), N_("You deal and lay {cards} on the table.")),
    "hand": (N_("{name} deals the next hand."), N_("You deal the next hand.")),
    "last-hand": (N_("{name} deals the last hand!"), N_("You deal the last hand!")),
    "left": (N_("{name} gets the remaining cards: {cards}."), N_("You get the remaining cards: {cards}.")),
    "score": (N_("Deal {n} has been scored."), N_("Deal {n} has been scored.")),
}  # fmt: skip
"""What somebody else did, and what the reader did."""

Said = Callable[[Sequence[str]], str]
"""Says cards: by their names, or as they are drawn."""


def event_template(view: CasinoView, event: CasinoEvent, *, mine: bool) -> tuple[str, Sequence[str], int]:
    """Return an event as a template with places for `name`, `card`, `cards` and `n`; its cards, and its number."""
    kind, taken, n = str(event.kind), event.takes, event.value
    if kind == "add":
        taken = (event.card, *taken[: n != LOW[event.card]])
    elif kind == "deal" and n:
        kind = "hand" if 4 + 4 * len(view.totals) * (n + 1) < 52 else "last-hand"
    return _SAID["sweep" if event.sweep else kind][mine], taken, n + (kind == "score")


def narrate_event(table: TableView, view: CasinoView, event: CasinoEvent, translator: Translator) -> str:
    """Return an event in a spoken sentence."""
    sentence, taken, n = event_template(view, event, mine=event.seat == table.you)
    card = cards([event.card], translator) if event.card else ""
    return translator.gettext(
        sentence, name=name_of(table, event.seat), card=card, cards=cards(taken, translator), n=n
    )


_MOVES: Final = {
    "trail": N_("trail {card}"),
    "capture": N_("take {cards} with {card}"),
    "build": N_("build {n} with {card} on {cards}"),
    "raise": N_("raise a build to {n} with {card}"),
    "add": N_("add {card} to the build of {n}"),
}


def move_said(play: Play, translator: Translator) -> str:
    """Return a play by itself, as it is spoken."""
    card, taken = card_name(play.card, translator), cards(play.takes, translator)
    return translator.gettext(_MOVES[play.act], card=card, cards=taken, n=play.value)


def offer(view: CasinoView, play: Play, translator: Translator, said: Said) -> str:
    """Return what `play`, allowed or not, is: "build 9 on 7♣"."""
    n, low, loose = play.value, LOW[play.card], [card for card in play.takes if card in view.loose]
    text = {
        "trail": N_("trail it"),
        "capture": N_("take {cards}") if n == low else N_("as {n}: take {cards}"),
        "build": N_("build {n} on {cards}, locked") if n == low else N_("build {n} on {cards}"),
        "raise": N_("raise {old} to {n}"),
        "add": N_("add it with {cards} to the {n}") if loose else N_("add it to the {n}"),
    }[play.act]
    return translator.gettext(
        text, n=n, old=n - low, cards=said(play.takes if play.act == "capture" else loose)
    )


def gains(view: CasinoView, play: Play, translator: Translator, suit: str) -> str:
    """Return what a capture gains: "4 cards, clubs 2, 1 point, sweep"; "" for others. `suit` names the special one."""
    taken, of_suit, worth, sweep = gain(view, play)
    gained = (
        translator.ngettext("{n} card", "{n} cards", taken) if taken else "",
        f"{suit} {of_suit}" if of_suit else "",
        points(worth, translator) if worth else "",
        translator.gettext("sweep") if sweep else "",
    )
    return ", ".join(filter(None, gained))


Column = tuple[str, str, Sequence[int]]
"""A thing that scores: its name, in full and short, and its points a seat."""


def columns(view: CasinoView, translator: Translator, marks: Marks = UNICODE) -> Sequence[Column]:
    """Return what the deal that was scored last is made of, its points last; nothing before."""
    score, gettext, suit = view.score, translator.gettext, view.customs.suit
    return () if score is None else (
        (gettext("most {suit}", suit=suit_name(suit, translator)), marks.suits[suit], score.suit),
        (gettext("most cards"), gettext("cards"), score.cards),
        (gettext("big casino"), marks.card(BIG), score.big),
        (gettext("little casino"), marks.card("2" + suit), score.little),
        (gettext("aces"), marks.rank("AS"), score.aces),
        (gettext("last capture"), translator.pgettext("account", "last"), score.last),
        (gettext("sweeps"), gettext("swp"), score.sweeps),
        (gettext("deal"), gettext("deal"), score.points),
    )  # fmt: skip


def is_fresh(view: CasinoView) -> bool:
    """Return whether a deal was scored and the reader (for spectators: nobody) has played since."""
    kinds = [event.kind for event in view.recent]
    since = view.recent[len(kinds) - kinds[::-1].index("score") :] if "score" in kinds else ()
    return "score" in kinds and not any(event.card and view.you in (None, event.seat) for event in since)
