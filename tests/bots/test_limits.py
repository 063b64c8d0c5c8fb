"""How many games of bots alone an account, its source and the wider networks around it may have."""

from collections.abc import Sequence

import pytest

from cartino_protocol.commands import Create, Join, Leave, QuickPlay, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView
from cartino_server.bots import matchmaking as limits
from cartino_server.bots.matchmaking import GAMES_EACH, MAX_GAMES, NETWORK_GAMES
from cartino_server.server import Server
from cartino_server.visitors import BOT_PERSON_PREFIX
from tests.support.few_tables import Origins
from tests.support.game_server import Guest, a_guest

ALONE = Create("race", options={"goal": "9"}, bots=("steady",), clock="30s")
TOO_MANY = Refusal("too-many-rooms")


@pytest.fixture
def origins(server: Server) -> Origins:
    return Origins(server)


async def bots_of(origins: Origins, count: int, address: str, name: str = "bot") -> Sequence[Guest]:
    """New bot accounts from that address."""
    names = [f"{name}{number}" for number in range(count)]
    return [await origins.comes(each, address, f"{BOT_PERSON_PREFIX}{each}") for each in names]


async def outcome(bot: Guest) -> str:
    """Return the state of the table that the bot has reached, or why it was refused."""
    while True:
        match await bot.next():
            case TableView(state=state):
                return state
            case Refusal(reason=reason):
                return reason


async def test_one_source_has_a_share_of_the_games_however_many_accounts(
    server: Server, origins: Origins
) -> None:
    fresh = await bots_of(origins, 10, "198.51.100.7")
    # All at once, so that none of their games has begun when the last one asks.
    for bot in fresh:
        bot.say(ALONE)
    outcomes = [await outcome(bot) for bot in fresh]
    assert outcomes.count("playing") == NETWORK_GAMES[0] < MAX_GAMES
    assert outcomes.count("too-many-rooms") == 10 - NETWORK_GAMES[0]
    # Not by joining each other either, nor by asking for a game or going to a table of another source.
    [other] = await bots_of(origins, 1, "203.0.113.9", name="other")
    waits = await other.ask(Create("race", clock="30s"), TableView)
    refused = [bot for bot, ended in zip(fresh, outcomes, strict=True) if ended != "playing"]
    for command in (ALONE, Join(waits.code), QuickPlay("race")):
        assert await refused[0].refused(command) == TOO_MANY


async def test_the_wider_networks_have_shares_too(server: Server, origins: Origins) -> None:
    for number in range(8):
        for bot in await bots_of(origins, GAMES_EACH, f"198.51.{number // 4}.{number}", f"net{number}-"):
            bot.say(ALONE)
            await outcome(bot)
    assert (
        len([table for table in server.services.registry if table.table.state == "playing"])
        == NETWORK_GAMES[2]
    )
    [other] = await bots_of(origins, 1, "203.0.113.9", name="other")
    assert (await other.ask(ALONE, TableView)).state == "playing"


async def test_one_account_has_a_share_on_any_number_of_connections(server: Server) -> None:
    person = f"{BOT_PERSON_PREFIX}1"
    links = [await a_guest(server, "hal", person=person) for _ in range(2 * GAMES_EACH)]
    for link in links:
        link.say(ALONE)
    outcomes = [await outcome(link) for link in links]
    assert outcomes.count("playing") == GAMES_EACH


@pytest.mark.parametrize("back", [Join, Watch])
async def test_games_that_were_left_count_again_for_those_who_come_back(
    server: Server, origins: Origins, back: type[Join] | type[Watch]
) -> None:
    first = await bots_of(origins, GAMES_EACH, "198.51.100.7")
    codes = [(await bot.ask(ALONE, TableView)).code for bot in first]
    for bot in first:
        await bot.ask(Leave(), Left)
    second = await bots_of(origins, GAMES_EACH, "198.51.100.7", name="later")
    for bot in second:
        await bot.ask(ALONE, TableView)
    for bot, code in zip(first, codes, strict=True):
        assert await bot.refused(back(code)) == TOO_MANY
    await second[0].ask(Leave(), Left)
    assert (await first[0].ask(back(codes[0]), TableView)).state == "playing"


async def test_a_source_begins_so_many_a_day(
    server: Server, origins: Origins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "NETWORK_GAMES_A_DAY", (2, 3, 4))
    first, second, third = await bots_of(origins, 3, "198.51.100.7")
    for bot in (first, second):
        await bot.ask(ALONE, TableView)
        await bot.ask(Leave(), Left)
    assert (await third.refused(ALONE)).reason == "bot-day"
    [near, nearer] = await bots_of(origins, 2, "198.51.100.8", name="near")
    await near.ask(ALONE, TableView)
    assert (await nearer.refused(ALONE)).reason == "bot-day"
    [far] = await bots_of(origins, 1, "203.0.113.9", name="far")
    await far.ask(ALONE, TableView)
