"""What a house does unless told otherwise."""

from cartino_server.rooms.config import HouseConfig


def test_people_can_follow_a_bot_and_lists_come_twice_a_second() -> None:
    config = HouseConfig()
    assert (config.bot_pause, config.lobby_every, config.empty_after) == (1.0, 0.5, 600.0)
    assert (config.burst, config.rate) == (40, 20.0)
