"""Until the day is over nobody learns the bag from any face of the server, neither another player nor one's own."""

import json
from collections.abc import Sequence

import pytest

from cartino_protocol.base import game_name
from cartino_protocol.commands import (
    Command,
    Course,
    History,
    Invite,
    Join,
    Preview,
    Profile,
    Replay,
    Summary,
    Watch,
)
from cartino_protocol.deals import Daily, DealView, PlayDaily
from cartino_protocol.views import (
    HistoryView,
    LobbyView,
    PreviewView,
    ProfileView,
    ReplayView,
    SummaryView,
    TableView,
)
from cartino_server.app.command_handler import LocalBackend
from cartino_tui.i18n import ENGLISH
from cartino_tui.preferences import Settings
from cartino_tui.visit.hints import hints_allowed, why_no_hint
from tests.support.deals import DAILY_SENTENCE, TOMORROW, DealServer, visitor
from tests.support.game_server import Guest, decoded_view


class Played:
    """ann has played today's daily to its end and bob is in the middle of it; eve is anybody."""

    def __init__(self, deals: DealServer) -> None:
        self.deals = deals
        self.people: dict[str, Guest] = {}
        self.backend = LocalBackend(deals.server)
        self.ended: TableView
        self.running: TableView

    async def play(self) -> "Played":
        await self.deals.know("ann", "bob", "eve")
        for name in ("ann", "bob", "eve"):
            self.people[name] = await self.deals.person(name)
        self.ended = await self.deals.play("ann")
        bob = self.people["bob"]
        await bob.ask(PlayDaily("cartino"), TableView)
        await self.deals.finish(bob, most=9)
        assert bob.table is not None
        self.running = bob.table
        return self

    @property
    def games(self) -> Sequence[str]:
        """The games' names, which their tables know."""
        tables = (self.deals.server.services.registry.get(code) for code in self.codes)
        return [game_name(task.table.code, task.game) for task in tables if task is not None]

    @property
    def codes(self) -> Sequence[str]:
        return self.ended.code, self.running.code

    async def shell(self, name: str, words: str) -> tuple[str, str]:
        reply = await self.backend.run_command(visitor(name), words.split())
        assert (reply.status == 0) == (reply.stderr == "")
        return reply.stdout, reply.stderr


@pytest.fixture
async def played(deals: DealServer) -> Played:
    return await Played(deals).play()


@pytest.mark.parametrize("name", ["ann", "bob", "eve"])
async def test_no_command_reads_an_attempt(played: Played, name: str) -> None:
    for word in (*played.codes, *played.games):
        for words in (f"export {word}", f"review {word}", f"review {word} --json"):
            assert await played.shell(name, words) == ("", f"{DAILY_SENTENCE}\n"), words


@pytest.mark.parametrize("name", ["ann", "bob", "eve"])
async def test_nobody_replays_an_attempt(played: Played, name: str) -> None:
    person = await played.deals.person(name)
    asked: list[Command] = [Replay(game, step) for game in played.games for step in (0, 5)]
    asked += [Course(game) for game in played.games]
    for command in asked:
        assert (await person.refused(command)).sentence() == DAILY_SENTENCE


async def test_nobody_else_comes_to_an_attempt(played: Played) -> None:
    eve = played.people["eve"]
    for code in played.codes:
        for command in (Join(code), Watch(code)):
            assert (await eve.refused(command)).sentence() == DAILY_SENTENCE
        preview = await eve.ask(Preview(code), PreviewView)
        assert preview.table is None
    eve.say(Summary())
    summary = await eve.wait(SummaryView)
    assert summary.finished == ()
    lists = [answer for answer in eve.heard if isinstance(answer, LobbyView)]
    assert lists
    assert all(each.tables == () for each in lists)
    bob = played.people["bob"]
    assert (await bob.refused(Invite("eve"))).sentence() == DAILY_SENTENCE


