"""A world of fake ports, and servers that are closed when the test is over."""

from tests.support.server_fixtures import journal, server, servers, world

__all__ = ["journal", "server", "servers", "world"]
