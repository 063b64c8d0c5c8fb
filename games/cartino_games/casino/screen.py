"""Casino's table on the screen: loose cards and builds, a card's plays, the points of a deal."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from rich.style import Style
from typing_extensions import override

from cartino_games.casino.arithmetic import ordered, plays, readings
from cartino_games.casino.bots import best_play
from cartino_games.casino.description import CasinoDescription
from cartino_games.casino.story import columns, gains, happened, is_fresh, offer
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.cards import PICTURED, Face, card_face
from cartino_games.kit.choices import ListedChoice
from cartino_games.kit.hands.mat import FaceDown
from cartino_games.kit.hands.screen import HandPointer, HandScene, HandScreen, Way
from cartino_games.kit.marks import marks_for
from cartino_games.kit.players import PlayerLine, seat_sign
from cartino_games.kit.result import Accounts, Ending, Heading, accounts_of, ledger, ledger_aside
from cartino_games.kit.scene import names_of
from cartino_games.kit.since import in_a_row, since_own
from cartino_games.kit.text import Paragraph, Piece, Row, phrase
from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style
from cartino_tui.game_port.screen import Look

_SPELT = 30
"""The cells from which words stand in full."""
_LISTED = 12
"""The captures that are listed for a card."""


def _build_roles(scheme: Scheme) -> dict[str, Style]:
    fill = scheme.colours.button
    return {
        "build": block_style(fill.ink, fill.ground),
        "build-edge": block_style(scheme.colours.rule_strong, fill.ground),
        "build-foot": text_style(fill.ground, scheme.colours.rule_strong),
    }


_BUILDS = RoleSet("casino", _build_roles, shading=frozenset({"build-edge", "build-foot"}))
"""A build of cards, which are its player's until somebody takes them."""


