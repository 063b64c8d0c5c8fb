"""What is said of a table that can't be rebuilt: where it fails, and nothing of what it holds."""

import re

import msgspec

from cartino_protocol.commands import Create
from cartino_protocol.views import RoomView
from cartino_server.store.port import Kept
from tests.support.house import World, a_guest, a_house
from tests.support.journal import MemoryJournal

CARD = re.compile(rb'"card":(\d+)')


async def test_why_a_record_does_not_hold_tells_nobody_s_hand() -> None:
    journal = MemoryJournal()
    house = a_house(World(), journal=journal)
    ann = await a_guest(house, "ann")
    await ann.ask(Create("race", bots=("steady",)), RoomView, lambda view: view.state == "playing")
    await house.close()
    (kept,) = journal.unfinished()

    cards = [int(card) for body in kept.bodies for card in CARD.findall(body)]
    assert len(cards) == 2
    wrong = tuple(CARD.sub(rb'"card":\g<1>7', body) for body in kept.bodies)
    (damaged,) = a_house(World()).recover([Kept(kept.game, kept.code, wrong)])
    assert damaged.code == kept.code
    assert re.fullmatch(r"its record does not hold( from line \d+ on)?", damaged.why)


async def test_an_entry_that_is_none_is_told() -> None:
    kept = Kept(1, "K7QP", (msgspec.json.encode({"at": 0.0, "number": "x"}),))
    (damaged,) = a_house(World()).recover([kept])
    assert damaged.why.startswith("an entry can't be read")
