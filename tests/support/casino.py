"""Positions of Casino written down by name, plays tried at them, random games, and tables around them."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from cartino_engine.chance import GivenOrder, SeedChance
from cartino_engine.port import Step
from cartino_games.casino.cards import CARDS, Customs
from cartino_games.casino.game import PACKAGE
from cartino_games.casino.rules import Casino, CasinoState
from cartino_games.casino.scene import CasinoScene
from cartino_games.casino.screen import CasinoScreen
from cartino_games.casino.speech import CasinoSpeech
from cartino_games.casino.typing_moves import read, write
from cartino_games.casino.views import Build, CasinoView, Play
from cartino_protocol.base import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.views import ResultView, SeatView, TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.rules_script import Notation, Position
from tests.support.table_script import Setting

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


def order_of(cards: str) -> tuple[int, ...]:
    """The pack that begins with `cards`, the others in canonical order."""
    first = [CARDS.index(card) for card in cards.split()]
    return (*first, *(number for number in range(52) if number not in first))


def written(words: Position) -> CasinoState:
    """The position that a rules script describes."""

    def each(name: str) -> list[str]:
        return [part.strip() for part in words[name][0].split(",")] if name in words else []

    def numbers(name: str) -> list[int]:
        return [int(number) for part in each(name) for number in part.split()]

    builds = [part.split() for part in words.get("build", [])]
    return position(
        *each("hands"),
        loose="".join(each("loose")),
        builds=[build(text, int(owner), bool(multiple)) for text, owner, *multiple in builds],
        piles=each("piles"),
        pack="".join(each("pack")),
        sweeps=numbers("sweeps"),
        totals=numbers("totals"),
        taker=next(iter(numbers("taker")), None),
        next_order=order_of("".join(each("next"))),
        **{name: words[name][0] for name in DEFAULTS if name in words},
    )


def read_play(text: str, state: CasinoState, seat: Seat) -> Play:
    """The play typed as people do, or written as its card, act, value and cards."""
    card, *more = text.split()
    if more:
        act, value, *takes = more
        return Play(card, act, int(value), tuple(takes))  # type: ignore[arg-type]
    play = read(text, state.seen_by(seat))
    assert isinstance(play, Play), f"{text}: {play}"
    return play


def _listed(state: CasinoState, *texts: str) -> bool:
    """Whether all of these plays, as people type them, are among the legal ones."""
    (seat,) = GAME.on_turn(state)
    every = [(play.card, play.act, play.value, {*play.takes}) for play in GAME.legal(state, seat)]
    plays = [read(text, state.seen_by(seat)) for text in texts]
    return all(isinstance(p, Play) and (p.card, p.act, p.value, {*p.takes}) in every for p in plays)


def _read(state: CasinoState, *words: str) -> object:
    """What the typed words mean: the act, card, value and cards of a play, or the rule against it."""
    play = read(" ".join(words), state.seen_by(0))
    return (play.act, play.card, play.value, *play.takes) if isinstance(play, Play) else play


NOTATION = Notation(
    GAME,
    written,
    read_play,
    {
        "lists": _listed,
        "read": _read,
        "plays": lambda state, card: sorted(
            write(play) for play in GAME.legal(state, state.table.on_turn) if play.card == card
        ),
        "legal": lambda state, seat: list(map(write, GAME.legal(state, int(seat)))),
        "builds": lambda state: [
            f"{each.value}:{'+'.join(each.cards)}@{each.owner}{'#' * each.multiple}"
            for each in state.table.builds
        ],
        "loose": lambda state: state.table.loose,
        "sweeps": lambda state: state.table.sweeps,
        "pile": lambda state, seat: state.piles[int(seat)],
        "piles": lambda state: " / ".join(map(" ".join, GAME.view(state, None).piles)).strip(),
        "held": lambda state, seat: state.hands[int(seat)],
    },
)


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
            step = GAME.apply(self.state, seat, read_play(text, self.state, seat))
            assert isinstance(step, Step), f"{text}: {step}"
            self.state = step.state
            self.lines += step.lines


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


SCREEN, SPEECH = CasinoScreen(), CasinoSpeech()
RULES = PACKAGE.rules
SMALL, MIDDLE, LARGE = Look(80, 24), Look(120, 40), Look(160, 50)
LEAST = Look(60, 20)
LOOKS = (LEAST, SMALL, MIDDLE, LARGE, Look(60, 20, ascii=True), Look(80, 24, ascii=True))
TABLE_NAMES = ("Ann", "Bartholomew XVI.", "Léa", "Johann")
AROUND = TableChrome(
    "Casino (card game) · K7QP",
    "3 watching",
    (("Léa", "good luck"), ("", "eve is watching")),
    "",
    (("t", "talk"), (":", "more"), ("?", "help"), ("q", "leave")),
)


def table_of(state: CasinoState, you: Seat | None) -> TableView:
    """The room in which `state` is played, as `you` sees it."""
    result = GAME.result(state)
    return TableView(
        code="K7QP",
        game="casino",
        options={},
        state="playing" if result is None else "finished",
        number=1,
        seats=tuple(SeatView(name, "human") for name in TABLE_NAMES[: len(state.hands)]),
        owner=0,
        you=you,
        spectators=0,
        commitment="91cd04ee" * 8,
        turn=GAME.on_turn(state),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
    )


SETTING = Setting(NOTATION, SCREEN, SPEECH, table_of, AROUND)


class Player:
    """Somebody who presses keys at a table; a move is kept, not made."""

    def __init__(self, state: CasinoState, you: Seat | None = 0, look: Look = SMALL) -> None:
        """Sit down at `state`."""
        self.table, self.look = table_of(state, you), look
        self.view: CasinoView = GAME.view(state, you)
        self.pointer = SCREEN.fresh()
        self.move: msgspec.Struct | None = None
        self.status = ""

    def press(self, *keys: str) -> "Player":
        """Press keys, one after the other."""
        for key in keys:
            reaction = SCREEN.key(self.table, self.view, self.pointer, key, self.look)
            self.pointer, self.status = reaction.pointer, reaction.status
            self.move = reaction.move or self.move
        return self

    def text(self) -> str:
        """The screen."""
        return self.frame().text()

    def frame(self) -> Frame:
        """The screen with its roles."""
        around = msgspec.structs.replace(AROUND, status=self.status)
        return SCREEN.draw(self.table, self.view, self.pointer, self.look, around)

    def scene(self) -> CasinoScene:
        """What the screen is drawn from."""
        return SCREEN.scene(self.table, self.view, self.pointer, self.look, AROUND)
