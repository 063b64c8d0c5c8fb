"""Declared games for tests: one in which all choose at the same time, and ones with something wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from cartino_crazy_eights import PACKAGE, CrazyEights, State
from cartino_engine.chance import GivenOrder
from cartino_engine.port import AnyGame
from cartino_games.kit.declared.game import Deal, DeclaredGame, Played, Position
from cartino_protocol import declared as table
from cartino_protocol.base import Audience
from cartino_protocol.declared import Choose
from cartino_protocol.views import ResultView, SeatView, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import TableChrome
from tests.support.rules_script import Notation
from tests.support.rules_script import Position as Words
from tests.support.table_script import Setting

NAMES = ("Ann", "Bob", "Cem", "Dee", "Eve")


class Bids(msgspec.Struct, frozen=True):
    """What was bid in this round, "" for nothing yet, and the points."""

    bids: tuple[str, ...]
    points: tuple[int, ...]
    rounds: int = 0


class LowestBid(DeclaredGame[Bids]):
    """Both bid low or high on a board of cells; the only low bid scores. Two rounds."""

    name = "lowest-bid"
    title = "Lowest Bid"
    seats = (2, 2)
    hides = True
    about = ("Bid low alone.",)

    def begin(self, options: Mapping[str, str], seats: int, deal: Deal) -> Bids:
        return Bids(("",) * seats, (0,) * seats)

    def acting(self, state: Bids) -> Sequence[int]:
        return [seat for seat, bid in enumerate(state.bids) if not bid] if state.rounds < 2 else ()

    def choices(self, state: Bids, seat: int) -> Sequence[table.Choice]:
        return (
            table.Choice("low-left", table.say("Bid low."), 1, (table.Ref(0, 0), table.Ref(0, 2))),
            table.Choice("low-right", table.say("Bid low, too."), 1, (table.Ref(0, 0), table.Ref(0, 3))),
            table.Choice("high", table.say("Bid high."), 0, (table.Ref(0, 1),)),
        )

    def play(self, state: Bids, seat: int, word: str, deal: Deal) -> Played[Bids]:
        bids = tuple(word if each == seat else bid for each, bid in enumerate(state.bids))
        if not all(bids):
            return Played(Bids(bids, state.points, state.rounds))
        low = [each for each, bid in enumerate(bids) if bid.startswith("low")]
        points = tuple(was + (low == [each]) for each, was in enumerate(state.points))
        told = [
            table.say("{who} bids {bid}.", who=table.Player(each), bid=bid) for each, bid in enumerate(bids)
        ]
        return Played(Bids(("",) * len(bids), points, state.rounds + 1), told)

    def show(self, state: Bids, audience: Audience) -> table.DeclaredView:
        cells = (table.Cell("L"), table.Cell("H"), table.Cell(seat=0), table.Cell())
        board = table.Grid(table.say("Board"), ("a", "b"), ("1", "2"), cells)
        columns = (table.Column(table.say("Rounds"), (state.rounds,) * 2),)
        return table.DeclaredView((board,), status=table.say("Bid."), columns=columns)

    def points(self, state: Bids) -> Sequence[int]:
        return state.points

    def secret(self, state: Bids) -> int:
        return sum(map(bool, state.bids))


class Raising(CrazyEights):
    """Raises at the first card that is played."""

    def play(self, state: State, seat: int, word: str, deal: Deal) -> Played[State]:
        raise ZeroDivisionError("a mistake in a game")


class Exiting(CrazyEights):
    """Ends the program at the first card that is played."""

    def play(self, state: State, seat: int, word: str, deal: Deal) -> Played[State]:
        raise SystemExit(3)


class Pressing(CrazyEights):
    """Does as if somebody had pressed Ctrl-C."""

    def play(self, state: State, seat: int, word: str, deal: Deal) -> Played[State]:
        raise KeyboardInterrupt


class Stuck(CrazyEights):
    """Leaves the next player nothing to choose."""

    def choices(self, state: State, seat: int) -> list[table.Choice]:
        return super().choices(state, seat) if len(state.pile) == 1 and len(state.stock) > 36 else []


class TooMany(CrazyEights):
    """Shows more areas than a view may have, once a card is played."""

    def show(self, state: State, audience: Audience) -> table.DeclaredView:
        shown = super().show(state, audience)
        played = len(state.pile) > 1 or len(state.stock) < 37
        return msgspec.structs.replace(shown, areas=shown.areas * 9) if played else shown


def position(game: AnyGame, state: Any, you: Audience, number: int = 1) -> TableView:
    """The room in which `game` stands at `state`, as seat `you` sees it."""
    result = game.result(state)
    return TableView(
        code="K7QP",
        game=game.name,
        options={},
        state="finished" if result else "playing",
        number=number,
        seats=tuple(SeatView(name, "human") for name in NAMES[: len(game.totals(state))]),
        owner=0,
        you=you,
        spectators=0,
        commitment="91cd04ee" * 8,
        turn=game.on_turn(state),
        game_view=encode_raw(game.view(state, you)),
        result=ResultView(result.totals, result.winners, result.reason) if result else None,
    )


def of_eights(hands: Sequence[str], pile: str, stock: str = "2D 3D 4D") -> Position[State]:
    """Crazy Eights with these cards, seat 0 on turn."""
    held = tuple(tuple(hand.split()) for hand in hands)
    state = State(held, tuple(stock.split()), tuple(pile.split()), pile[-1], 0)
    return Position(state, GivenOrder(range(52), [1, 0]), len(held), 1)


def written(words: Words) -> Position[State]:
    """The position of Crazy Eights that a script describes."""
    hands = [hand.strip() for hand in words["hands"][0].split(",")]
    return of_eights(hands, words["pile"][0], words.get("stock", ["2D 3D 4D"])[0])


EIGHTS = CrazyEights()
NOTATION = Notation(
    EIGHTS,
    written,
    lambda text, state, seat: Choose(text),
    {
        "hand": lambda at, seat: at.state.hands[int(seat)],
        "stock": lambda at: at.state.stock,
    },
)
SETTING = Setting(
    NOTATION,
    PACKAGE.screen,
    PACKAGE.speech,
    lambda state, you: position(EIGHTS, state, you),
    TableChrome("Crazy Eights"),
)
