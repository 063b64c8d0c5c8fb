"""A game of somebody else's that breaks closes its own table, with a sentence, and no other."""

from typing import Any

import msgspec
import pytest

from cartino_crazy_eights import CrazyEights
from cartino_games.kit.declared.package import random_bot
from cartino_protocol.base import Audience, Message
from cartino_protocol.commands import Act, Create, Join
from cartino_protocol.declared import Choose, decode_declared
from cartino_protocol.views import Left, RoomView
from cartino_protocol.wire import MAX_VIEW_BYTES, encode_raw
from cartino_server.engine.port import AnyGame
from cartino_server.lobby.server import Server
from tests.support.declared import Exiting, Pressing, Raising, Stuck, TooMany
from tests.support.game_server import QUICK, Guest, World, a_guest, new_server
from tests.support.race import Race


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
    code = (await ann.ask(Create(game, {}, seats=2), RoomView)).code
    await bob.ask(Join(code), RoomView)
    await ann.wait(RoomView, lambda view: view.state == "playing")
    return ann, bob


async def choose(guest: Guest, seen: RoomView) -> None:
    word = decode_declared(seen.table).choices[0].word
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
    assert cem.room is not None
    await choose(cem, cem.room)
    assert (await cem.wait(Left)).why == (await dee.wait(Left)).why == "broken"
    assert ann.room is not None
    await choose(ann, ann.room)
    seen = await bob.wait(RoomView, lambda view: view.number == 2)
    assert msgspec.msgpack.decode(seen.table)["logged"] >= 1
    await server.close()
