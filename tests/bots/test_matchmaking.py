"""Bot accounts that ask for a game: who is paired with whom, how many may play, and where their games are seen."""

from collections.abc import Sequence

import pytest

from cartino_protocol.commands import Create, Join, Leave, QuickPlay, Sit, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, LobbyView, TableView
from cartino_server.bots import matchmaking
from cartino_server.bots.matchmaking import GAMES_A_DAY, GAMES_EACH, MAX_GAMES, NETWORK_GAMES
from cartino_server.server import Server
from cartino_server.visitors import BOT_PERSON_PREFIX
from tests.support.few_tables import Origins
from tests.support.game_server import Guest, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import play, summed_up

PLAY = QuickPlay("race")


async def a_bot(server: Server, name: str) -> Guest:
    """A bot account that has come in."""
    return await a_guest(server, name, person=f"{BOT_PERSON_PREFIX}{name}")


async def playing(bot: Guest) -> TableView:
    return await bot.wait(TableView, lambda table: table.state == "playing")


async def paired(server: Server, one: Guest, other: Guest) -> TableView:
    one.say(PLAY)
    other.say(PLAY)
    await playing(one)
    return await playing(other)


async def test_two_that_ask_play_each_other_with_a_clock(server: Server) -> None:
    deep, blue = await a_bot(server, "deep"), await a_bot(server, "blue")
    table = await paired(server, deep, blue)
    assert [seat.name for seat in table.seats] == ["bot+blue", "bot+deep"]
    assert (table.clock, table.open) == ("30s", True)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for another account."""
    monkeypatch.setattr(matchmaking, "PAIRING_SECONDS", 0.0)


@pytest.mark.usefixtures("hurried")
async def test_nobody_plays_oneself(server: Server) -> None:
    one, other = [await a_bot(server, "deep") for _ in range(2)]
    one.say(PLAY)
    other.say(PLAY)
    tables = [await playing(one), await playing(other)]
    assert tables[0].code != tables[1].code
    assert [seat.kind for seat in tables[0].seats] == ["human", "bot"]


@pytest.mark.usefixtures("hurried")
async def test_who_waits_long_plays_the_bot_of_nearest_rating(server: Server, journal: MemoryJournal) -> None:
    ann = await a_guest(server, "ann")
    # Ann beats one of the bots, so that another one is nearest to a newcomer.
    await play(ann, bots=("steady",))
    await summed_up(journal)
    assert (await journal.ratings("race", ["bot:steady"]))["bot:steady"].shown < 1000
    deep = await a_bot(server, "deep")
    deep.say(PLAY)
    assert (await playing(deep)).seats[1].name == "broken"


async def test_a_lost_game_is_not_escaped_by_asking_again(server: Server) -> None:
    deep, blue = await a_bot(server, "deep"), await a_bot(server, "blue")
    code = (await paired(server, deep, blue)).code
    await deep.ask(Leave(), Left)
    assert (await deep.ask(PLAY, TableView)).code == code


async def test_one_that_has_gone_waits_no_longer(server: Server) -> None:
    gone, deep, blue = [await a_bot(server, name) for name in ("gone", "deep", "blue")]
    gone.say(PLAY)
    gone.link.close()
    table = await paired(server, deep, blue)
    assert {seat.name for seat in table.seats} == {"bot+deep", "bot+blue"}
    assert len(tuple(server.services.registry)) == 1


async def test_so_many_a_day_and_so_many_at_a_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    deep, blue, red = [await a_bot(server, name) for name in ("deep", "blue", "red")]
    monkeypatch.setattr(matchmaking, "GAMES_A_DAY", 1)
    await paired(server, deep, blue)
    again = await a_bot(server, "deep")
    assert await again.refused(PLAY) == Refusal("bot-day", "1")
    monkeypatch.setattr(matchmaking, "MAX_GAMES", 1)
    assert (await red.refused(PLAY)).reason == "too-many-rooms"
    create = Create("race", seats=2, bots=("steady",), clock="30s")
    assert (await red.refused(create)).reason == "too-many-rooms"
    assert GAMES_A_DAY == 100
    # The game that its bots have left takes nobody's place.
    for bot in (deep, blue):
        await bot.ask(Leave(), Left)
    assert (await red.ask(create, TableView)).state == "playing"


async def test_games_that_are_joined_count_as_those_asked_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep, blue, ann = await a_bot(server, "deep"), await a_bot(server, "blue"), await a_guest(server, "ann")
    monkeypatch.setattr(matchmaking, "GAMES_A_DAY", 1)
    create = Create("race", clock="60s")
    first = (await deep.ask(create, TableView)).code
    await blue.ask(Join(first), TableView, lambda table: table.state == "playing")
    # Another one neither to open, to join, nor to sit down at after watching it; with a person there is no limit.
    blue, red = await a_bot(server, "blue"), await a_bot(server, "red")
    second = (await red.ask(create, TableView)).code
    assert await blue.refused(create) == Refusal("bot-day", "1")
    assert await blue.refused(Join(second)) == Refusal("bot-day", "1")
    await blue.ask(Watch(second), TableView)
    assert await blue.refused(Sit(1)) == Refusal("bot-day", "1")
    third = (await ann.ask(create, TableView)).code
    await blue.ask(Join(third), TableView, lambda table: table.state == "playing")


async def test_a_bot_sits_only_where_a_clock_runs(server: Server) -> None:
    deep, ann = await a_bot(server, "deep"), await a_guest(server, "ann")
    assert await deep.refused(Create("race")) == Refusal("bot-clock")
    assert not tuple(server.services.registry)
    code = (await ann.ask(Create("race"), TableView)).code
    assert await deep.refused(Join(code)) == Refusal("bot-clock")
    assert (await deep.refused(QuickPlay("chess"))).reason == "unknown-game"


async def test_people_see_what_they_can_join_and_no_games_of_bots(server: Server) -> None:
    ann, deep, blue = await a_guest(server, "ann"), await a_bot(server, "deep"), await a_bot(server, "blue")
    code = (await deep.ask(Create("race", clock="60s"), TableView)).code
    listed = await ann.wait(LobbyView, lambda lobby: lobby.tables)
    assert [table.code for table in listed.tables] == [code]
    assert listed.tables[0].seats[0].name == "bot+deep"
    blue.say(Join(code))
    await playing(deep)
    await ann.wait(LobbyView, lambda lobby: not lobby.tables)
    # People join the next one, and that is listed while they play.
    await deep.ask(Leave(), Left)
    other = await deep.ask(Create("race", clock="60s"), TableView)
    await ann.ask(Join(other.code), TableView, lambda table: table.state == "playing")
    assert [table.code for table in server.services.remote_tables.tables_for("eve")] == [other.code]


async def test_quick_play_of_people_leads_to_no_bot_account(server: Server) -> None:
    deep, eve = await a_bot(server, "deep"), await a_guest(server, "eve")
    code = (await deep.ask(Create("race", clock="60s"), TableView)).code
    assert (await eve.ask(QuickPlay("race"), TableView)).code != code


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
    monkeypatch.setattr(matchmaking, "NETWORK_GAMES_A_DAY", (2, 3, 4))
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
