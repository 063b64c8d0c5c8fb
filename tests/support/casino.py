"""Positions of Casino written down by name, a table to try plays at, random games and records."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from cartino_engine.chance import GivenOrder, SeedChance, commitment
from cartino_engine.port import Step
from cartino_games.casino.cards import CARDS, Customs
from cartino_games.casino.rules import Casino, CasinoState
from cartino_games.casino.typing_moves import read, write
from cartino_games.casino.views import Build, CasinoView, Play
from cartino_protocol.base import Seat
from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine
from cartino_protocol.refusals import Refusal

GAME = Casino()
NAMES = ("ann", "bob", "eve", "joe")
DEFAULTS = {option.name: option.default for option in GAME.options}
ALL_OPTIONS = [
    dict(zip(DEFAULTS, choice, strict=True))
    for choice in itertools.product(*(option.choices for option in GAME.options))
]
"""Every combination there is."""


def build(text: str, owner: Seat, multiple: bool = False) -> Build:
    """A build written as `9:2H+7C`."""
    value, _, cards = text.partition(":")
    return Build(int(value), tuple(cards.split("+")), owner, multiple)


def position(
    *hands: str,
    loose: str = "",
    builds: Sequence[Build] = (),
    piles: Sequence[str] = (),
    pack: str = "",
    sweeps: Sequence[int] = (),
    totals: Sequence[int] = (),
    taker: Seat | None = None,
    next_order: Sequence[int] = tuple(range(52)),
    **options: str,
) -> CasinoState:
    """A state of the first deal with seat 0 on turn, cards by name; `next_order` is the pack of the next deal."""
    seats, none = len(hands), (0,) * len(hands)
    held = tuple(tuple(hand.split()) for hand in hands)
    taken = tuple(tuple(pile.split()) for pile in piles) or ((),) * seats
    rest = tuple(pack.split())
    table = CasinoView(
        msgspec.convert(DEFAULTS | options, Customs),
        tuple(totals) or none,
        hand_number=0,
        dealer=seats - 1,
        pack=len(rest),
        on_turn=0,
        held=tuple(map(len, held)),
        taken=tuple(map(len, taken)),
        sweeps=tuple(sweeps) or none,
        loose=tuple(loose.split()),
        builds=tuple(builds),
    )
    return CasinoState(table, GivenOrder(range(52), next_order), rest, held, taken, taker)


class Table:
    """Plays on a state and keeps the lines; a play that is refused fails the test."""

    def __init__(self, state: CasinoState) -> None:
        """Sit down at `state`."""
        self.state = state
        self.lines: list[RecordLine] = []

    def play(self, *texts: str) -> None:
        """Make each play, typed as people type it, for the seat on turn."""
        for text in texts:
            (seat,) = GAME.on_turn(self.state)
            play = read(text, self.state.seen_by(seat))
            assert isinstance(play, Play), f"{text}: {play}"
            step = GAME.apply(self.state, seat, play)
            assert isinstance(step, Step)
            self.state = step.state
            self.lines += step.lines

    def refusal(self, text: str) -> str:
        """The rule that refuses what is typed."""
        (seat,) = GAME.on_turn(self.state)
        rule = read(text, self.state.seen_by(seat))
        assert isinstance(rule, str), f"{text} was taken"
        return rule

    def refused(self, card: str, act: str, value: int = 0, takes: str = "", seat: Seat = 0) -> str:
        """The rule or reason that refuses that play; fails where it is taken or leaves a trace."""
        before = self.state
        play = Play(card, act, value, tuple(takes.split()))  # type: ignore[arg-type]
        answer = GAME.apply(self.state, seat, play)
        assert isinstance(answer, Refusal), f"{play} was taken"
        assert answer == GAME.check(self.state, seat, play)
        assert self.state == before
        return answer.detail or answer.reason

    def lists(self, *texts: str) -> bool:
        """Whether all of these, as people type them, are among the plays that `legal` gives."""
        (seat,) = GAME.on_turn(self.state)
        every = {
            (play.card, play.act, play.value, frozenset(play.takes)) for play in GAME.legal(self.state, seat)
        }
        meant = [read(text, self.state.seen_by(seat)) for text in texts]
        plays = [play for play in meant if isinstance(play, Play)]
        told = {(play.card, play.act, play.value, frozenset(play.takes)) for play in plays}
        return len(plays) == len(texts) and told <= every

    def typed(self, card: str = "") -> set[str]:
        """Every play that `legal` gives, or only those of `card`, as people type it."""
        (seat,) = GAME.on_turn(self.state)
        return {write(play) for play in GAME.legal(self.state, seat) if play.card == (card or play.card)}


def busy_play(state: CasinoState, rng: random.Random) -> Play:
    """A random play of the seat on turn; mostly none that only trails, so that something is built and taken."""
    (seat,) = GAME.on_turn(state)
    every = list(GAME.legal(state, seat))
    rare = [play for play in every if play.act in ("raise", "add")]
    busy = [play for play in every if play.act != "trail"]
    pick = rng.random()
    return rng.choice((pick < 0.6 and rare) or (pick < 0.8 and busy) or every)


def random_game(
    seed: int, options: Mapping[str, str], seats: int
) -> Iterator[tuple[CasinoState, tuple[RecordLine, ...]]]:
    """A game of random plays: each state with the lines that led to it, the deal first."""
    rng = random.Random(seed)
    step = GAME.start(options, NAMES[:seats], SeedChance(rng.randbytes(32), ("",) * seats))
    yield step.state, step.lines
    state = step.state
    while turn := GAME.on_turn(state):
        after = GAME.apply(state, turn[0], busy_play(state, rng))
        assert isinstance(after, Step)
        state = after.state
        yield state, after.lines


def random_record(seed: int, options: Mapping[str, str], seats: int, cut: str = "") -> list[RecordLine]:
    """The whole record of a random game, first line to last."""
    secret = random.Random(seed).randbytes(32)
    cuts = (cut,) + ("",) * (seats - 1)
    rng = random.Random(seed + 1)
    head = GameLine(
        FORMAT, "casino", dict(options), NAMES[:seats], commitment(secret), cuts, "2026-01-01T12:00:00Z"
    )
    step = GAME.start(options, NAMES[:seats], SeedChance(secret, cuts))
    lines: list[RecordLine] = [head, *step.lines]
    state = step.state
    while turn := GAME.on_turn(state):
        after = GAME.apply(state, turn[0], busy_play(state, rng))
        assert isinstance(after, Step)
        state = after.state
        lines += after.lines
    result = GAME.result(state)
    assert result is not None
    end = EndLine(result.totals, result.winners, result.reason, secret.hex(), "2026-01-01T12:30:00Z")
    return [*lines, end]


def order_of(cards: str) -> tuple[int, ...]:
    """The pack that begins with `cards`, the others in canonical order."""
    first = [CARDS.index(card) for card in cards.split()]
    return (*first, *(number for number in range(52) if number not in first))