class CasinoScreen(CasinoDescription, HandScreen[CasinoView]):
    """Draws Casino and reads keys and clicks for it; see HandScreen, TableScreen, GameScreen for the methods."""

    most, text = 4, 4
    roles = (*HandScreen.roles, _BUILDS)
    key_help = (
        ("1-4", N_("choose a card from your hand")),
        *HandScreen.key_help,
        ("9● 9●#", N_("a build: its value, its owner's sign, and # if it is locked")),
    )

    @override
    def lying(self, view: CasinoView) -> Sequence[tuple[str, ...]]:
        """Return the loose cards, then the builds."""
        return (*((card,) for card in view.loose), *(build.cards for build in view.builds))

    @override
    def plays(self, view: CasinoView, card: str, chosen: tuple[str, ...]) -> Sequence[Way]:
        return _plays(view, card, chosen) if card in view.hand else ()

    @override
    def choice(self, scene: HandScene, move: Play) -> ListedChoice:
        view, translator = scene.view, scene.look.translator
        gained = gains(view, move, translator, scene.marks.suits[view.customs.suit])
        return ListedChoice([(offer(view, move, translator, scene.shown), "text")], gained)

    @override
    def face(self, scene: HandScene, cards: tuple[str, ...], *, picked: bool) -> Face:
        """Return a build with its value and its owner's sign, a lock, and its cards."""
        build = next((build for build in scene.view.builds if build.cards == cards), None)
        if build is None:
            return card_face(scene.marks, cards[0], picked=picked)
        text = f"{build.value}{seat_sign(scene, build.owner)[0]}{'#' * build.multiple}"
        number = str(build.value)
        picture = number if number in PICTURED else ""
        edge = "build-edge" * scene.plan.headed
        return Face(text, "build", "build", picked, scene.shown(cards), picture, edge)

    @override
    def player(self, scene: HandScene, seat: Seat) -> PlayerLine:
        view, gettext = scene.view, scene.look.translator.gettext
        counts = f"{gettext('hand {n}', n=view.held[seat])} {gettext('pile {n}', n=view.taken[seat])}"
        return PlayerLine(str(view.totals[seat]), [seat_sign(scene, seat), (counts, "text")])

    @override
    def deed(self, scene: HandScene, seat: Seat) -> Sequence[Piece]:
        """Sweeps, and the last play."""
        event, sweeps = scene.view.last_play(seat), scene.view.sweeps[seat]
        word = N_("sweeps") if scene.score.width >= _SPELT else N_("swp")
        swept = [(f"{scene.look.translator.gettext(word)} {sweeps} ", "points")] if sweeps else []
        if event is None:
            return swept
        act = {"trail": "", "capture": " x "}.get(event.kind, f" = {event.value}")
        taken = scene.pieces(event.takes) if event.kind == "capture" else ()
        return [*swept, *scene.pieces([event.card]), (act, "dim"), *taken]

    @override
    def aside(self, scene: HandScene) -> tuple[str, Sequence[Row]]:
        """Return the points of the deal that was scored last."""
        title, box = scene.look.translator.gettext("Deal {n}", n=scene.view.deal + scene.over), scene.below
        rows = ledger_aside(scene, _accounts(scene), box.width) if scene.view.score else []
        return title, rows if len(rows) <= box.height and scene.plan.headed else ()

    @override
    def notes(self, scene: HandScene) -> Sequence[Row]:
        """Return the points of a deal until somebody plays, then the builds."""
        gettext = scene.look.translator.gettext
        if is_fresh(scene.view) and not self.aside(scene)[1]:
            heading, *rows = ledger(scene, _accounts(scene), scene.plan.main.width - 2, with_rest=False)
            # Blanks for points not scored and one role a row: half the bytes for each spectator.
            rows = [
                [(x, text, row[2][2]) for x, text, _ in row if x and text != scene.marks.dot] for row in rows
            ]
            return [(), ((0, gettext("Deal {n}", n=scene.view.deal + scene.over), "dim"), *heading), *rows]
        rows = []
        for build in scene.view.builds:
            said = N_("{n} by {name}, locked: {cards}") if build.multiple else N_("{n} by {name}: {cards}")
            name, cards = scene.name(build.owner), scene.shown(build.cards)
            said = scene.fit(gettext(said, n=build.value, name=name, cards=cards), scene.plan.main.width - 2)
            rows.append([(0, said, "dim")])
        return rows

    @override
    def face_down(self, scene: HandScene) -> FaceDown:
        view = scene.view
        return FaceDown(view.held, view.taken, view.pack)

    @override
    def own_last(self, scene: HandScene) -> int:
        return since_own([event.seat if event.card else None for event in scene.view.recent], scene)

    @override
    def log(self, scene: HandScene) -> Iterator[Paragraph]:
        told = set[int]()
        for event in reversed(scene.view.recent):
            said, taken, n = happened(scene.view, event, mine=False)
            said = N_("{name} deals.") if event.kind == "deal" and event.takes else said
            newest = bool(event.card) and event.seat not in told
            told |= {event.seat} if newest else set()
            card, number = scene.pieces([event.card]), (str(n), "name")
            cards = scene.pieces(taken) if event.card else [(scene.shown(taken), "dim")]
            words, cells = scene.look.translator.gettext(said), scene.plan.moves.width
            places = {"card": card, "cards": cards, "n": [number]}
            yield phrase(in_a_row(scene, words, event.seat, cells, newest=newest, **places))

    @override
    def title_facts(self, scene: HandScene) -> Sequence[str]:
        gettext, view = scene.look.translator.gettext, scene.view
        pack = gettext("pack {n}", n=view.pack) if view.pack else gettext("last hand")
        target = gettext("to {n}", n=view.customs.target)
        return () if scene.over else (pack, target, gettext("deal {n}", n=view.deal + 1))

    @override
    def ending(self, scene: HandScene) -> Ending:
        gettext, start = scene.look.translator.gettext, (0,) * len(scene.view.totals)
        courses = tuple(zip(start, *scene.view.course, strict=True)) if scene.view.course else ()
        why = gettext("Points are for the last deal, totals for all deals.")
        return Ending(
            why, "", _accounts(scene), courses, gettext("Totals by deal"), gain=gettext("best deal")
        )

    @override
    def why(self, room: RoomView, view: CasinoView, pointer: HandPointer, look: Look, back: int) -> str:
        """Return the piles of the deal that was scored last."""
        piles = zip(names_of(room, look), view.piles, strict=False)
        return "; ".join(f"{name}: {' '.join(map(marks_for(look).card, pile))}" for name, pile in piles)

    @override
    def hint(self, room: RoomView, view: CasinoView, look: Look) -> str:
        """Return what the bot `careful` would play."""
        if not view.plays:
            return ""
        play, card, gettext = best_play(view), marks_for(look).card, look.translator.gettext
        offered = offer(view, play, look.translator, lambda cards: " ".join(map(card, cards)))
        gained = gains(view, play, look.translator, marks_for(look).suits[view.customs.suit])
        said = ": ".join(filter(None, (offered, gained)))
        return gettext("Hint: {card}, {play}.", card=card(play.card), play=said)


@lru_cache(maxsize=64)
def _plays(view: CasinoView, card: str, chosen: tuple[str, ...]) -> Sequence[Way]:
    found = [] if chosen else [(play, None) for play in plays(view, card, _LISTED)]
    return [(ordered(view, play), rule) for play, rule in found or readings(view, card, chosen)]


def _accounts(scene: HandScene) -> Accounts:
    """Return what each player scored in the deal that was scored last, and the totals, the best first."""
    found = columns(scene.view, scene.look.translator, scene.marks)
    return accounts_of(
        scene, [(Heading(full, short), points) for full, short, points in found], scene.view.totals
    )
