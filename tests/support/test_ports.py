"""Ports that tests listen at."""

import socket

import pytest

from tests.support.ports import never_given, own_port


@pytest.mark.parametrize(
    ("told", "ports"),
    [
        ("32768\t60999\n", range(12_000, 32_768)),
        ("20000 60999", range(12_000, 20_000)),
        ("1024 65535", range(12_000, 32_768)),
        ("", range(12_000, 32_768)),
    ],
)
def test_they_are_below_those_that_the_system_gives_out(told: str, ports: range) -> None:
    assert never_given(told) == ports


def test_none_is_given_twice_nor_one_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", own_port())) as taken:
        given = [own_port() for _ in range(200)]
        assert taken.getsockname()[1] not in given
    assert len(set(given)) == 200
