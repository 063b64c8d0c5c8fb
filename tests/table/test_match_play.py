"""One game from deal to end, and its record."""

from cartino_protocol.records import LineReader
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.match import Match, deal
from cartino_server.table.seating import Chair, Order, Seating
from tests.support.game_server import NOW, World
from tests.support.race import Add, Race

OPTIONS = {"goal": "3", "turns": "one"}
ORDER = Order(Race(), OPTIONS, 2, ("steady",), True)


SEATING = Seating((Chair("human", "ann", "ann", cut="cut"), Chair("bot", "steady", bot="steady")))


def a_match(number: int = 7) -> Match:
    return deal(ORDER, OPTIONS, SEATING, bytes(32), number, lambda: NOW, ())


def act(match: Match, seat: int, number: int, points: int) -> Match | Refusal:
    return match.act(SEATING, World().ports(), seat, number, encode(Add(points)))


def over() -> Match:
    match = act(a_match(), 0, 7, 3)
    assert isinstance(match, Match)
    return match


def test_it_counts_from_the_number_it_is_given() -> None:
    match = a_match()
    assert act(match, 0, 6, 1) == Refusal("stale")
    moved = act(match, 0, 7, 1)
    assert isinstance(moved, Match)
    assert (match.number, moved.number, moved.first) == (7, 8, 7)
    assert act(moved, 0, 7, 1) == Refusal("stale")


def test_nothing_is_taken_after_the_end() -> None:
    assert act(over(), 1, 8, 3) == Refusal("not-playing")
    assert over().on_turn() == ()


def test_abandoning_ends_a_running_game_once() -> None:
    match = a_match().abandon(lambda: NOW)
    assert match.abandon(lambda: NOW) is match
    assert [line.__class__.__name__ for line in match.lines].count("EndLine") == 1
    assert match.result is not None
    assert match.result.reason == "abandoned"


def test_the_export_of_a_running_game_holds_no_secret_and_no_seed() -> None:
    text = a_match().export()
    assert b'"card":-1' in text
    assert bytes(32).hex().encode() not in text
    lines = [LineReader(Race.lines).read(line) for line in over().export().splitlines()]
    assert lines == list(over().lines)
