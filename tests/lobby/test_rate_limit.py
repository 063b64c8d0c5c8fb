"""How fast a link may say what."""

import gc
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
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
    Hello,
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
from cartino_protocol.views import ABSENT, Answer, ChatLine, ChatView, Left, TableView, Welcome
from cartino_protocol.wire import VERSION, encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import NETWORK_FACTOR, WRONG_CODES, PersonLimit, RateLimits
from cartino_server.lobby.remote_tables import NoSuchTable, TableBusy, TooManyCodes, UnknownTable
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_REPORTS_PER_HOUR, BanList
from cartino_server.store.people import PersonKeys, StoredName, open_people
from cartino_server.table.link import Person, RateLimit
from cartino_server.visitors import LoginRequest
from tests.support.admission_settings import login_settings
from tests.support.game_server import Guest, World, a_guest, at_a_table, connect, race_bots, texts
from tests.support.race import Add, Race


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


async def look(server: Server, code: str) -> None:
    with pytest.raises((NoSuchTable, UnknownTable)):
        await server.services.remote_tables.look(TRIER, code)


async def export(server: Server, code: str) -> None:
    with pytest.raises((NoSuchTable, UnknownTable)):
        await server.services.remote_tables.record_of(f"{code}-7", TRIER)


@pytest.mark.parametrize("ask", [look, export])
async def test_every_way_to_ask_counts(
    server: Server, ask: Callable[[Server, str], Coroutine[Any, Any, None]]
) -> None:
    _, code = await a_private_table(server)
    for _ in range(int(WRONG_CODES.burst)):
        await ask(server, "ZZZZZZZZ")
    for name in (code, "ZZZZ", "ZZZZZZZZ-7"):
        with pytest.raises(TooManyCodes):
            await server.services.remote_tables.record_of(name, TRIER)
    eve = await a_guest(server, "eve")
    assert await eve.refused(Watch(code)) == TOO_MANY


@pytest.mark.parametrize("command", [Replay("ZZZZZZZZ-1", 0), Course("ZZZZZZZZ-1")])
async def test_games_that_are_over_can_t_be_found_by_trying_either(
    server: Server, command: Replay | Course
) -> None:
    eve = await a_guest(server, "eve")
    for _ in range(int(WRONG_CODES.burst)):
        assert (await eve.refused(command)).reason == "no-past-game"
    assert await eve.refused(command) == TOO_MANY


async def test_listed_tables_are_found_whatever_was_tried(server: Server) -> None:
    (ann, _) = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    await too_many_wrong_codes(server)
    table, _ = await server.services.remote_tables.look(TRIER, ann.table.code)
    assert table.code == ann.table.code


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
CONFIG = ServerConfig(bot_pause=0, lobby_every=0, spectators_every=0, tables_each=2, tables_a_source=6)

PLAYED = StoredName("SHA256:old0", "old", ("old",), 0, played=True)


class Doors:
    """A server behind a doorkeeper who knows where everybody comes from."""

    def __init__(self) -> None:
        self.world = World()
        self.people_db = open_people(None)
        self.server = Server(
            {"race": Race()},
            race_bots(),
            CONFIG,
            self.world.ports(),
            people_db=self.people_db,
            names=[PLAYED],
        )
        self.keeper = ServerAuthenticator(
            PersonKeys(self.people_db),
            BanList(self.people_db, lambda: 0.0),
            self.server.services.connections,
            self.server.services.moderation,
            self.server.services.overview,
            login_settings(exempt=("203.0.113.0/24",)),
        )
        self._connections = 0

    async def comes(self, source: str, name: str = "eve", key: str = "") -> Guest:
        self._connections += 1
        number = self._connections
        verdict = await self.keeper.judge(LoginRequest(number, source, key, name))
        guest = Guest(self.server.open_link(Person(verdict.person, name, not key, key), number))
        await guest.ask(Hello(VERSION), Welcome)
        return guest

    def goes(self, guest: Guest) -> None:
        guest.link.close()
        self.keeper.forget_connection(guest.link.connection)


@pytest.fixture
async def doors() -> AsyncIterator[Doors]:
    opened = Doors()
    yield opened
    await opened.server.close()
    await opened.people_db.close()


async def asked(guest: Guest, command: Command, *kinds: type[Answer]) -> Answer:
    guest.say(command)
    while not isinstance(answer := await guest.next(), (*kinds, Refusal)):
        pass
    return answer


