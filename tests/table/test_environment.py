"""The real ports."""

import re
from datetime import datetime

import pytest

from cartino_protocol.base import CODE_LENGTH, PRIVATE_CODE_LENGTH, parse_code
from cartino_server.lobby.background_tasks import STALL, ServerClock
from cartino_server.table.environment import Ports


def test_the_time_is_rfc_3339_in_utc() -> None:
    now = Ports().now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", now)
    assert datetime.fromisoformat(now).utcoffset() is not None


@pytest.mark.parametrize("letters", [CODE_LENGTH, PRIVATE_CODE_LENGTH])
def test_codes_are_codes_and_differ(letters: int) -> None:
    codes = {Ports().random_code(letters) for _ in range(50)}
    assert len(codes) > 40
    assert all(parse_code(code) == code and len(code) == letters for code in codes)


def test_entropy_is_as_long_as_asked_for_and_not_the_same_twice() -> None:
    entropy = Ports().entropy
    assert len(entropy(32)) == 32
    assert entropy(32) != entropy(32)


async def test_a_process_that_stands_still_is_charged_next_to_nothing() -> None:
    now = 5.0
    clock = ServerClock(100.0, lambda: now)
    now += 7
    assert clock() == 107, "nobody looks yet"
    clock.watch()
    for _ in range(4):
        now += STALL / 2
        clock.watch()
    assert clock() == 107 + 2 * STALL
    now += 20
    assert clock() == 107 + 3 * STALL, "whoever reads it first"
    clock.watch()
    assert clock() == 107 + 3 * STALL
    now += STALL / 2
    assert clock() == 107 + 3.5 * STALL
