"""Defaults that depend on each other."""

from cartino_server.limits import ServerConfig
from cartino_server.table.state import SEAT_KEPT


def test_a_table_lasts_as_long_as_its_seats_wait() -> None:
    config = ServerConfig()
    assert SEAT_KEPT <= config.unused_after <= config.empty_after < config.unfinished_after
