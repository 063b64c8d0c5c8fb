"""Who lost a table is told once, however many lose theirs meanwhile."""

import pytest

from cartino_protocol.notices import Announced
from cartino_protocol.wire import decode_shared
from cartino_server.lobby.login import MAX_TOLD_EACH, MAX_UNTOLD, EvictedTables
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.directory import People
from cartino_server.lobby.people.presence import PresenceRegistry, SeatIndex
from cartino_server.table.lifetime import EvictionLoss
from cartino_server.table.link import ServerLink
from tests.support.game_server import Noting


class Losses(EvictedTables):
    """Evicted tables whose people come for a moment to be told."""

    def __init__(self) -> None:
        people: People[ServerLink] = People()
        self.presence = PresenceRegistry(people, SeatIndex(), Connections())
        super().__init__(self.presence)

    def told(self, person: str) -> tuple[str, ...]:
        """The tables that the person is told of."""
        link = Noting(person)
        self.presence.arrive(link)
        self.tell(person)
        self.presence.depart(link)
        found = link.next_answer()
        if found is None:
            return ()
        answer = decode_shared(found[1])
        assert isinstance(answer, Announced)
        assert answer.word == "lost"
        return tuple(answer.text.split(", "))


@pytest.fixture
def losses() -> Losses:
    return Losses()


def test_each_is_told_once_games_first(losses: Losses) -> None:
    losses.note(["ann"], "AAAA", EvictionLoss.DEAL)
    losses.note(["ann"], "BBBB", EvictionLoss.OWN_GAME)
    losses.note(["bob"], "CCCC", EvictionLoss.DEAL)
    assert losses.told("ann") == ("BBBB", "AAAA")
    assert losses.told("ann") == ()
    assert losses.told("bob") == ("CCCC",)


def test_of_a_game_that_was_over_nobody_is(losses: Losses) -> None:
    losses.note(["ann"], "AAAA", EvictionLoss.NOTHING)
    assert losses.told("ann") == ()


def test_a_flood_has_nobody_forgotten_who_lost_a_game_and_takes_no_more_than_its_place(
    losses: Losses,
) -> None:
    losses.note(["ann"], "AAAA", EvictionLoss.OWN_GAME)
    for number in range(3 * MAX_UNTOLD):
        losses.note([f"flood{number}"], "BBBB", EvictionLoss.DEAL)
    assert sum(bool(losses.told(f"flood{number}")) for number in range(3 * MAX_UNTOLD)) == MAX_UNTOLD
    assert losses.told("ann") == ("AAAA",)


def test_of_many_the_newest_are_told(losses: Losses) -> None:
    for code in "ABCDEFGH":
        losses.note(["ann"], code * 4, EvictionLoss.OWN_GAME)
    told = losses.told("ann")
    assert len(told) == MAX_TOLD_EACH
    assert told[-1] == "HHHH"
