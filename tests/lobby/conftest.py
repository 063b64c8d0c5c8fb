"""A world of fake ports, and servers that are closed when the test is over."""

from tests.support.server_fixtures import house, houses, journal, world

__all__ = ["house", "houses", "journal", "world"]
