"""One game from deal to end, and its record."""

from cartino_protocol.records import LineReader
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.play import Play, deal
from tests.support.house import NOW
from tests.support.race import Add, Race

OPTIONS = {"goal": "3", "turns": "one"}


def a_play(number: int = 7) -> Play:
    return deal(Race(), OPTIONS, ["ann", "bot:steady"], ["cut", ""], bytes(32), number, lambda: NOW)


def test_it_counts_from_the_number_it_is_given() -> None:
    play = a_play()
    assert play.act(0, 6, encode(Add(1))) == Refusal("stale")
    assert play.act(0, 7, encode(Add(1))) is None
    assert play.number == 8
    assert play.act(0, 7, encode(Add(1))) == Refusal("stale")


def test_nothing_is_taken_after_the_end() -> None:
    play = a_play()
    assert play.act(0, 7, encode(Add(3))) is None
    assert play.act(1, 8, encode(Add(3))) == Refusal("not-playing")
    assert play.on_turn() == ()


def test_abandoning_ends_a_running_game_once() -> None:
    play = a_play()
    play.abandon()
    play.abandon()
    assert [line.__class__.__name__ for line in play.lines].count("EndLine") == 1
    assert play.result is not None
    assert play.result.reason == "abandoned"


def test_the_export_of_a_running_game_holds_no_secret_and_no_seed() -> None:
    play = a_play()
    text = play.export()
    assert b'"card":-1' in text
    assert bytes(32).hex().encode() not in text
    play.act(0, 7, encode(Add(3)))
    lines = [LineReader(Race.lines).read(line) for line in play.export().splitlines()]
    assert lines == play.lines
