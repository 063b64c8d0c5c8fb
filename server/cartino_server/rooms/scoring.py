"""What a game that is over means for those who played it: their ranks, the best they made, their ratings."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from cartino_protocol.records import BOT
from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import RecordError, read_record
from cartino_server.rooms.facts import read_entry
from cartino_server.rooms.rating import ranks, rate
from cartino_server.rooms.restoring import record_lines
from cartino_server.store.port import Damaged, Due, Ending, Kept
from cartino_server.store.pruning import DAY, ended_at
from cartino_server.store.register.reports import GUEST
from cartino_server.store.standing import Rating, Score, Tally


class Seen(msgspec.Struct, frozen=True):
    """What the entries of a finished game tell beyond its ending: the ids of its guests, the bests by their word."""

    guests: frozenset[str] = frozenset()
    bests: Mapping[str, Sequence[int]] = {}


def read(kept: Kept | Damaged | None, games: Mapping[str, AnyGame]) -> Seen | None:
    """What `kept` tells; None where it can't be read, and so shall count for nobody."""
    if not isinstance(kept, Kept):
        return None
    try:
        entries = [read_entry(body) for body in kept.bodies]
        record = read_record(record_lines(kept.bodies), games)
    except (msgspec.DecodeError, RecordError):
        return None
    chairs = next((entry.facts.chairs for entry in reversed(entries) if entry.facts is not None), ())
    guests = frozenset(chair.person for chair in chairs if chair.guest)
    return Seen(guests, record.game.bests(record.lines))


def players(ending: Ending, seen: Seen) -> tuple[str, ...]:
    """Who is kept on each seat: the id of a person with a key, or of a bot; "" for a guest, and for bots of a kind."""
    ids = [
        person or (name if name.startswith(BOT) else "")
        for person, name in zip(ending.persons, ending.seats, strict=True)
    ]
    count = Counter(ids)
    # A packed game doesn't say who its guests were.
    return tuple("" if one in seen.guests or one.startswith(GUEST) or count[one] > 1 else one for one in ids)


def tally(due: Due, seen: Seen | None, game: AnyGame | None, known: Mapping[str, Rating]) -> Tally:
    """The game as it is summed up; `known` are the ratings of its players before it.

    One that was left before its end, or can't be read, counts for nobody. Ratings move where everybody may see it.
    """
    end = due.ending
    if end is None or seen is None or game is None or end.reason == "abandoned" or not end.winners:
        return Tally(due.place, due.number, "", {}, listed=False)
    ids, ranking = players(end, seen), ranks(end.totals, end.winners)
    fresh = _ratings(end, seen, ranking, known) if end.listed else {}
    scores = tuple(
        Score(
            person=person,
            name=end.seats[seat],
            points=end.totals[seat],
            rank=ranking[seat],
            bests={fact: values[seat] for fact, values in seen.bests.items()},
            rating=fresh.get(person),
        )
        for seat, person in enumerate(ids)
        if person
    )
    day = ended_at(end.ended) // DAY
    return Tally(due.place, due.number, end.game, game.kind(end.options), end.listed, scores, day)


def _ratings(
    end: Ending, seen: Seen, ranking: Sequence[int], known: Mapping[str, Rating]
) -> dict[str, Rating]:
    ids = players(end, seen)
    # Guests are opponents of bots still: nobody knows how well they play.
    everybody = [person or f"seat {seat}" for seat, person in enumerate(ids)]
    people = [seat for seat, person in enumerate(ids) if person and not person.startswith(BOT)]
    fresh: dict[str, Rating] = {}
    if len(everybody) > 1:
        against_all = rate(everybody, ranking, known)
        fresh = {person: against_all[person] for person in ids if person.startswith(BOT)}
    if len(people) > 1:
        fresh |= rate([ids[seat] for seat in people], [ranking[seat] for seat in people], known)
    return fresh
