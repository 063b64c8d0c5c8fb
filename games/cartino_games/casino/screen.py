"""Casino's table on the screen: loose cards and builds, a card's plays, the points of a deal."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random

import msgspec

from cartino_games.casino.arithmetic import ordered, plays, readings
from cartino_games.casino.bots import Keen
from cartino_games.casino.cards import BIG
from cartino_games.casino.description import CasinoDescription
from cartino_games.casino.story import brings, columns, happened, is_fresh, offer
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.cards import Face, card_face
from cartino_games.kit.choices import Choice
from cartino_games.kit.hand_screen import HandPointer, HandScene, HandScreen, Way
from cartino_games.kit.marks import marks_for
from cartino_games.kit.players import PlayerLine, seat_sign
from cartino_games.kit.result import Accounts, Ending, Entry, Heading, ledger, part
from cartino_games.kit.scene import names_of
from cartino_games.kit.text import Paragraph, Piece, Row, inked, phrase
from cartino_protocol.ids import Seat
from cartino_protocol.marking import N_
from cartino_protocol.views import RoomView
from cartino_tui.games.screen import Look

_LISTED = 12
"""The captures that are listed for a card."""


class CasinoScreen(CasinoDescription, HandScreen[CasinoView]):
    """Draws Casino and reads keys and clicks for it; see HandScreen, TableScreen, GameScreen for the methods."""

    most, text = 4, 4
    key_help = (
        ("1-4", N_("choose a card of your hand; then mark one of its plays")),
        ("↑ ↓ k j", N_("mark the play above or below")),
        ("← → h l", N_("go to a card or build on the table")),
        ("Space", N_("choose it: the list says what you would take or build with it")),
        ("Enter", N_("make the marked play")),
        ("Tab", N_("choose the next card of your hand")),
        ("Esc Backspace", N_("drop the chosen cards, then your card")),
        (N_("click"), N_("a card to choose it, a play to mark it, the marked play to make it")),
        ("9● 9●#", N_("a build: its value, its owner's sign, and # if it is locked")),
        ("★2", N_("a player's sweeps in this deal")),
    )

    def acting(self, view: CasinoView) -> tuple[Seat, ...]:
        """See HandScreen."""
        return () if view.on_turn is None else (view.on_turn,)

    def hand(self, view: CasinoView) -> Sequence[str]:
        """See HandScreen."""
        return view.hand

    def lying(self, view: CasinoView) -> Sequence[tuple[str, ...]]:
        """See HandScreen: the loose cards, then the builds."""
        return (*((card,) for card in view.loose), *(build.cards for build in view.builds))

    def plays(self, view: CasinoView, card: str, chosen: tuple[str, ...]) -> Sequence[Way]:
        """See HandScreen."""
        return _plays(view, card, chosen) if card in view.hand else ()

    def choice(self, scene: HandScene, move: Play) -> Choice:
        """See HandScreen."""
        tongue, suit = scene.look.tongue, scene.marks.suits[scene.view.customs.suit]
        return Choice(
            [(offer(scene.view, move, tongue, scene.shown), "text")], brings(scene.view, move, tongue, suit)
        )

    def face(self, scene: HandScene, cards: tuple[str, ...], *, picked: bool) -> Face:
        """See HandScreen: a build has its value and its owner's sign, and a lock."""
        build = next((build for build in scene.view.builds if build.cards == cards), None)
        if build is None:
            return card_face(scene.marks, cards[0], picked=picked)
        text = f"{build.value}{seat_sign(scene, build.owner)[0]}{'#' * build.multiple}"
        return Face(text, "button", "button", picked)

    def player(self, scene: HandScene, seat: Seat) -> PlayerLine:
        """See HandScreen."""
        view, say, (sign, role) = scene.view, scene.look.tongue.say, seat_sign(scene, seat)
        counts = say("hand {n}", n=view.held[seat]), say("pile {n}", n=view.taken[seat])
        return PlayerLine(
            f"{view.totals[seat]}/{view.customs.target}", [(sign, role), *((text, "text") for text in counts)]
        )

    def deed(self, scene: HandScene, seat: Seat) -> Sequence[Piece]:
        """See HandScreen: sweeps, and the last play."""
        event, sweeps = scene.view.last_play(seat), scene.view.sweeps[seat]
        swept = [(f"{scene.marks.joker}{sweeps} ", "points")] if sweeps else []
        if event is None:
            return swept
        act, taken = (" x ", event.takes) if event.kind == "capture" else (f" = {event.value}", ())
        return [
            *swept,
            *scene.pieces([event.card]),
            ("" if event.kind == "trail" else act, "dim"),
            *scene.pieces(taken),
        ]

    def notes(self, scene: HandScene) -> Sequence[Row]:
        """See HandScreen: the points of a deal until somebody plays, then the builds."""
        if is_fresh(scene.view):
            return [(), *ledger(scene, _accounts(scene), scene.plan.main.width - 2, with_rest=False)]
        rows = []
        for build in scene.view.builds:
            n, name = f"{build.value}{'#' * build.multiple}", scene.name(build.owner)
            said = scene.look.tongue.say(
                "{n} of {name}: {cards}", n=n, name=name, cards=scene.shown(build.cards)
            )
            rows.append([(0, scene.fit(said, scene.plan.main.width - 2), "dim")])
        return rows

    def log(self, scene: HandScene) -> Iterator[Paragraph]:
        """See HandScreen."""
        for event in reversed(scene.view.recent):
            said, taken, n = happened(scene.view, event, mine=False)
            name, card = (
                (scene.name(event.seat), "you" if event.seat == scene.you else "name"),
                scene.pieces(filter(None, [event.card])),
            )
            places = {"name": [name], "card": card, "cards": scene.pieces(taken), "n": [(str(n), "points")]}
            yield phrase(inked(scene.look.tongue.say(said), "dim", **places))

    def signs(self, scene: HandScene) -> Sequence[Piece]:
        """See TableScreen."""
        return scene.pieces("SHDC")

    def title_facts(self, scene: HandScene) -> Sequence[str]:
        """See TableScreen."""
        say, view = scene.look.tongue.say, scene.view
        pack = say("pack {n}", n=view.pack) if view.pack else say("last hand")
        return () if scene.over else (pack, say("deal {n}", n=view.deal + 1))

    def ending(self, scene: HandScene) -> Ending:
        """See TableScreen."""
        why = scene.look.tongue.say("Points are those of the last deal, totals those of all deals.")
        return Ending(why, "", _accounts(scene))

    def why(self, room: RoomView, view: CasinoView, pointer: HandPointer, look: Look, back: int) -> str:
        """See GameScreen: the piles of the deal that was scored last."""
        piles = zip(names_of(room, look), view.piles, strict=False)
        return "; ".join(f"{name}: {' '.join(map(marks_for(look).card, pile))}" for name, pile in piles)

    def advice(self, room: RoomView, view: CasinoView, look: Look) -> str:
        """See GameScreen: what the bot `keen` would play."""
        if not view.plays:
            return ""
        play, card = Keen().choose(msgspec.msgpack.encode(view), Random(0)), marks_for(look).card
        said = offer(view, play, look.tongue, lambda cards: " ".join(map(card, cards)))
        return look.tongue.say("Idea: {card}, {play}.", card=card(play.card), play=said)

    def lesson_places(self, look: Look) -> Mapping[str, str]:
        """See GameScreen."""
        return marks_for(look).names


