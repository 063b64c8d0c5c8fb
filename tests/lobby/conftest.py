"""A world of fake ports, and servers that are closed when the test is over."""

from tests.support.server_fixtures import bans, journal, people_db, server, servers, start, world

__all__ = ["bans", "journal", "people_db", "server", "servers", "start", "world"]
