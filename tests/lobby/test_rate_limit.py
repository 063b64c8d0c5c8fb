"""How fast a link may say what."""

import gc
from collections.abc import Sequence

import pytest

from cartino_protocol.accounts import AddKey, DropKey, KeyCode
from cartino_protocol.commands import Command, Cut, Decline, Ignore, Prefer, Rename, Report, Say, Sit, Stand
from cartino_protocol.views import ABSENT
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import NETWORK_FACTOR, PersonLimit, RateLimits
from cartino_server.table.link import RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def one(config: ServerConfig, clock: Clock) -> PersonLimit:
    return RateLimits(config, clock).limits_of("ann")


def allowed(pace: RateLimit, *commands: Command) -> int:
    return sum(pace.refuses(command) is None for command in commands)


def guests_of_one_network() -> PersonLimit:
    networks = {1: "192.0.2.1"}
    rate_limits = RateLimits(ServerConfig(), Clock(), network_of=networks.__getitem__)
    return rate_limits.limits_of("guest:1", 1)


def test_five_lines_of_chat_at_once_then_one_in_two_seconds() -> None:
    clock = Clock()
    pace = one(ServerConfig(), clock)
    assert allowed(pace, *[Say("x")] * 20) == 5
    clock.now += 1.9
    assert pace.refuses(Say("x")) == "too-much-talk"
    clock.now += 0.2
    assert allowed(pace, *[Say("x")] * 20) == 1
    clock.now += 10.1
    assert allowed(pace, *[Say("x")] * 20) == 5


def test_in_the_long_run_there_are_five_lines_in_ten_seconds() -> None:
    clock = Clock()
    pace, said = one(ServerConfig(), clock), []
    for _ in range(300):
        clock.now += 0.25
        if pace.refuses(Say("x")) is None:
            said.append(clock.now)
    for span in (10, 20, 40):
        most = 5 + span / 2
        assert max(sum(at <= other < at + span for other in said) for at in said) <= most
    assert len(said) >= 5 * 7


def test_all_links_of_a_person_have_one_measure_and_so_has_who_comes_again() -> None:
    rate_limits = RateLimits(ServerConfig(), Clock())
    first, second = rate_limits.limits_of("ann"), rate_limits.limits_of("ann")
    assert allowed(first, *[Say("x")] * 3) + allowed(second, *[Say("x")] * 3) == 5
    del first, second
    gc.collect()
    assert allowed(rate_limits.limits_of("ann"), Say("x")) == 0
    assert allowed(rate_limits.limits_of("bob"), Say("x")) == 1


def test_guests_of_one_network_share_a_measure_of_a_few_persons() -> None:
    clock = Clock()
    networks = {1: "192.0.2.1", 2: "192.0.2.1", 3: "198.51.100.1", 4: ""}
    rate_limits = RateLimits(ServerConfig(burst=4), clock, network_of=networks.__getitem__)
    many = [rate_limits.limits_of(f"guest:{number}", 1 + number % 2) for number in range(50)]
    assert sum(allowed(pace, *[Say("x")] * 5) for pace in many) == 5 * NETWORK_FACTOR
    assert sum(allowed(pace, *[Rename("ann")] * 20) for pace in many) == 10 * NETWORK_FACTOR
    assert sum(pace.allows_frame() for pace in many) == 4 * NETWORK_FACTOR
    assert sum(allowed(pace, *[Report(1)] * 5) for pace in many) == 5 * NETWORK_FACTOR
    assert allowed(rate_limits.limits_of("guest:0", 3), Say("x"), Stand(), Report(1)) == 3
    clock.now += 10.1
    assert sum(allowed(pace, *[Say("x")] * 5) for pace in many) == 5 * NETWORK_FACTOR
    clock.now += 3600
    assert allowed(many[0], Report(1)) == 1


def test_who_comes_from_where_nobody_is_counted_has_a_measure_alone() -> None:
    rate_limits = RateLimits(ServerConfig(), Clock())
    for who in ("SHA256:", "guest:"):
        assert [allowed(rate_limits.limits_of(f"{who}{n}", 4), *[Say("x")] * 9) for n in range(9)] == [5] * 9
        assert [allowed(rate_limits.limits_of(f"{who}{n}", 4), *[Report(1)] * 9) for n in range(9)] == [9] * 9


