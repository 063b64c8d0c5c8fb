"""How many attempts and matches a key and a network may begin, and that ordinary people meet no limit."""

import msgspec
import pytest

from cartino_protocol.commands import Create, Join
from cartino_protocol.deals import DealView, Duplicate, PlayDaily
from cartino_protocol.views import TableView
from cartino_server.deals import limits
from cartino_server.deals.limits import BeginningLimits
from cartino_server.store.personal_data import DAY
from tests.support.deals import TOMORROW, DealServer
from tests.support.game_server import QUICK, Guest, connect

DAILY = PlayDaily("cartino")
NEW = Create("cartino", seats=2, bots=("greedy",), duplicate=True)
HOME = ("192.0.2.7", "192.0.2.0/24", "192.0.0.0/16")
NEIGHBOUR = ("192.0.2.8", "192.0.2.0/24", "192.0.0.0/16")
ELSEWHERE = ("198.51.100.7", "198.51.100.0/24", "198.51.0.0/16")
PEOPLE = 30


async def matches(deals: DealServer) -> list[str]:
    """The codes of all stored matches, the newest last."""
    query = "SELECT deal FROM attempts JOIN deals ON deals.name = deal WHERE day = 0 GROUP BY deal ORDER BY min(number)"
    rows = await deals.people_db.do(lambda db: db.execute(query).fetchall())
    return [str(name) for (name,) in rows]


async def begin(
    deals: DealServer, player: Guest, command: Create | Join | PlayDaily, *, moves: int = 0
) -> TableView:
    """Begin an attempt or go on with it, make some moves, and leave its table."""
    table = await player.ask(command, TableView)
    await deals.finish(player, most=moves)
    await deals.home(player)
    return table


async def test_thirty_people_of_one_address_play_the_daily_and_a_duplicate_each(deals: DealServer) -> None:
    connect(deals.server, HOME[0], 0)
    people = [await deals.person(f"player{number}") for number in range(PEOPLE)]
    for player in people:
        await begin(deals, player, DAILY, moves=2)
        await begin(deals, player, NEW, moves=2)
    codes = await matches(deals)
    for player, code in zip(people, [*codes[1:], codes[0]], strict=True):
        await begin(deals, player, Join(code), moves=2)
        await begin(deals, player, DAILY, moves=2)
    counts = await deals.people_db.do(lambda db: db.execute("SELECT count(*) FROM attempts").get)
    assert (len(codes), counts) == (PEOPLE, 3 * PEOPLE)


async def test_a_key_has_three_open_matches_and_five_attempts_a_day(deals: DealServer) -> None:
    ann, bob, cid = [await deals.person(name) for name in ("ann", "bob", "cid")]
    for _ in range(limits.OPEN_MATCHES_EACH):
        await begin(deals, ann, NEW)
    refusal = await ann.refused(NEW)
    assert refusal.sentence() == "You have too many matches open. The first closes by 2026-02-10 12:00 UTC."
    for player in (bob, cid):
        for _ in range(2):
            await begin(deals, player, NEW)
    hers, theirs = (await matches(deals))[:3], (await matches(deals))[3:]
    for code in theirs[:2]:
        await begin(deals, ann, Join(code))
    refusal = await ann.refused(Join(theirs[2]))
    assert refusal.sentence() == "You have begun 5 duplicate matches today. Begin another one tomorrow."
    assert (await begin(deals, ann, Join(hers[0]))).you == 0, "one that was begun is no new attempt"
    await begin(deals, ann, DAILY)
    deals.at(TOMORROW)
    await begin(deals, ann, Join(theirs[2]))


async def test_new_keys_of_one_network_meet_its_limit_and_nobody_else_does(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "NEWCOMERS_ATTEMPTS_A_SOURCE", 6)
    monkeypatch.setattr(limits, "NEWCOMERS_MATCHES_A_SOURCE", 3)
    connect(deals.server, HOME[0], 0)
    await deals.know("ann")
    for number in range(3):
        await begin(deals, await deals.person(f"match{number}"), NEW)
    late = await deals.person("late")
    assert (await late.refused(NEW)).reason == "too-many-attempts"
    for number in range(3):
        await begin(deals, await deals.person(f"daily{number}"), DAILY)
    refusal = await late.refused(DAILY)
    assert refusal.sentence() == "Your network has begun too many shared deals today. Try again tomorrow."
    stored = await deals.people_db.do(lambda db: db.execute("SELECT count(*) FROM attempts").get)
    assert stored == 6
    began = await deals.person("daily0")
    assert (await began.ask(DAILY, TableView)).you == 0, "who has begun comes back"
    ann = await deals.person("ann")
    await begin(deals, ann, DAILY)
    connect(deals.server, ELSEWHERE[0], 0)
    await begin(deals, await deals.person("guest of another network"), DAILY)


