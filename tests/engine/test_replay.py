"""Reading records back: good and golden ones verify, and every way of spoiling one is found at its line."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.chance import Chance, GivenOrder, commitment
from cartino_engine.port import AnyGame, Step
from cartino_engine.replay import RecordError, read_record, replay, verify
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import DrawLine, LayLine, SettleLine, TurnLine
from cartino_games.cartino.rules.game import Cartino
from cartino_protocol.base import Seat
from cartino_protocol.records import EndLine, GameLine, NoteLine, RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from tests.oracle import check_caro, check_cartino, check_casino
from tests.support.cartino import GAME, random_game, random_record
from tests.support.games import GAMES
from tests.support.race import AddLine, CardLine, Move, Race, State

Lines = list[RecordLine]


def check(lines: Lines) -> EndLine:
    return verify(read_record(write_lines(lines), GAMES))


@given(
    st.integers(0, 2**32),
    st.sampled_from(["1974", "1969"]),
    st.integers(2, 4),
    st.sampled_from(["", "ñ\n1"]),
    st.sampled_from(["one", "apart"]),
)
@settings(max_examples=30, deadline=None)
def test_a_played_game_verifies_and_replays_to_its_end(
    seed: int, edition: Edition, seats: int, cut: str, bag: str
) -> None:
    lines = random_record(seed, edition, seats, cut, bag=bag)
    end = check(lines)
    moments = list(replay(read_record(write_lines(lines), GAMES)))
    assert GAME.totals(moments[-1].state) == end.totals
    assert [line for moment in moments for line in moment.lines] == lines[1:-1]


@pytest.mark.parametrize("bag", ["one", "apart"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_record_without_its_seed_replays_from_its_draws(seats: int, bag: str) -> None:
    lines = random_record(3, seats=seats, bag=bag)
    cut = lines[: len(lines) // 2]
    while not isinstance(cut[-1], DrawLine):
        cut.pop()
    assert [line for moment in replay(read_record(write_lines(cut), GAMES)) for line in moment.lines] == cut[
        1:
    ]


def test_a_record_of_an_older_release_keeps_its_rules() -> None:
    """Without `joker_swap` a joker may be swapped out in the turn in which it is laid."""
    seeds = (seed for seed in range(100) if _swaps_at_once(random_record(seed, joker_swap="any", bag="one")))
    lines = random_record(next(seeds), joker_swap="any", bag="one")
    head = lines[0]
    assert isinstance(head, GameLine)
    older: Lines = [msgspec.structs.replace(head, options={"edition": "1974"}), *lines[1:]]
    assert check(older).reason == check(lines).reason
    later = {**head.options, "joker_swap": "later"}
    with pytest.raises(RecordError):
        check([msgspec.structs.replace(head, options=later), *lines[1:]])


def _swaps_at_once(lines: Lines) -> bool:
    """Whether a joker is swapped out in the turn in which it was laid."""
    laid: set[str] = set()
    for line in lines:
        if isinstance(line, TurnLine):
            laid.clear()
        elif isinstance(line, LayLine):
            if line.swapped and line.spot in laid:
                return True
            laid |= {line.spot} if line.stone == "*" else set()
    return False


HEAD = GameLine(
    *(1, "race", {"goal": "3", "turns": "one"}, ("ann", "bob"), commitment(bytes(32)), ("", "")),
    "2026-01-01T00:00:00Z",
)


def test_a_game_without_a_deal_begins_with_its_first_line_and_what_the_rules_refuse_is_named() -> None:
    class NoDeal(Race):
        def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[State]:
            return Step(super().start(options, seats, chance).state, ())

    games: dict[str, AnyGame] = {"race": NoDeal()}
    assert [moment.line for moment in replay(read_record(write_lines([HEAD]), games))] == [1]
    end = EndLine((0, 0), (), "abandoned", bytes(32).hex(), "2026-01-01T00:10:00Z")
    assert verify(read_record(write_lines([HEAD, end]), games)).reason == "abandoned"
    lines = [HEAD, AddLine(0, 1), AddLine(1, 1), AddLine(0, 1)]
    assert [moment.line for moment in replay(read_record(write_lines(lines), games))] == [1, 2, 3, 4]
    with pytest.raises(RecordError, match="the rules refuse") as error:
        list(replay(read_record(write_lines([HEAD, AddLine(1, 1)]), games)))
    assert error.value.line == 2


def test_a_deal_that_the_record_does_not_tell_is_an_error_with_a_line() -> None:
    class Drawing(Race):
        def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
            GivenOrder().order(52, deal=1)
            return super().apply(state, seat, move)

    lines = [HEAD, CardLine(0, 1), CardLine(1, 2), AddLine(0, 1)]
    drawing = read_record(write_lines(lines), {"race": Drawing()})
    whole = read_record(write_lines(random_record(5)), GAMES)
    for record, line in ((whole, 1), (drawing, 4)):
        with pytest.raises(RecordError, match=r"isn't known") as error:
            list(replay(record, GivenOrder() if record is whole else None))
        assert error.value.line == line


def test_notes_may_stand_anywhere() -> None:
    lines = random_record(3)
    noted: Lines = [lines[0]]
    for line in lines[1:]:
        noted += [NoteLine("ann is back", 0), line]
    assert check(noted).reason == "out"


def test_an_abandoned_game_keeps_its_totals_and_has_no_winner() -> None:
    lines = random_record(3)
    end = lines[-1]
    assert isinstance(end, EndLine)
    at = next(n for n, line in enumerate(lines) if n > 30 and isinstance(line, DrawLine))
    totals = [0, 0]
    for line in lines[: at + 1]:
        if isinstance(line, TurnLine):
            totals[line.seat] = line.total
    abandoned = EndLine(tuple(totals), (), "abandoned", end.seed, end.ended)
    assert check([*lines[: at + 1], abandoned]).winners == ()
    with pytest.raises(RecordError, match="totals"):
        check([*lines[: at + 1], msgspec.structs.replace(abandoned, totals=(999, 0))])


def changed(kind: type[RecordLine], skip: int = 0, **fields: object) -> Callable[[Lines], int]:
    """Changes those fields of a line of that kind, or drops it without any; the number of the line that is wrong."""

    def spoil(lines: Lines) -> int:
        at = [n for n, line in enumerate(lines) if isinstance(line, kind)][skip]
        lines[at : at + 1] = [msgspec.structs.replace(lines[at], **fields)] if fields else []
        return at + 1

    return spoil


def cut_short(lines: Lines) -> int:
    del lines[60:]
    return 60


def doubled_end(lines: Lines) -> int:
    lines.append(lines[-1])
    return len(lines)


def swapped_draws(lines: Lines) -> int:
    one, two = [n for n, line in enumerate(lines) if isinstance(line, DrawLine)][:2]
    lines[one], lines[two] = (
        DrawLine(seat, line.stones)
        for seat, line in enumerate((lines[two], lines[one]))
        if isinstance(line, DrawLine)
    )
    return one + 1


SPOILT = {
    "a lay's points": changed(LayLine, 4, points=99),
    "a lay's seat": changed(LayLine, 4, seat=3),
    "a lay's spot": changed(LayLine, 4, spot="KSx"),
    "a swap that was none": changed(LayLine, 0, swapped=True),
    "a turn's total": changed(TurnLine, 3, total=1),
    "a turn's bonus": changed(TurnLine, 3, bonus=10),
    "a settlement": changed(SettleLine, 0, penalty=(0, 0)),
    "a draw": changed(DrawLine, 4, stones=("7D",)),
    "the deal": swapped_draws,
    "a draw left out": changed(DrawLine, 4),
    "a settlement left out": changed(SettleLine),
    "totals": changed(EndLine, 0, totals=(1, 2)),
    "winners": changed(EndLine, 0, winners=(0, 1)),
    "the reason": changed(EndLine, 0, reason="blocked"),
    "the seed": changed(EndLine, 0, seed="00" * 32),
    "a short seed": changed(EndLine, 0, seed="00"),
    "a seed that is no hex": changed(EndLine, 0, seed="z" * 64),
    "a seed with blanks": changed(EndLine, 0, seed="00 " * 32),
    "cut short": cut_short,
    "a second end": doubled_end,
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_spoilt_record_fails_at_its_line(spoil: Callable[[Lines], int]) -> None:
    lines = random_record(5)
    line = spoil(lines)
    with pytest.raises(RecordError) as error:
        check(lines)
    assert error.value.line == line


@pytest.mark.parametrize(("where", "kind"), [("start", GameLine), ("move_of", LayLine)])
def test_rules_that_fail_are_told_at_the_line_where_they_do(where: str, kind: type[RecordLine]) -> None:
    class Failing(Cartino):
        def __getattribute__(self, name: str) -> object:
            if name == where:
                raise ZeroDivisionError(name)
            return super().__getattribute__(name)

    lines = random_record(5)
    record = read_record(write_lines(lines), {"cartino": Failing()})
    with pytest.raises(RecordError, match=r"the rules of Cartino fail there \(ZeroDivisionError\)") as error:
        verify(record)
    assert error.value.line == next(number for number, line in enumerate(lines, 1) if isinstance(line, kind))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"cuts": ("", "", "")}, "3 cut texts for 2 seats"),
        ({"cuts": ("other", "")}, "by the rules, this has to be"),
        ({"options": {}}, "options of Cartino are missing here"),
        ({"options": {"edition": "1969"}}, "the rules"),
        ({"seats": ("ann",)}, "2 to 4 players"),
        ({"format": 2}, "has format 2"),
        ({"game": "chess"}, "isn't installed"),
        ({"commitment": "00"}, "the seed doesn't match the hash"),
        ({"commitment": "é♠"}, "the seed doesn't match the hash"),
    ],
)
def test_a_spoilt_first_line_is_named(fields: dict[str, object], why: str) -> None:
    lines = random_record(5)
    assert isinstance(lines[0], GameLine)
    lines[0] = msgspec.structs.replace(lines[0], **fields)
    with pytest.raises(RecordError, match=why):
        check(lines)


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        pytest.param(lambda data: b"", 1, id="empty"),
        pytest.param(lambda data: b"\n", 1, id="blank"),
        pytest.param(lambda data: data[:10], 1, id="torn first line"),
        pytest.param(lambda data: data[: len(data) // 2], None, id="cut in half"),
        pytest.param(lambda data: data.replace(b'"lay"', b'"lie"', 1), None, id="unknown type"),
        pytest.param(lambda data: data.replace(b"false", b'false,"x":1', 1), None, id="unknown field"),
        pytest.param(lambda data: data + b"\xff\xfe\n", None, id="no UTF-8"),
        pytest.param(lambda data: b"[" * 100_000, 1, id="deep"),
    ],
)
def test_what_is_no_record_is_an_error_with_a_line(spoil: Callable[[bytes], bytes], line: int | None) -> None:
    with pytest.raises(RecordError) as error:
        verify(read_record(spoil(write_lines(random_record(5))), GAMES))
    assert line is None or error.value.line == line
    assert "\n" not in str(error.value)


def test_an_export_of_a_running_game_says_why_it_cannot_be_checked() -> None:
    game = list(random_game(5, "1974", 2))
    lines = [GAME.redact(line, game[0][0]) for line in random_record(5)[:40]]
    assert b'"?"' in write_lines(lines)
    with pytest.raises(RecordError, match="only finished games"):
        check(lines)
    with pytest.raises(RecordError, match="stay hidden while the game is running"):
        list(replay(read_record(write_lines(lines), GAMES)))


ORACLES = {"cartino": check_cartino.check, "caro": check_caro.check, "casino": check_casino.check}


"""The rules of each game, read a second time."""


GOLDEN = sorted(
    path
    for path in (Path(__file__).parent.parent / "golden").glob("*.jsonl")
    if path.stem.partition("-")[0] in GAMES
)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_verifies(path: Path) -> None:
    record = read_record(path.read_bytes(), GAMES)
    verify(record)
    check = ORACLES[record.game.name]
    assert check(path.read_text(encoding="utf-8").splitlines()) is None, (
        "the rules read a second time disagree"
    )


def test_every_game_with_every_option_and_number_of_seats_has_a_golden_one() -> None:
    heads = [read_record(path.read_bytes(), GAMES).head for path in GOLDEN]
    for game in GAMES.values():
        for seats in range(game.seats[0], game.seats[1] + 1):
            for option in game.options:
                for choice in option.choices:
                    assert any(
                        (head.game, len(head.seats), head.options.get(option.name))
                        == (game.name, seats, choice)
                        for head in heads
                    ), f"{game.name} {option.name}={choice} with {seats} seats"
