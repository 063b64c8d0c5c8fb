"""A game of somebody else's that breaks closes its own table, with a sentence, and no other."""

from itertools import count
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_crazy_eights import CrazyEights
from cartino_engine.port import AnyGame
from cartino_games.containment import contain
from cartino_games.kit.declared.package import random_bot
from cartino_protocol.base import Audience, Message
from cartino_protocol.commands import Act, Create, Join, QuickPlay
from cartino_protocol.declared import Choose, decode_declared
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView, Welcome
from cartino_protocol.wire import MAX_VIEW_BYTES, encode_raw
from cartino_server.server import Server
from tests.support.declared import Exiting, Pressing, Raising, Stuck, TooMany
from tests.support.game_server import QUICK, Guest, World, a_guest, new_server, race_bots
from tests.support.race import Add, Race
from tests.support.two_games import RACE


class Large(Message, frozen=True):
    """A view of a game that is no declared one."""

    filling: bytes


class Growing(CrazyEights):
    """Shows more than a frame holds, once a card is played."""

    def view(self, state: Any, audience: Audience) -> Any:
        return Large(bytes(MAX_VIEW_BYTES)) if state.played else super().view(state, audience)


class Waiting(CrazyEights):
    """Waits for nobody once a card is played, and has no result."""

    def on_turn(self, state: Any) -> tuple[int, ...]:
        return () if state.played else super().on_turn(state)

    def result(self, state: Any) -> None:
        return None


async def two_at(server: Server, game: str) -> tuple[Guest, Guest]:
    """The first two at a table of `game`, the one who opened it on turn."""
    ann, bob = await a_guest(server, f"ann-{game}"), await a_guest(server, f"bob-{game}")
    code = (await ann.ask(Create(game, {}, seats=2), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    return ann, bob


async def choose(guest: Guest, seen: TableView) -> None:
    word = decode_declared(seen.game_view).choices[0].word
    guest.say(Act(seen.number, encode_raw(Choose(word))))


@pytest.mark.parametrize(
    "broken",
    [Raising(), Exiting(), Pressing(), Stuck(), Waiting(), TooMany(), Growing()],
    ids=lambda each: type(each).__name__,
)
async def test_a_broken_game_closes_its_own_table_and_no_other(world: World, broken: AnyGame) -> None:
    class Broken(type(broken)):  # type: ignore[misc]
        name = "broken-game"

    games: dict[str, AnyGame] = {"race": Race(), "crazy-eights": CrazyEights(), "broken-game": Broken()}
    bots = {(name, "random"): random_bot(name) for name in games}
    server = new_server(world, QUICK, games, bots)
    ann, bob = await two_at(server, "crazy-eights")
    cem, dee = await two_at(server, "broken-game")
    assert cem.table is not None
    await choose(cem, cem.table)
    assert (await cem.wait(Left)).why == (await dee.wait(Left)).why == "broken"
    assert ann.table is not None
    await choose(ann, ann.table)
    seen = await bob.wait(TableView, lambda view: view.number == 2)
    assert msgspec.msgpack.decode(seen.game_view)["logged"] >= 1
    await server.close()


async def test_a_game_that_makes_everybody_wait_is_offered_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    race = contain(RACE)
    games: dict[str, AnyGame] = {"crazy-eights": CrazyEights(), "race": race.rules}
    bots = {**race_bots(), ("crazy-eights", "random"): random_bot("crazy-eights")}
    server = new_server(world, QUICK, games, bots)
    (ann, bob), (cem, dee) = await two_at(server, "race"), await two_at(server, "crazy-eights")
    eve, fay = await a_guest(server, "eve"), await a_guest(server, "fay")
    waiting = await eve.ask(Create("race", {"goal": "9"}), TableView)
    with monkeypatch.context() as patch, capture_logs() as logs:
        times = count(step=10.0)
        patch.setattr("cartino_games.containment.time", SimpleNamespace(perf_counter=lambda: next(times)))
        await ann.act(Add(1))
        assert (await ann.wait(Left)).why == (await bob.wait(Left)).why == "broken"
        welcome = await cem.wait(Welcome)
    assert [info.name for info in welcome.games] == ["crazy-eights"]
    (line,) = [line for line in logs if line["event"] == "game can't be played"]
    assert (line["game"], line["log_level"]) == ("race", "warning")
    assert await fay.refused(Create("race")) == Refusal("unknown-game", "race")
    fay.say(Join(waiting.code))
    assert (await eve.wait(Left)).why == "broken"
    assert dee.table is not None
    assert (await fay.ask(QuickPlay(), TableView)).game == "crazy-eights"
    await server.close()