def test_wider_networks_have_two_and_four_times_as_many() -> None:
    limit, most = BeginningLimits(), limits.NEWCOMERS_ATTEMPTS_A_SOURCE
    assert all(limit.count_attempt(HOME, 0.0, known=False, match=False) for _ in range(most))
    assert not limit.count_attempt(HOME, 0.0, known=False, match=False)
    assert limit.count_attempt(HOME, 0.0, known=True, match=False), "who has finished a game has more"
    assert all(limit.count_attempt(NEIGHBOUR, 0.0, known=False, match=False) for _ in range(most))
    third = ("192.0.2.9", *HOME[1:])
    assert not limit.count_attempt(third, 0.0, known=False, match=False)
    assert limit.count_attempt(ELSEWHERE, 0.0, known=False, match=False)
    assert limit.count_attempt((), 0.0, known=False, match=False), "an exempt network has none"
    assert limit.count_attempt(HOME, DAY / most, known=False, match=False), "they come back one by one"


async def test_a_flood_of_matches_pushes_out_unplayed_ones_only(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.limits.MAX_OPEN_MATCHES", 3)
    await deals.know("ann")
    ann, bob = await deals.person("ann"), await deals.person("bob")
    await begin(deals, ann, NEW)
    await deals.park((await begin(deals, bob, NEW)).code)
    first, second = await matches(deals)
    await begin(deals, bob, Join(first))
    for number in range(4):
        table = await begin(deals, await deals.person(f"flood{number}"), NEW)
        await deals.park(table.code)
    left = await matches(deals)
    assert len(left) == 3
    assert first in left
    assert second not in left
    assert (await bob.refused(Join(second))).reason == "unknown-code"
    assert (await ann.ask(Duplicate(first), DealView)).players == 2


async def away(deals: DealServer, player: Guest, command: Create | Join) -> str:
    """Begin an attempt at a match and go, so that its table closes; returns the newest match."""
    table = await begin(deals, player, command)
    await deals.park(table.code)
    return (await matches(deals))[-1]


async def test_second_keys_make_no_match_of_a_crowded_network_stay(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.limits.MAX_OPEN_MATCHES", 5)
    connect(deals.server, NEIGHBOUR[0], 0)
    hers = await away(deals, await deals.person("ann"), NEW)
    connect(deals.server, HOME[0], 0)
    flood = [await away(deals, await deals.person(f"first{number}"), NEW) for number in range(4)]
    for number, code in enumerate(flood):
        await away(deals, await deals.person(f"second{number}"), Join(code))
    parked = len(await deals.journal.parked())
    connect(deals.server, ELSEWHERE[0], 0)
    newest = [await away(deals, await deals.person(f"bob{number}"), NEW) for number in range(2)]
    left = await matches(deals)
    assert len(left) == 5
    assert {hers, newest[-1]} < set(left)
    assert not {flood[0], flood[1]} & set(left), "the oldest of the crowd"
    assert len(await deals.journal.parked()) == parked + 2 - 4


async def test_a_match_that_known_people_have_played_goes_last(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.limits.MAX_OPEN_MATCHES", 3)
    connect(deals.server, HOME[0], 0)
    await deals.know("ann", days=3)
    hers = []
    for _ in range(2):
        table = await deals.play("ann", NEW)
        hers.append((await matches(deals))[-1])
        await deals.results(await deals.person("ann"), Duplicate(hers[-1]))
        await deals.park(table.code)
    connect(deals.server, ELSEWHERE[0], 0)
    unplayed = await away(deals, await deals.person("bob"), NEW)
    connect(deals.server, "203.0.113.1", 0)
    newest = await away(deals, await deals.person("cid"), NEW)
    assert set(await matches(deals)) == {*hers, newest}
    assert unplayed not in await matches(deals)


async def test_beyond_its_number_a_source_replaces_its_own_matches(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.limits.OPEN_MATCHES_A_SOURCE", 2)
    connect(deals.server, ELSEWHERE[0], 0)
    others = await away(deals, await deals.person("ann"), NEW)
    connect(deals.server, HOME[0], 0)
    own = [await away(deals, await deals.person(f"new{number}"), NEW) for number in range(4)]
    assert set(await matches(deals)) == {others, *own[2:]}


async def test_where_every_match_is_being_played_a_refusal_speaks_of_matches(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.deals.limits.MAX_OPEN_MATCHES", 2)
    for name in ("ann", "bob"):
        await (await deals.person(name)).ask(NEW, TableView)
    refusal = await (await deals.person("cid")).refused(NEW)
    assert (
        refusal.sentence() == "Too many duplicate matches are open. Join one, or try again when one closes."
    )


async def test_each_command_that_leads_to_an_attempt_counts_as_a_change_of_seats(deals: DealServer) -> None:
    deals.server.configure(msgspec.structs.replace(QUICK, seats_burst=1, seats_rate=0.01))
    ann = await deals.person("ann")
    await begin(deals, ann, NEW)
    for command in (NEW, DAILY, Join((await matches(deals))[0])):
        assert (await ann.refused(command)).reason == "busy"