async def says(guest: Guest, text: str) -> bool:
    guest.say(Say(text))
    while True:
        answer = await guest.next()
        if isinstance(answer, Refusal):
            return False
        if isinstance(answer, ChatView) and text in texts(answer):
            return True


async def spoken(doors: Doors, code: str, sources: Sequence[str], key: str = "") -> int:
    """How many lines are heard of those who come from there in turn, say five lines, and go."""
    heard = 0
    for number, source in enumerate(sources):
        guest = await doors.comes(source, key=f"{key}{number}" if key else "")
        await guest.ask(Watch(code), TableView)
        heard += sum([await says(guest, f"{key} {source} {number} {line}".strip()) for line in range(5)])
        doors.goes(guest)
    return heard


async def test_talk(doors: Doors) -> None:
    ann = await doors.comes(THERE, "ann", "SHA256:ann")
    code = (await ann.ask(Create("race"), TableView)).code
    assert await spoken(doors, code, [HERE] * 8) == 5 * NETWORK_FACTOR
    # An address of IPv6 is one of 2 ** 64 that somebody has.
    assert (
        await spoken(doors, code, [f"2001:db8::{number:x}" for number in range(1, 9)]) == 5 * NETWORK_FACTOR
    )
    assert await spoken(doors, code, [f"203.0.113.{number}" for number in range(4)]) == 20
    assert await spoken(doors, code, [HERE] * 2, key="SHA256:") == 0
    assert await says(ann, "is it quiet again?")
    doors.world.time += 10
    assert await spoken(doors, code, [HERE] * 4) == 5 * NETWORK_FACTOR


async def test_talk_of_keys_that_are_made_for_it(doors: Doors) -> None:
    ann = await doors.comes(THERE, "ann", "SHA256:ann")
    code = (await ann.ask(Create("race"), TableView)).code
    assert await spoken(doors, code, [HERE] * 8, key="SHA256:new") == 5 * NETWORK_FACTOR
    assert await spoken(doors, code, [HERE], key="SHA256:old") == 5, "who has played before is no stranger"
    fresh = await doors.comes(HERE, "eve", "SHA256:eve")
    await fresh.ask(Watch(code), TableView)
    remote_tables, connection = doors.server.services.remote_tables, fresh.link.connection
    said = Refusal("too-much-talk")
    assert await remote_tables.do("SHA256:eve", code, Say("from a shell"), connection) == said
    doors.world.time += 10
    assert await remote_tables.do("SHA256:eve", code, Say("from a shell"), connection) is None


async def test_names_and_seats(doors: Doors) -> None:
    taken = 0
    for number in range(50):
        guest = await doors.comes(HERE)
        taken += isinstance(await asked(guest, Rename(f"eve {number}"), Welcome), Welcome)
        doors.goes(guest)
    assert taken == NETWORK_FACTOR * CONFIG.seats_burst


async def test_tables_with_somebody_at_them(doors: Doors) -> None:
    opened = []
    for _ in range(4 * CONFIG.tables_each):
        guest = await doors.comes(HERE)
        opened.append(isinstance(await asked(guest, Create("race"), TableView), TableView))
    assert sum(opened) == CONFIG.tables_a_source
    other = await doors.comes(THERE)
    assert isinstance(await asked(other, Create("race"), TableView), TableView)


async def test_reports(doors: Doors) -> None:
    ann = await doors.comes(THERE, "ann", "SHA256:ann")
    code = (await ann.ask(Create("race"), TableView)).code
    assert await says(ann, "abuse")
    kept = number = 0
    for _ in range(2 * NETWORK_FACTOR * MAX_REPORTS_PER_HOUR):
        guest = await doors.comes(HERE)
        chat = await guest.ask(Watch(code), ChatView)
        number = next(each.n for each in chat.talk if isinstance(each, ChatLine))
        kept += isinstance(await asked(guest, Report(number), Reported), Reported)
        doors.goes(guest)
    assert kept == NETWORK_FACTOR * MAX_REPORTS_PER_HOUR
    # Nobody else's reports are used up by it.
    other = await doors.comes("198.51.100.2")
    await other.ask(Watch(code), ChatView)
    assert isinstance(await asked(other, Report(number), Reported), Reported)
