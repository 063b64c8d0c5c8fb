"""Who only watches is shown things in portions, the newest of each kind once."""

import asyncio

from cartino_protocol.views import ChatView, TableView
from cartino_server.table.views import PORTION, SpectatorQueue
from tests.support.game_server import Noting


async def _turn() -> None:
    """One turn of the loop."""
    await asyncio.sleep(0)


async def test_nobody_waits_for_more_than_a_portion_in_one_turn() -> None:
    spectators, links = SpectatorQueue(), [Noting(f"eve{number}") for number in range(PORTION * 2 + 1)]
    spectators.show(links, {TableView: b"table"})
    shown = []
    for _ in range(4):
        shown.append(sum(bool(link.frames) for link in links))
        await _turn()
    assert shown == [0, PORTION, PORTION * 2, PORTION * 2 + 1]
    assert all(link.frames == [(TableView, b"table")] for link in links)


async def test_who_still_waits_gets_the_newest_of_each_kind_once() -> None:
    spectators, eve = SpectatorQueue(), Noting("eve")
    spectators.show([eve], {TableView: b"old", ChatView: b"talk"})
    spectators.show([eve], {TableView: b"new"})
    await _turn()
    await _turn()
    assert eve.frames == [(TableView, b"new"), (ChatView, b"talk")]


async def test_who_is_forgotten_is_shown_nothing() -> None:
    spectators, eve, joe = SpectatorQueue(), Noting("eve"), Noting("joe")
    spectators.show([eve, joe], {TableView: b"table"})
    spectators.forget(eve)
    spectators.finish()
    assert (eve.frames, joe.frames) == ([], [(TableView, b"table")])