@lru_cache(maxsize=64)
def _plays(view: CasinoView, card: str, chosen: tuple[str, ...]) -> Sequence[Way]:
    found = [] if chosen else [(play, None) for play in plays(view, card, _LISTED)]
    return [(ordered(view, play), rule) for play, rule in found or readings(view, card, chosen)]


def _accounts(scene: HandScene) -> Accounts:
    """What each player scored in the deal that was scored last, and the totals, the best first."""
    view, say, card = scene.view, scene.look.tongue.say, scene.marks.card
    short = (
        scene.marks.suits[view.customs.suit],
        say("cards"),
        card(BIG),
        card("2" + view.customs.suit),
        scene.marks.rank("AS"),
        say("last"),
        say("swp"),
    )
    parts = list(columns(view, scene.look.tongue))
    headings = [Heading(full, few) for (full, _), few in zip(parts, short, strict=False)]
    headings += [Heading(say("deal"), say("deal")), Heading(say("total"), say("all"))]
    entries = []
    for seat, total in sorted(enumerate(view.totals), key=lambda each: -each[1]):
        gained = view.score.points[seat] if view.score else 0
        cells = [
            *(part(scene, points[seat]) for _, points in parts),
            (str(gained), "text"),
            (str(total), "points"),
        ]
        entries.append(Entry(seat, 1 + sum(other > total for other in view.totals), cells))
    return Accounts(headings, entries)
