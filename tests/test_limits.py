"""What a server does unless told otherwise."""

from cartino_server.limits import ServerConfig
from cartino_server.table.state import SEAT_KEPT


def test_people_can_follow_a_bot_and_lists_come_twice_a_second() -> None:
    config = ServerConfig()
    assert (config.bot_pause, config.lobby_every, config.empty_after) == (1.0, 0.5, 600.0)
    assert (config.burst, config.rate) == (40, 20.0)


def test_a_server_can_not_be_filled_cheaply() -> None:
    config = ServerConfig()
    assert (config.unused_after, config.tables_each) == (120.0, 5)
    assert (config.chat_lines, config.chat_seconds, config.chat_length) == (5, 10, 300)
    assert config.seats_burst / config.seats_rate == 10


def test_a_table_lasts_as_long_as_its_seats_wait() -> None:
    config = ServerConfig()
    assert SEAT_KEPT <= config.unused_after <= config.empty_after < config.unfinished_after
