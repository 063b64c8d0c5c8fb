"""Finished games in a journal, as a server leaves them: closed, summed up, and packed where a test wants it."""

from collections.abc import Sequence

import msgspec

from cartino_server.limits import Retention
from cartino_server.store.journal import Journal
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.personal_data import DAY, end_seconds
from cartino_server.store.port import FinishedGame, GameScores, NewEntry, Rating, SeatScore
from tests.support.journals import ended

FOR_GOOD = Retention(0, 0, 0)


def joined(bodies: Sequence[bytes]) -> bytes:
    """One entry out of several, as this support packs them."""
    return b"\n".join(bodies)


def upkeep(journal: Journal, keep: Retention = FOR_GOOD, now: float = 0.0) -> Upkeep:
    """The upkeep of `journal`, which keeps all finished games unless a test says otherwise."""
    return Upkeep(journal, joined, lambda: keep, lambda: now)


def on(day: str, *persons: str, listed: bool = True, code: str = "K7QP") -> FinishedGame:
    """A game of `persons` that ended at noon of `day`; of Ann and Bob, if nobody is named."""
    people = persons or ("id-Ann", "id-Bob")
    names = tuple(person.removeprefix("id-") for person in people)
    end = ended(code, names, people, listed)
    return msgspec.structs.replace(end, ended=f"{day}T12:00:00Z", totals=tuple(range(len(people))))


async def finish(journal: Journal, *endings: FinishedGame, size: int = 300) -> list[int]:
    """Play games of three entries to these ends, close their tables and sum them up; return their numbers."""
    numbers = []
    for end in endings:
        number = journal.number(end.code)
        numbers.append(number)
        bodies = [f"game {number} entry {seq} ".encode().ljust(size, b".") for seq in range(3)]
        await journal.write(
            [
                NewEntry(number, bodies[0]),
                NewEntry(number, bodies[1], ending=end),
                NewEntry(number, bodies[2], "closed"),
            ],
            0.0,
        )
    while due := await journal.due(50):
        await journal.tally([tally(game.place, game.number, game.ending) for game in due])
    return numbers


def tally(place: int, number: int, end: FinishedGame | None) -> GameScores:
    """What a game that ended so comes to: the higher total is better, and everybody is rated."""
    if end is None:
        return GameScores(place, number, "", {}, listed=False)
    most = max(end.totals)
    scores = tuple(
        SeatScore(
            person, name, total, most - total, {"turn": number}, Rating(25.0, 2.0, number, 1000 + total)
        )
        for person, name, total in zip(end.persons, end.seats, end.totals, strict=True)
    )
    return GameScores(place, number, end.game, end.options, end.listed, scores, end_seconds(end.ended) // DAY)