def test_what_strangers_with_keys_say_counts_with_that_of_guests_and_nothing_else_does() -> None:
    clock, known = Clock(), set[str]()
    networks = {1: "192.0.2.1", 2: "192.0.2.1", 3: "198.51.100.1"}
    rate_limits = RateLimits(
        ServerConfig(burst=4), clock, known.__contains__, network_of=networks.__getitem__
    )
    many = [rate_limits.limits_of(f"SHA256:{n}", 1 + n % 2) for n in range(50)]
    assert allowed(rate_limits.limits_of("guest:1", 1), *[Say("x")] * 2) == 2
    assert sum(allowed(pace, *[Say("x")] * 9) for pace in many) == 5 * NETWORK_FACTOR - 2
    assert allowed(rate_limits.limits_of("guest:1", 1), Say("x")) == 0
    assert allowed(rate_limits.limits_of("SHA256:49", 3), *[Say("x")] * 9) == 5, (
        "who was refused has lost nothing of their own"
    )
    assert all(allowed(pace, *[Report(1)] * 9) == 9 for pace in many)
    assert [allowed(pace, *[Rename("ann")] * 20) for pace in many] == [1] * 50
    assert [sum(pace.allows_frame() for _ in range(9)) for pace in many] == [4] * 50
    # Who has played is known at once, and takes nothing of what strangers have.
    known |= {"SHA256:7", "SHA256:8"}
    assert [allowed(pace, *[Say("x")] * 9) for pace in many[7:10]] == [5, 5, 0]
    clock.now += 10.1
    assert allowed(many[7], *[Say("x")] * 9) == 5
    assert sum(allowed(pace, *[Say("x")] * 9) for pace in many[9:]) == 5 * NETWORK_FACTOR


def test_a_stranger_who_comes_from_two_places_has_one_measure_still() -> None:
    networks = {1: "192.0.2.1", 2: "198.51.100.1"}
    rate_limits = RateLimits(ServerConfig(), Clock(), network_of=networks.__getitem__)
    here, there = (rate_limits.limits_of("SHA256:ann", connection) for connection in (1, 2))
    assert allowed(here, *[Say("x")] * 3) + allowed(there, *[Say("x")] * 9) == 5


def test_everybody_goes_by_what_the_server_is_told_anew() -> None:
    rate_limits = RateLimits(ServerConfig(), Clock())
    pace = rate_limits.limits_of("ann")
    assert allowed(pace, Say("x")) == 1
    rate_limits.configure(ServerConfig(chat_lines=3, burst=2))
    assert allowed(pace, *[Say("x")] * 9) == 3
    assert [pace.allows_frame() for _ in range(3)] == [True, True, False]
    assert allowed(rate_limits.limits_of("bob"), *[Say("x")] * 9) == 3


def test_ten_changes_of_seat_name_and_choice_in_ten_seconds() -> None:
    clock = Clock()
    pace = one(ServerConfig(), clock)
    changes: Sequence[Command] = [Sit(0), Stand(), Rename("ann"), Prefer(ABSENT)] * 10
    assert allowed(pace, *changes) == 10
    clock.now += 10
    assert allowed(pace, *changes) == 10


@pytest.mark.parametrize(
    "command", [Ignore("abcd1234"), Decline("ABCD"), Report(1), KeyCode(), AddKey("x"), DropKey("x")]
)
def test_what_is_written_of_people_is_ten_in_ten_seconds(command: Command) -> None:
    clock = Clock()
    pace = one(ServerConfig(), clock)
    assert allowed(pace, *[command] * 20) == 10
    clock.now += 10
    assert allowed(pace, *[command] * 20) == 10


def test_nobody_takes_from_a_guest_of_their_network_to_hear_no_more_of_somebody() -> None:
    pace = guests_of_one_network()
    assert allowed(pace, *[Rename("ann")] * 99) == 10 * NETWORK_FACTOR
    assert allowed(pace, Ignore("abcd1234"), Decline("ABCD"), Report(1)) == 3


def test_one_kind_does_not_use_up_another() -> None:
    pace = one(ServerConfig(), Clock())
    assert allowed(pace, *[Say("x")] * 20) == 5
    assert allowed(pace, Sit(0), Cut("x")) == 2


def test_all_commands_together_have_a_measure() -> None:
    clock = Clock()
    pace = one(ServerConfig(burst=3, rate=1.0), clock)
    assert [pace.allows_frame() for _ in range(5)] == [True] * 3 + [False] * 2
    clock.now += 1
    assert [pace.allows_frame() for _ in range(2)] == [True, False]


@pytest.mark.parametrize("config", [ServerConfig(chat_lines=1), ServerConfig(seats_burst=1)])
def test_it_is_as_the_server_is_told(config: ServerConfig) -> None:
    pace = one(config, Clock())
    assert allowed(pace, Say("x"), Say("x"), Stand(), Stand()) == 3
