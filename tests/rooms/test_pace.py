"""How fast a link may say what."""

from collections.abc import Sequence

import pytest

from cartino_protocol.commands import Command, Cut, Prefer, Rename, Say, Sit, Stand
from cartino_protocol.views import NOTHING
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.pace import Pace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def allowed(pace: Pace, *commands: Command) -> int:
    return sum(pace.allows(command) for command in commands)


def test_five_lines_of_chat_in_ten_seconds() -> None:
    clock = Clock()
    pace = Pace(HouseConfig(), clock)
    assert allowed(pace, *[Say("x")] * 20) == 5
    clock.now += 10
    assert allowed(pace, *[Say("x")] * 20) == 5


def test_ten_changes_of_seat_name_and_choice_in_ten_seconds() -> None:
    clock = Clock()
    pace = Pace(HouseConfig(), clock)
    changes: Sequence[Command] = [Sit(0), Stand(), Rename("ann"), Prefer(NOTHING)] * 10
    assert allowed(pace, *changes) == 10
    clock.now += 10
    assert allowed(pace, *changes) == 10


def test_one_kind_does_not_use_up_another() -> None:
    pace = Pace(HouseConfig(), Clock())
    assert allowed(pace, *[Say("x")] * 20) == 5
    assert allowed(pace, Sit(0), Cut("x")) == 2


def test_all_commands_together_have_a_measure() -> None:
    clock = Clock()
    pace = Pace(HouseConfig(burst=3, rate=1.0), clock)
    assert [pace.allows_frame() for _ in range(5)] == [True] * 3 + [False] * 2
    clock.now += 1
    assert [pace.allows_frame() for _ in range(2)] == [True, False]


@pytest.mark.parametrize("config", [HouseConfig(talk_burst=1), HouseConfig(seats_burst=1)])
def test_it_is_as_the_house_is_told(config: HouseConfig) -> None:
    pace = Pace(config, Clock())
    assert allowed(pace, Say("x"), Say("x"), Stand(), Stand()) == 3
