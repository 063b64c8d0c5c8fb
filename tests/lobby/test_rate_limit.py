"""How fast a person or a network may say what, and how often they may try codes of private tables."""

import gc
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from cartino_protocol.accounts import AddKey, DropKey, Invitations, KeyCode, Reported
from cartino_protocol.commands import (
    Act,
    Command,
    Course,
    Create,
    Cut,
    Decline,
    Ignore,
    Invite,
    Join,
    Leave,
    Prefer,
    Rename,
    Replay,
    Report,
    Say,
    Sit,
    Stand,
    Watch,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ABSENT, Answer, ChatLine, ChatView, Left, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import NETWORK_FACTOR, WRONG_CODES, PersonLimit, RateLimits
from cartino_server.lobby.remote_tables import NoSuchTable, TableBusy, TooManyCodes, UnknownTable
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_REPORTS_PER_HOUR
from cartino_server.table.link import RateLimit
from tests.support.few_tables import Origins
from tests.support.game_server import Guest, World, a_guest, at_a_table, connect, texts
from tests.support.race import Add


def one(config: ServerConfig, world: World) -> PersonLimit:
    return RateLimits(config, lambda: world.time).limits_of("ann")


def allowed(pace: RateLimit, *commands: Command) -> int:
    return sum(pace.refuses(command) is None for command in commands)


def guests_of_one_network() -> PersonLimit:
    networks = {1: "192.0.2.1"}
    rate_limits = RateLimits(ServerConfig(), lambda: 0.0, network_of=networks.__getitem__)
    return rate_limits.limits_of("guest:1", 1)


def test_five_lines_of_chat_at_once_then_one_in_two_seconds() -> None:
    world = World()
    pace = one(ServerConfig(), world)
    assert allowed(pace, *[Say("x")] * 20) == 5
    world.time += 1.9
    assert pace.refuses(Say("x")) == "too-much-talk"
    world.time += 0.2
    assert allowed(pace, *[Say("x")] * 20) == 1
    world.time += 10.1
    assert allowed(pace, *[Say("x")] * 20) == 5


def test_all_links_of_a_person_have_one_measure_and_so_has_who_comes_again() -> None:
    rate_limits = RateLimits(ServerConfig(), lambda: 0.0)
    first, second = rate_limits.limits_of("ann"), rate_limits.limits_of("ann")
    assert allowed(first, *[Say("x")] * 3) + allowed(second, *[Say("x")] * 3) == 5
    del first, second
    gc.collect()
    assert allowed(rate_limits.limits_of("ann"), Say("x")) == 0
    assert allowed(rate_limits.limits_of("bob"), Say("x")) == 1


def test_guests_of_one_network_share_a_measure_of_a_few_persons() -> None:
    world = World()
    networks = {1: "192.0.2.1", 2: "192.0.2.1", 3: "198.51.100.1", 4: ""}
    rate_limits = RateLimits(ServerConfig(burst=4), lambda: world.time, network_of=networks.__getitem__)
    many = [rate_limits.limits_of(f"guest:{number}", 1 + number % 2) for number in range(50)]
    assert sum(allowed(pace, *[Say("x")] * 5) for pace in many) == 5 * NETWORK_FACTOR
    assert sum(allowed(pace, *[Rename("ann")] * 20) for pace in many) == 10 * NETWORK_FACTOR
    assert sum(pace.allows_frame() for pace in many) == 4 * NETWORK_FACTOR
    assert sum(allowed(pace, *[Report(1)] * 5) for pace in many) == 5 * NETWORK_FACTOR
    assert allowed(rate_limits.limits_of("guest:0", 3), Say("x"), Stand(), Report(1)) == 3
    world.time += 10.1
    assert sum(allowed(pace, *[Say("x")] * 5) for pace in many) == 5 * NETWORK_FACTOR
    world.time += 3600
    assert allowed(many[0], Report(1)) == 1


def test_who_comes_from_where_nobody_is_counted_has_a_measure_alone() -> None:
    rate_limits = RateLimits(ServerConfig(), lambda: 0.0)
    for who in ("SHA256:", "guest:"):
        assert [allowed(rate_limits.limits_of(f"{who}{n}", 4), *[Say("x")] * 9) for n in range(9)] == [5] * 9
        assert [allowed(rate_limits.limits_of(f"{who}{n}", 4), *[Report(1)] * 9) for n in range(9)] == [9] * 9


def test_what_strangers_with_keys_say_counts_with_that_of_guests_and_nothing_else_does() -> None:
    world, known = World(), set[str]()
    networks = {1: "192.0.2.1", 2: "192.0.2.1", 3: "198.51.100.1"}
    rate_limits = RateLimits(
        ServerConfig(burst=4), lambda: world.time, known.__contains__, network_of=networks.__getitem__
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
    world.time += 10.1
    assert allowed(many[7], *[Say("x")] * 9) == 5
    assert sum(allowed(pace, *[Say("x")] * 9) for pace in many[9:]) == 5 * NETWORK_FACTOR


def test_a_stranger_who_comes_from_two_places_has_one_measure_still() -> None:
    networks = {1: "192.0.2.1", 2: "198.51.100.1"}
    rate_limits = RateLimits(ServerConfig(), lambda: 0.0, network_of=networks.__getitem__)
    here, there = (rate_limits.limits_of("SHA256:ann", connection) for connection in (1, 2))
    assert allowed(here, *[Say("x")] * 3) + allowed(there, *[Say("x")] * 9) == 5


def test_everybody_goes_by_what_the_server_is_told_anew() -> None:
    rate_limits = RateLimits(ServerConfig(), lambda: 0.0)
    pace = rate_limits.limits_of("ann")
    assert allowed(pace, Say("x")) == 1
    rate_limits.configure(ServerConfig(chat_lines=3, burst=2))
    assert allowed(pace, *[Say("x")] * 9) == 3
    assert [pace.allows_frame() for _ in range(3)] == [True, True, False]
    assert allowed(rate_limits.limits_of("bob"), *[Say("x")] * 9) == 3


@pytest.mark.parametrize(
    "commands",
    [
        [Sit(0), Stand(), Rename("ann"), Prefer(ABSENT)],
        *([each] for each in (Ignore("abcd1234"), Decline("ABCD"), Report(1))),
        *([each] for each in (KeyCode(), AddKey("x"), DropKey("x"))),
    ],
)
def test_ten_changes_in_ten_seconds_of_seat_name_choice_or_what_is_written_of_people(
    commands: list[Command],
) -> None:
    world = World()
    pace = one(ServerConfig(), world)
    for _ in range(2):
        assert allowed(pace, *commands * 20) == 10
        world.time += 10


def test_nobody_takes_from_a_guest_of_their_network_to_hear_no_more_of_somebody() -> None:
    pace = guests_of_one_network()
    assert allowed(pace, *[Rename("ann")] * 99) == 10 * NETWORK_FACTOR
    assert allowed(pace, Ignore("abcd1234"), Decline("ABCD"), Report(1)) == 3


def test_one_kind_does_not_use_up_another() -> None:
    pace = one(ServerConfig(), World())
    assert allowed(pace, *[Say("x")] * 20) == 5
    assert allowed(pace, Sit(0), Cut("x")) == 2


def test_all_commands_together_have_a_measure() -> None:
    world = World()
    pace = one(ServerConfig(burst=3, rate=1.0), world)
    assert [pace.allows_frame() for _ in range(5)] == [True] * 3 + [False] * 2
    world.time += 1
    assert [pace.allows_frame() for _ in range(2)] == [True, False]


TRIER = "id-eve"
TOO_MANY = Refusal("too-many-codes")
NETWORKS = {1: "192.0.2.1", 2: "192.0.2.1", 3: "198.51.100.1"}


async def too_many_wrong_codes(server: Server, connection: int = 0) -> None:
    for _ in range(int(WRONG_CODES.burst)):
        with pytest.raises(NoSuchTable):
            await server.services.remote_tables.look(TRIER, "ZZZZZZZZ", connection)


async def a_private_table(server: Server) -> tuple[Guest, str]:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("race", open=False, seats=3), TableView)
    return ann, table.code


async def test_the_code_of_a_private_table_is_longer(server: Server) -> None:
    _, code = await a_private_table(server)
    listed = await (await a_guest(server, "bob")).ask(Create("race"), TableView)
    assert (len(code), len(listed.code)) == (8, 4)
    eve = await a_guest(server, "eve")
    assert (await eve.ask(Watch(code.lower()), TableView)).code == code


async def test_no_more_codes_are_answered_right_or_wrong(server: Server, world: World) -> None:
    _, code = await a_private_table(server)
    eve = await a_guest(server, "eve")
    for _ in range(int(WRONG_CODES.burst)):
        assert (await eve.refused(Watch("ZZZZ"))).reason == "unknown-code"
    for command in (Watch("ZZZZ"), Watch(code), Join(code), Replay("ZZZZZZZZ-1", 0), Course("ZZZZZZZZ-1")):
        assert await eve.refused(command) == TOO_MANY
    with pytest.raises(TableBusy) as refused:
        await server.services.remote_tables.look(TRIER, code)
    assert refused.value.refusal == TOO_MANY
    assert await server.services.remote_tables.do(TRIER, code, Act(0, encode_raw(Add(1)))) == TOO_MANY
    world.time += 1.01 / WRONG_CODES.rate
    assert (await eve.ask(Watch(code), TableView)).code == code


async def replay(server: Server) -> None:
    eve = await a_guest(server, "eve")
    for command in (Replay("ZZZZZZZZ-1", 0), Course("ZZZZZZZZ-1")):
        assert (await eve.refused(command)).reason == "no-past-game"


async def look(server: Server) -> None:
    for _ in range(2):
        with pytest.raises(NoSuchTable):
            await server.services.remote_tables.look(TRIER, "ZZZZZZZZ")


async def export(server: Server) -> None:
    for _ in range(2):
        with pytest.raises(UnknownTable):
            await server.services.remote_tables.record_of("ZZZZZZZZ-7", TRIER)


@pytest.mark.parametrize("ask_twice", [replay, look, export])
async def test_every_way_to_ask_counts(
    server: Server, ask_twice: Callable[[Server], Coroutine[Any, Any, None]]
) -> None:
    _, code = await a_private_table(server)
    assert WRONG_CODES.burst % 2 == 0
    for _ in range(int(WRONG_CODES.burst) // 2):
        await ask_twice(server)
    for name in (code, "ZZZZ", "ZZZZZZZZ-7"):
        with pytest.raises(TooManyCodes):
            await server.services.remote_tables.record_of(name, TRIER)
    assert await (await a_guest(server, "eve")).refused(Watch(code)) == TOO_MANY


async def test_listed_tables_are_found_whatever_was_tried(server: Server) -> None:
    (ann, _) = await at_a_table(server, "ann", "bob")
    await too_many_wrong_codes(server)
    table, _ = await server.services.remote_tables.look(TRIER, ann.code)
    assert table.code == ann.code


async def test_one_s_own_table_and_one_is_invited_to_are_found(server: Server) -> None:
    ann, code = await a_private_table(server)
    eve = await a_guest(server, "eve")
    await eve.ask(Join(code), TableView)
    await eve.ask(Leave(), Left)
    await too_many_wrong_codes(server)
    assert await eve.refused(Watch(code)) == TOO_MANY
    ann.say(Invite("eve"))
    await eve.wait(Invitations, lambda waiting: waiting.lines)
    assert (await eve.ask(Join(code), TableView)).you is not None
    table, _ = await server.services.remote_tables.look(TRIER, code)
    assert table.you is not None


async def test_all_of_a_network_are_counted_together_and_others_are_not(server: Server) -> None:
    _, code = await a_private_table(server)
    for number, address in NETWORKS.items():
        connect(server, address, number)
    await too_many_wrong_codes(server, connection=1)
    with pytest.raises(TableBusy):
        await server.services.remote_tables.look("id-another", code, 2)
    table, _ = await server.services.remote_tables.look(TRIER, code, 3)
    assert table.code == code


HERE, THERE = "192.0.2.1", "198.51.100.1"
CONFIG = ServerConfig(lobby_every=0, spectators_every=0, tables_each=2, tables_a_source=6)


@pytest.fixture
def origins(server: Server) -> Origins:
    """A server with the usual limits, and people who come from anywhere but an exempt network."""
    server.configure(CONFIG)
    server.services.connections.configure(["203.0.113.0/24"], ())
    return Origins(server)


async def outcome(guest: Guest, command: Command, check: Callable[[Answer], object]) -> bool:
    """Whether an answer comes that passes the check, before any refusal."""
    guest.say(command)
    while not check(answer := await guest.next()):
        if isinstance(answer, Refusal):
            return False
    return True


async def says(guest: Guest, text: str) -> bool:
    return await outcome(guest, Say(text), lambda chat: isinstance(chat, ChatView) and text in texts(chat))


async def spoken(origins: Origins, code: str, sources: Sequence[str]) -> int:
    """How many lines are heard of guests who come from there in turn, say five lines, and go."""
    heard = 0
    for number, source in enumerate(sources):
        guest = await origins.comes("eve", source, f"guest:{source}{number}")
        await guest.ask(Watch(code), TableView)
        heard += sum([await says(guest, f"{source} {number} {line}") for line in range(5)])
        guest.link.close()
    return heard


async def test_guests_of_a_network_talk_as_much_as_a_few_persons(origins: Origins, world: World) -> None:
    ann = await origins.comes("ann", THERE)
    code = (await ann.ask(Create("race"), TableView)).code
    assert await spoken(origins, code, [HERE] * 8) == 5 * NETWORK_FACTOR
    # An address of IPv6 is one of 2 ** 64 that somebody has.
    theirs = [f"2001:db8::{number:x}" for number in range(1, 9)]
    assert await spoken(origins, code, theirs) == 5 * NETWORK_FACTOR
    assert await spoken(origins, code, [f"203.0.113.{number}" for number in range(4)]) == 20
    assert await says(ann, "is it quiet again?")
    world.time += 10
    assert await spoken(origins, code, [HERE] * 4) == 5 * NETWORK_FACTOR


async def test_tables_with_somebody_at_them(origins: Origins) -> None:
    async def opens(source: str, number: int) -> bool:
        guest = await origins.comes(f"eve{number}", source)
        return await outcome(guest, Create("race"), lambda answer: isinstance(answer, TableView))

    assert (
        sum([await opens(HERE, number) for number in range(4 * CONFIG.tables_each)]) == CONFIG.tables_a_source
    )
    assert await opens(THERE, 99)


async def test_reports(origins: Origins) -> None:
    ann = await origins.comes("ann", THERE)
    code = (await ann.ask(Create("race"), TableView)).code
    assert await says(ann, "abuse")

    async def reports(source: str, number: int) -> bool:
        guest = await origins.comes("eve", source, f"guest:{number}")
        chat = await guest.ask(Watch(code), ChatView)
        line = next(each.n for each in chat.talk if isinstance(each, ChatLine))
        kept = await outcome(guest, Report(line), lambda answer: isinstance(answer, Reported))
        guest.link.close()
        return kept

    most = NETWORK_FACTOR * MAX_REPORTS_PER_HOUR
    assert sum([await reports(HERE, number) for number in range(2 * most)]) == most
    assert await reports("198.51.100.2", 2 * most), "nobody else's reports are used up by it"