async def test_a_second_account_sees_nothing_of_an_attempt_in_a_shell(played: Played) -> None:
    for code in played.codes:
        for words in (
            f"show {code}",
            f"show {code} --json",
            f"move {code} end",
            f"move {code} --number 1 end",
        ):
            assert await played.shell("eve", words) == ("", f"{DAILY_SENTENCE}\n"), words
        assert (await played.shell("eve", f"chat {code} hello"))[1] == f"{DAILY_SENTENCE}\n"
    listed = [
        await played.shell("eve", words) for words in ("games", "games --json", "games --finished --json")
    ]
    profiles = [await played.shell("eve", f"profile {name} --json") for name in ("ann", "bob")]
    told = str(listed + profiles)
    assert not any(code in told for code in played.codes)
    assert str(played.ended.result.totals[1] if played.ended.result else "") not in told


async def test_results_show_nothing_before_one_has_played(played: Played) -> None:
    for words in ("daily", "daily --json"):
        told, wrong = await played.shell("eve", words)
        assert wrong == ""
        assert "ann" not in told
    view = json.loads((await played.shell("eve", "daily --json"))[0])
    assert (view["rows"], view["seed"], view["players"]) == ([], "", 2)
    own = await played.people["ann"].ask(Daily("cartino"), DealView)
    assert [row.name for row in own.rows] == ["ann"]
    assert (own.rows[0].turns, own.rows[0].game, own.seed) == ((), "", "")


async def test_one_s_own_end_keeps_the_seed_and_the_bot_s_hand(played: Played) -> None:
    task = played.deals.server.services.registry.get(played.ended.code)
    assert task is not None
    assert task.table.match is not None
    assert played.ended.result is not None
    assert (played.ended.seed, played.ended.next_commitment) == ("", "")
    shown = decoded_view(played.ended)
    assert "hands" not in shown
    told, _ = await played.shell("ann", f"show {played.ended.code} --json")
    assert task.table.seeds[0].hex() not in told
    assert json.loads(told)["result"]["totals"] == list(played.ended.result.totals), "one's own result stays"
    again = await played.deals.person("ann")
    back = await again.ask(Join(played.ended.code), TableView)
    assert (back.seed, "hands" in decoded_view(back)) == ("", False)


async def test_one_s_own_table_gives_no_hints(played: Played) -> None:
    table = played.running
    assert not hints_allowed(Settings(hints=True), table)
    why = why_no_hint(Settings(hints=True), table, ENGLISH, off="off")
    assert why == "There are no hints in a game that others still play."


async def test_one_s_own_lists_name_the_game_and_no_more(played: Played) -> None:
    ann = await played.deals.person("ann")
    past = await ann.ask(History("mine"), HistoryView)
    assert [game.totals for game in past.games] == [
        played.ended.result.totals if played.ended.result is not None else ()
    ]
    profile = await ann.ask(Profile(), ProfileView)
    assert profile.you
    task = played.deals.server.services.registry.get(played.ended.code)
    assert task is not None
    seed = task.table.seeds[0].hex()
    told = [
        await played.shell("ann", words)
        for words in (
            "games --mine",
            "games --finished --mine --json",
            "profile --json",
            "account --json",
            "daily --json",
        )
    ]
    assert seed not in str(told)


async def test_a_closed_table_stays_sealed_and_so_it_does_after_a_restart(played: Played) -> None:
    games = played.games
    await played.deals.restart()
    backend = LocalBackend(played.deals.server)
    for word in (*games, *played.codes):
        reply = await backend.run_command(visitor("eve"), ["export", word])
        assert (reply.stdout, reply.stderr) == ("", f"{DAILY_SENTENCE}\n")


async def test_everything_opens_when_the_day_is_over(played: Played) -> None:
    games = played.games
    played.deals.at(TOMORROW)
    eve = await played.deals.person("eve")
    replay = await eve.ask(Replay(games[0], 3), ReplayView)
    assert replay.steps > 3
    told, wrong = await played.shell("eve", f"export {games[0]}")
    assert wrong == ""
    assert '"seed"' in told
    ann = await played.deals.person("ann")
    back = await ann.ask(Join(played.ended.code), TableView)
    assert back.seed
    assert back.once, "there is no rematch, not even now"
    assert "hands" in decoded_view(back)
    view = await eve.ask(Daily("cartino", 34), DealView)
    assert [(row.name, row.game) for row in view.rows if row.game] == [("ann", games[0])]
