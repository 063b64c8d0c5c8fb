"""Positions of Caro drawn as pictures, random games in which people sin and call, and tables around them."""

import random
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.caro.rules import lessons
from cartino_games.caro.rules.game import Caro
from cartino_games.caro.rules.table import FULL, CaroState
from cartino_games.caro.screen import CaroPointer, CaroScreen
from cartino_games.caro.speech import CaroSpeech
from cartino_games.caro.views import COLOURS, Accept, Call, CaroLay, CaroView, Line, Move
from cartino_protocol import wire
from cartino_protocol.base import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ClaimView, ResultView, TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.kit_table import AROUND, kit_table
from tests.support.rules_script import Notation, Position
from tests.support.table_script import Setting

GAME = Caro()


def position(
    picture: str, *supplies: str, honour: bool = False, rounds: int = 1, totals: Sequence[int] = ()
) -> CaroState:
    """A state as `picture` shows it, with seat 0 on turn; its upper left cell is the middle place."""
    state = lessons.position(picture, *supplies, honour=honour)
    return replace(state, rounds=rounds, totals=tuple(totals) or state.totals)


def lay(text: str) -> CaroLay:
    """The lay written `R1,-2`."""
    x, y = map(int, text[1:].split(","))
    return CaroLay(next(colour for colour in COLOURS if colour == text[0]), x, y)


def refused(state: CaroState, seat: int, move: Move | str) -> str:
    """The rule or reason that refuses a move (a lay as in `lay`); fails where it is taken."""
    move = lay(move) if isinstance(move, str) else move
    answer = GAME.apply(state, seat, move)
    assert isinstance(answer, Refusal)
    assert GAME.check(state, seat, move) == answer
    return answer.detail or answer.reason


def written(words: Position) -> CaroState:
    """The position that a rules script describes: a `board` with `supplies`, or a game of so many `seats`."""
    honour = words.get("referee") == ["honour"]
    if "seats" in words:
        return position("", *(FULL,) * int(words["seats"][0]), honour=honour)
    supplies = [each.strip() for each in words.get("supplies", ["FULL,FULL"])[0].split(",")]
    totals = [int(each) for each in words.get("totals", [""])[0].split()]
    rounds = int(words.get("rounds", ["1"])[0])
    held = (FULL if each == "FULL" else each for each in supplies)
    state = position(words["board"][0], *held, honour=honour, rounds=rounds, totals=totals)
    before = [tuple(map(int, points.split())) for points in words.get("before", [])]
    return replace(state, by_round=tuple(before))


def read_move(text: str, state: CaroState, seat: Seat) -> Move:
    """The move written as a lay (see `lay`), `call` or `accept`."""
    return Call() if text == "call" else Accept() if text == "accept" else lay(text)


NOTATION = Notation(
    GAME,
    written,
    read_move,
    {
        "broke": lambda state: state.broke,
        "claims": lambda state: [GAME.view(state, each).claim for each in (None, 0, 1, 2, 3)],
        "recent": lambda state: [msgspec.to_builtins(line)["type"] for line in GAME.view(state, 0).recent],
        "told": lambda state: GAME.view(state, 0).told,
        "laid": lambda state: GAME.view(state, None).laid,
        "round": lambda state, number: GAME.view(state, None).by_round[int(number)],
        "supply": lambda state, seat: "".join(sorted(state.supplies[int(seat)])),
        "colours": lambda state, seat: sorted(
            {move.colour for move in GAME.legal(state, int(seat)) if isinstance(move, CaroLay)}
        ),
        "legal": lambda state, seat: [type(move).__name__.lower() for move in GAME.legal(state, int(seat))],
    },
)


class Sitting:
    """Plays moves on a state and keeps the lines; a refused move fails the test."""

    def __init__(self, state: CaroState) -> None:
        """Sit down at `state`."""
        self.state = state
        self.lines: list[RecordLine] = []

    def play(self, *moves: tuple[int, str]) -> list[RecordLine]:
        """Make each seat's move (a lay as in `lay`, `call`, `accept`); the lines of the last one."""
        told: list[RecordLine] = []
        for seat, text in moves:
            step = GAME.apply(self.state, seat, read_move(text, self.state, seat))
            assert isinstance(step, Step), (seat, text, step)
            self.state, told = step.state, list(step.lines)
            self.lines += told
        return told


def any_move(state: CaroState, dice: random.Random) -> tuple[int, Move]:
    """A move of somebody who may act: often lawful, under the referee `honour` also sins and calls, right and wrong."""
    seat = dice.choice(GAME.on_turn(state))
    if state.callers() and dice.random() < 0.3:
        return dice.choice(state.callers()), Call()
    if state.closing:
        return seat, Accept()
    sinning = state.honour and not state.must and dice.random() < 0.4
    colour, cell, _ = dice.choice(list(state.lays(seat, lawful=not sinning)))
    return seat, state.table.lay(colour, cell)


def random_game(
    seed: int, options: dict[str, str], seats: int
) -> Iterator[tuple[CaroState, tuple[Line | RecordLine, ...]]]:
    """Every state of a game of random moves, with the lines that led to it."""
    dice = random.Random(seed)
    step = GAME.start(options, ("ann",) * seats, SeedChance(dice.randbytes(32), ("",) * seats))
    yield step.state, step.lines
    while GAME.result(step.state) is None:
        after = GAME.apply(step.state, *any_move(step.state, dice))
        assert isinstance(after, Step)
        step = after
        yield step.state, step.lines


SCREEN = CaroScreen()
SIZES = {
    "60x20": Look(60, 20),
    "80x24": Look(80, 24),
    "120x40": Look(120, 40),
    "160x50": Look(160, 50),
    "200x60": Look(200, 60),
    "ascii": Look(80, 24, ascii=True),
}


def table_of(state: CaroState, you: Seat | None) -> TableView:
    """The room in which `state` is played, as seat `you` (None: a spectator) sees it."""
    result, claim = GAME.result(state), GAME.claim(state)
    table = kit_table(
        len(state.totals),
        you,
        GAME.on_turn(state),
        ResultView(result.totals, result.winners, result.reason) if result else None,
    )
    seen = ClaimView(claim.seats, claim.seconds, claim.silence is not None) if claim else None
    return msgspec.structs.replace(
        table, game="caro", game_view=wire.encode_raw(GAME.view(state, you)), claim=seen
    )


def view_of(table: TableView) -> CaroView:
    """The game's view inside a table's."""
    return SCREEN.read(table.game_view)


SETTING = Setting(NOTATION, SCREEN, CaroSpeech(), table_of, AROUND)


def press(table: TableView, *keys: str, look: Look = SIZES["80x24"]) -> tuple[CaroPointer, object, str]:
    """The pointer after these keys, and the move and the sentence that the last one led to."""
    pointer, move, status = SCREEN.update_pointer(table, view_of(table), SCREEN.fresh()), None, ""
    for key in keys:
        reaction = SCREEN.key(table, view_of(table), pointer, key, look)
        pointer, move, status = reaction.pointer, reaction.move, reaction.status
    return pointer, move, status


def drawn(
    state: CaroState,
    you: Seat | None,
    look: Look = SIZES["80x24"],
    keys: Sequence[str] = (),
    around: TableChrome = AROUND,
) -> Frame:
    """The frame after these keys."""
    table = table_of(state, you)
    return SCREEN.draw(table, view_of(table), press(table, *keys, look=look)[0], look, around)
