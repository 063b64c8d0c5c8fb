"""Positions of Cartino written down by name, random games, and a table to try moves at."""

import random
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from cartino_engine.chance import SeedChance, commitment
from cartino_engine.port import Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import LayLine
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.rules.bag import bag_of
from cartino_games.cartino.rules.game import Cartino
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.tables import TABLES
from cartino_protocol.base import Seat
from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine
from tests.support.rules_script import Notation, Position

GAME = Cartino()
STARTED = "2026-01-01T12:00:00Z"
ENDED = "2026-01-01T12:30:00Z"


def position(
    *hands: str,
    edition: Edition = "1974",
    stones: Iterable[str] = (),
    jokers: Iterable[str] = (),
    bag: str = "",
    totals: Sequence[int] = (),
    swap_later: bool = True,
) -> CartinoState:
    """A state with seat 0 on turn: each hand and the bag as stone names, `stones` and `jokers` as spot names."""
    tables = TABLES[edition]
    board = tables.board
    covered = sum(1 << board.spot_number[spot] for spot in jokers)
    return CartinoState(
        tables=tables,
        hands=tuple(tuple(sorted(board.stone_number[name] for name in hand.split())) for hand in hands),
        bag=bag_of(board.stone_number[name] for name in bag.split()),
        totals=tuple(totals) or (0,) * len(hands),
        seat=0,
        taken=covered | sum(1 << board.spot_number[spot] for spot in stones),
        jokers=covered,
        swap_later=swap_later,
    )


def written(words: Position) -> CartinoState:
    """The position that a rules script describes; `full but` names the spots that are free."""

    def all_of(name: str) -> list[str]:
        return words.get(name, [""])[0].split()

    edition: Edition = "1969" if "edition" in words else "1974"
    jokers, free = all_of("jokers"), {*all_of("full but"), *all_of("jokers")}
    full = [spot for spot in TABLES[edition].board.spots if spot not in free] if "full but" in words else []
    begun = position(
        *words["hands"][0].split(","),
        edition=edition,
        stones=[*all_of("stones"), *full],
        jokers=jokers,
        bag=words.get("bag", [""])[0],
        totals=[int(total) for total in all_of("totals")],
        swap_later="swap" not in words,
    )
    return msgspec.structs.replace(begun, seat=int(words.get("seat", ["0"])[0]))


def read_move(text: str, state: CartinoState, seat: Seat) -> Move:
    """The move written `STONE@SPOT`, `SPOT` for that spot's own stone, or `end`."""
    stone, _, spot = text.rpartition("@")
    return EndTurn() if text == "end" else Lay(stone or spot[:-1], spot)


def hand_of(state: CartinoState, seat: Seat) -> str:
    """A hand as stone names."""
    return " ".join(state.tables.board.stone_names[stone] for stone in state.hands[seat])


NOTATION = Notation(
    GAME,
    written,
    read_move,
    {
        "hand": lambda state, seat: hand_of(state, int(seat)),
        "bag": lambda state: state.bag.count,
        "gone": lambda state: state.gone,
        "lays": lambda state: [f"{lay.spot}+{lay.points}" for lay in GAME.view(state, 0).lays],
        "open": lambda state: " / ".join(map(" ".join, GAME.view(state, None).hands)).strip(),
        "board": lambda state: GAME.view(state, None).board[:4],
        "jokers": lambda state: state.jokers.bit_count(),
        "moves": lambda state, seat: len(list(GAME.legal(state, int(seat)))),
        "events": lambda state: ", ".join(
            f"{event.kind} {event.points}" for event in state.recent if event.kind not in {"lay", "swap"}
        ),
    },
)


class Table:
    """Plays moves on a state and keeps the lines; a refused move fails the test."""

    def __init__(self, state: CartinoState) -> None:
        """Sit down at `state`."""
        self.state = state
        self.lines: list[RecordLine] = []

    def lay(self, *lays: str) -> list[int]:
        """Lay each `STONE@SPOT`, or `SPOT` for that spot's own stone; the points of each."""
        points = []
        for text in lays:
            first = self.play(read_move(text, self.state, self.state.seat))[0]
            assert isinstance(first, LayLine)
            points.append(first.points)
        return points

    def end(self) -> None:
        """The player on turn ends it."""
        self.play(EndTurn())

    def play(self, move: Move) -> tuple[RecordLine, ...]:
        """Make a move of the player on turn; the lines that it adds."""
        step = GAME.apply(self.state, self.state.seat, move)
        assert isinstance(step, Step), f"{move} refused: {step}"
        self.state = step.state
        self.lines += step.lines
        return step.lines


def all_options(edition: Edition, **others: str) -> dict[str, str]:
    """All options of a game of that edition, the usual ones but for those given."""
    options = GAME.read_options({"edition": edition, **others})
    assert isinstance(options, dict)
    return options


def random_game(
    seed: int, edition: Edition, seats: int, **options: str
) -> Iterator[tuple[CartinoState, tuple[RecordLine, ...]]]:
    """A game of random legal moves: each state with the lines that led to it, the deal first."""
    rng = random.Random(seed)
    shuffle = SeedChance(rng.randbytes(32), ("",) * seats)
    step = GAME.start(all_options(edition, **options), names(seats), shuffle)
    yield step.state, step.lines
    state = step.state
    while turn := GAME.on_turn(state):
        move = rng.choice(list(GAME.legal(state, turn[0])))
        after = GAME.apply(state, turn[0], move)
        assert isinstance(after, Step)
        state = after.state
        yield state, after.lines


def names(seats: int) -> tuple[str, ...]:
    """So many players."""
    return ("ann", "bob", "eve", "joe")[:seats]


def random_record(
    seed: int, edition: Edition = "1974", seats: int = 2, cut: str = "", **others: str
) -> list[RecordLine]:
    """The whole record of a random game, first line to last."""
    rng = random.Random(seed)
    secret = rng.randbytes(32)
    cuts = (cut,) + ("",) * (seats - 1)
    options = all_options(edition, **others)
    step = GAME.start(options, names(seats), SeedChance(secret, cuts))
    head = GameLine(FORMAT, "cartino", options, names(seats), commitment(secret), cuts, STARTED)
    lines: list[RecordLine] = [head, *step.lines]
    state = step.state
    while turn := GAME.on_turn(state):
        after = GAME.apply(state, turn[0], rng.choice(list(GAME.legal(state, turn[0]))))
        assert isinstance(after, Step)
        state = after.state
        lines += after.lines
    result = GAME.result(state)
    assert result is not None
    lines.append(EndLine(result.totals, result.winners, result.reason, secret.hex(), ENDED))
    return lines
