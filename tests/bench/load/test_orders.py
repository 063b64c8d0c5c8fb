"""What a load process is told and answers comes over as it was, and nothing unanswered is left out of a percentile."""

import math

import msgspec
import pytest

from bench.load.orders import Answer, Drop, Enter, Failed, Order, Press, Pressed, Seen, Storm, Stormed


@pytest.mark.parametrize(
    "order", [Enter(5, 2, "watch K7QP", "leave"), Press(12.5, 8, 3, 51), Storm(1.0, 100, 5), Drop(9, "", "x")]
)
def test_orders_come_over(order: Order) -> None:
    decoder: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
    assert decoder.decode(msgspec.json.encode(order)) == order


@pytest.mark.parametrize(
    "answer",
    [Pressed([1.5], [0.1], 2, 99), Seen([1, 2], [0.5, 0.75]), Stormed([], [], 3, 1.0), Failed("why")],
)
def test_answers_come_over(answer: Answer) -> None:
    decoder: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)
    assert decoder.decode(msgspec.json.encode(answer)) == answer


def test_keys_without_an_answer_count_as_endless() -> None:
    waits = [float(wait) for wait in range(98)]
    assert Pressed(waits, [], 1, 0).percentile(0.98) == 97
    assert Pressed(waits, [], 2, 0).percentile(0.99) == math.inf
    assert Pressed([*waits, 98, 99], [], 0, 0).percentile(0.99) == 98


def test_log_ins_that_failed_count_as_endless() -> None:
    assert Stormed([5.0], [], 1, 1.0).percentile(0.5) == 5
    assert Stormed([5.0], [], 1, 1.0).percentile(0.99) == math.inf
    assert Stormed([], [], 3, 1.0).percentile(0.5) == math.inf
