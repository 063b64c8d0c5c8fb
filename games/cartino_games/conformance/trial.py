"""Plays games as seeded dice have it, for the checks to look at."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice, product
from random import Random
from typing import Any, Final

import msgspec

from cartino_engine.chance import SEED_BYTES, Chance, SeedChance, commitment
from cartino_engine.port import AnyGame, Step
from cartino_games.package import GamePackage
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ResultView, SeatView, TableView
from cartino_protocol.wire import encode, encode_raw

MOST_MOVES: Final = 5000
"""A game of more moves than that, played by dice, is taken to have no end."""
FEW: Final = 3
"""Problems of a kind that are told."""
_MOST_KINDS: Final = 12
"""Sets of options that are played."""
_OFFERED: Final = 0.25
"""How often a move is one that the view offers, though the rules may not call it legal."""
_SAMPLE: Final = 12
"""States of a game that are looked at closely."""
_NAMES: Final = ("Ann", "Bob", "Cem", "Dee", "Eve", "Fay", "Gil", "Hua", "Ida", "Jon")


class Check(msgspec.Struct, frozen=True):
    """What a check found: its name, its `problems` (none where all is well), and a `note` with what it measured."""

    name: str
    problems: tuple[str, ...] = ()
    note: str = ""


class PlayedGame(msgspec.Struct, frozen=True):
    """A game played by dice: `states` from the deal to the end, the `moves` between them, and the lines of each."""

    options: dict[str, str]
    names: tuple[str, ...]
    seed: bytes
    states: list[Any]
    moves: list[tuple[Seat, Any]]
    lines: list[tuple[RecordLine, ...]]

    def record(self, game: AnyGame) -> bytes:
        """Return the whole record. Raises ValueError where the game has not ended."""
        result = game.result(self.states[-1])
        if result is None:
            raise ValueError("no seat is on turn, but there is no result")
        cuts = ("",) * len(self.names)
        promise = commitment(self.seed)
        head = GameLine(FORMAT, game.name, self.options, self.names, promise, cuts, "2000-01-01T00:00:00Z")
        end = EndLine(result.totals, result.winners, result.reason, self.seed.hex(), "2000-01-01T00:00:00Z")
        return write_lines([head, *(line for lines in self.lines for line in lines), end])

    def sample(self, most: int = _SAMPLE) -> Sequence[int]:
        """Return numbers of states spread over the game, the first and the last among them."""
        last = len(self.states) - 1
        return sorted({round(last * step / most) for step in range(most + 1)})


class Trial:
    """A game under test, and the games of it that were played, which its checks share."""

    def __init__(self, package: GamePackage) -> None:
        """Try `package`."""
        self.package: Final = package
        self.game: Final = package.rules

    @cached_property
    def played(self) -> Sequence[PlayedGame]:
        """A game of every kind and number of seats; of many kinds, a choice."""
        least, most = self.game.seats
        return [
            play(self.game, options, seats, Random(f"{seats}/{sorted(options.items())}"), self.offered)
            for options in kinds(self.game)
            for seats in range(least, most + 1)
        ]

    @property
    def ends(self) -> Sequence[PlayedGame]:
        """The first and the last of the games, as different as two may be; one where there is no other."""
        return (self.played[0], *self.played[1:][-1:])

    def offered(self, state: Any, seat: Seat) -> dict[str, Any]:
        """Return the moves that the view of `seat` offers, by their words; None for a word that makes none."""
        speech, game = self.package.speech, self.game
        view = speech.read(encode_raw(game.view(state, seat)))
        read = ((word, speech.move(word, view)) for word, _ in speech.legal(view))
        return {word: None if move is None else game.read_move(encode(move)) for word, move in read}

    def refuses(self, played: PlayedGame, at: int, seat: Seat, move: msgspec.Struct) -> bool:
        """Return whether the rules refuse `move`, as a client sends it, after `at` moves."""
        game = self.game
        return game.check(played.states[at], seat, game.read_move(encode(move))) is not None

    def table(self, played: PlayedGame, at: int, you: Audience) -> TableView:
        """Return the table after `at` moves as `you` see it."""
        game, state = self.game, played.states[at]
        result = game.result(state)
        return TableView(
            code="K7QP",
            game=game.name,
            options=played.options,
            state="playing" if result is None else "finished",
            number=at,
            seats=tuple(SeatView(name, "human") for name in played.names),
            owner=0,
            you=you,
            spectators=0,
            commitment=commitment(played.seed),
            turn=game.on_turn(state),
            game_view=encode_raw(game.view(state, you)),
            result=None if result is None else ResultView(result.totals, result.winners, result.reason),
            seed="" if result is None else played.seed.hex(),
        )


def kinds(game: AnyGame) -> Sequence[dict[str, str]]:
    """Return the sets of options to play: all of them if they are few, else each choice once."""
    names = [option.name for option in game.options]
    sets = [
        dict(zip(names, some, strict=True)) for some in product(*(option.choices for option in game.options))
    ]
    if len(sets) <= _MOST_KINDS:
        return sets
    usual = {option.name: option.default for option in game.options}
    return [
        usual,
        *(
            {**usual, each.name: value}
            for each in game.options
            for value in each.choices
            if value != each.default
        ),
    ]


def play(
    game: AnyGame,
    options: dict[str, str],
    seats: int,
    dice: Random,
    offered: Callable[[Any, Seat], Mapping[str, Any]] = lambda state, seat: {},
) -> PlayedGame:
    """Play a game as the dice have it; one that has no end stops after `MOST_MOVES`.

    One move in four is one of those `offered`, which may be more than the legal ones.
    """
    seed = dice.randbytes(SEED_BYTES)
    options_read, names = table(game, seats, options)
    step = game.start(options_read, names, chance(seed, seats))
    played = PlayedGame(options_read, names, seed, [step.state], [], [step.lines])
    while (turn := game.on_turn(played.states[-1])) and len(played.moves) < MOST_MOVES:
        state = played.states[-1]
        aside = [seat for seat in game.may_act(state) if seat not in turn]
        seat = dice.choice(aside) if aside and dice.random() < 0.1 else dice.choice(turn)
        moves = list(islice(game.legal(state, seat), 200))
        if not moves:
            seat = turn[0]
            moves = list(islice(game.legal(state, seat), 200))
        move = dice.choice(moves)
        after = game.apply(state, seat, move)
        if isinstance(after, Refusal):
            raise ValueError(f"the legal move {msgspec.to_builtins(move)} is refused")
        offers = offered(state, seat) if dice.random() < _OFFERED else {}
        found = dice.choice([each for each in offers.values() if each is not None] or [move])
        other = game.apply(state, seat, found)
        if isinstance(other, Step):
            move, after = found, other
        played.states.append(after.state)
        played.moves.append((seat, move))
        played.lines.append(after.lines)
    return played


def table(
    game: AnyGame, seats: int, options: dict[str, str] | None = None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return all options and the names of the players at a table with these `options`."""
    read = game.read_options(options or {})
    if isinstance(read, Refusal):
        raise ValueError(f"the options {options} are refused")
    return read, _NAMES[:seats]


def chance(seed: bytes, seats: int) -> Chance:
    """Return the chance of `seed` where nobody has cut."""
    return SeedChance(seed, ("",) * seats)
