"""The port and replay with a game that is not like Cartino: no deal lines, moves off turn, chance kept in the state."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import pytest

from cartino_engine.chance import Chance, GivenOrder, SeedChance, commitment
from cartino_engine.port import AnyGame, Game, Result, Step, winners_of
from cartino_engine.replay import RecordError, read_record, replay, verify
from cartino_protocol.base import Audience, Message, Part, Seat
from cartino_protocol.records import EndLine, GameLine, RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import OptionInfo


class Put(Message, frozen=True):
    """Put the next lot on the table."""


class Call(Message, frozen=True):
    """Whoever is not on turn calls the last lot."""


class PutLine(RecordLine, frozen=True, tag="put"):
    seat: int
    lot: int


class CallLine(RecordLine, frozen=True, tag="call"):
    seat: int


class Moment(msgspec.Struct, frozen=True):
    chance: Chance
    put: tuple[int, ...] = ()
    called: tuple[int, ...] = ()


class Lots(Game[Moment, Put | Call]):
    """Two seats put lots, each a deal of its own; the other may call each lot once. Two lots a seat."""

    name = "lots"
    title = "Lots"
    seats = (2, 2)
    options = (OptionInfo("first", ("lot", "loser"), "lot"),)
    lines = (PutLine, CallLine)

    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[Moment]:
        return Step(Moment(chance), ())

    def on_turn(self, state: Moment) -> tuple[Seat, ...]:
        return () if len(state.put) == 4 else (len(state.put) % 2,)

    def may_act(self, state: Moment) -> tuple[Seat, ...]:
        return (0, 1) if self.on_turn(state) else ()

    def legal(self, state: Moment, seat: Seat) -> Iterator[Put | Call]:
        if seat in self.on_turn(state):
            yield Put()
        elif len(state.called) < len(state.put):
            yield Call()

    def apply(self, state: Moment, seat: Seat, move: Put | Call) -> Step[Moment] | Refusal:
        if move not in self.legal(state, seat):
            return Refusal("not-your-turn")
        if isinstance(move, Call):
            called = (*state.called, seat)
            return Step(msgspec.structs.replace(state, called=called), (CallLine(seat),))
        lot = state.chance.order(10, deal=len(state.put))[0]
        return Step(msgspec.structs.replace(state, put=(*state.put, lot)), (PutLine(seat, lot),))

    def view(self, state: Moment, audience: Audience) -> msgspec.Struct:
        return Part()

    def totals(self, state: Moment) -> tuple[int, ...]:
        return sum(state.put[::2]), sum(state.put[1::2])

    def result(self, state: Moment) -> Result | None:
        totals = self.totals(state)
        return None if self.on_turn(state) else Result(totals, winners_of(totals), "points")

    def turns(self, state: Moment) -> int:
        return len(state.put)

    def read_move(self, raw: bytes) -> Put | Call:
        move: Put | Call = msgspec.msgpack.decode(raw, type=Put | Call)
        return move

    def move_of(self, line: RecordLine) -> tuple[Seat, Put | Call] | None:
        if isinstance(line, PutLine):
            return line.seat, Put()
        return (line.seat, Call()) if isinstance(line, CallLine) else None

    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        lots = [line.lot for line in lines if isinstance(line, PutLine)]
        return GivenOrder(*([lot, *(n for n in range(10) if n != lot)] for lot in lots))

    def redact(self, line: RecordLine, state: Moment, audience: Audience = None) -> RecordLine:
        return line


LOTS = Lots()
GAMES: dict[str, AnyGame] = {"lots": LOTS}
SEED = bytes(range(32))
HEAD = GameLine(
    1, "lots", {"first": "lot"}, ("ann", "bob"), commitment(SEED), ("", ""), "2026-01-01T00:00:00Z"
)
PUT = Put()


def a_record(*moves: tuple[Seat, Put | Call], ended: bool = True) -> bytes:
    state = LOTS.start(HEAD.options, HEAD.seats, SeedChance(SEED, ("", ""))).state
    lines: list[RecordLine] = [HEAD]
    for seat, move in moves:
        step = LOTS.apply(state, seat, move)
        assert isinstance(step, Step)
        state = step.state
        lines += step.lines
    result = LOTS.result(state) or Result(LOTS.totals(state), (), "abandoned")
    end = EndLine(result.totals, result.winners, result.reason, SEED.hex(), "2026-01-01T00:10:00Z")
    return write_lines([*lines, end] if ended else lines)


def test_a_game_without_a_deal_begins_with_its_first_line() -> None:
    record = read_record(a_record(ended=False), GAMES)
    assert [moment.line for moment in replay(record)] == [1]
    abandoned = read_record(a_record(), GAMES)
    assert [moment.state.put for moment in replay(abandoned)] == [()]
    assert verify(abandoned).reason == "abandoned"


def test_moves_off_turn_and_several_deals_replay_and_verify_and_what_the_rules_refuse_is_an_error() -> None:
    record = read_record(a_record((0, PUT), (0, Call()), (1, PUT), (0, PUT), (1, PUT)), GAMES)
    assert verify(record).reason == "points"
    moments = list(replay(record))
    assert [moment.line for moment in moments] == [1, 2, 3, 4, 5, 6]
    assert moments[-1].state.called == (0,)
    spoilt = read_record(write_lines([record.lines[0], CallLine(1), *record.lines[1:]]), GAMES)
    with pytest.raises(RecordError, match="the rules refuse") as error:
        list(replay(spoilt))
    assert error.value.line == 2


def test_a_deal_that_the_record_does_not_tell_is_an_error_with_a_line() -> None:
    record = read_record(a_record((0, PUT), ended=False), GAMES)
    with pytest.raises(RecordError, match="deal 0 isn't known") as error:
        list(replay(record, GivenOrder()))
    assert error.value.line == 2
