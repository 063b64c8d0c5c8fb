"""Sum up finished games: ranks, highlights, ratings (openskill), leaders and profiles.

Ratings of people move only by games between people; a bot is rated against everybody and moves nobody else's rating.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec
import structlog

from cartino_protocol.base import Seat
from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LeadersView, ProfileView
from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import RecordError, read_record
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.data_removal import DAY, unix_time
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.port import (
    DamagedGame,
    FinishedGame,
    GameScores,
    Journal,
    JournalClosed,
    NotSaved,
    ProfileQuery,
    Rating,
    SeatScore,
    StoredGame,
    UncountedGame,
)
from cartino_server.table.entries import read_entry
from cartino_server.table.link import Person
from cartino_server.table.restoring import record_lines

SCALE, BASE = 40, 1000
"""A rating as people see it: the level that somebody has almost certainly (mu - 3 sigma), times 40, and a thousand.

So whoever begins has 1000, and whoever plays no worse than all the others never has much less for long.
"""


def ranks(totals: Sequence[int], winners: Sequence[Seat]) -> tuple[int, ...]:
    """The rank of each seat, 0 for those who won; equal totals share it.

    Behind the winners it goes by totals: the high ones are better where a highest total won, else the low ones.
    """
    if not totals:
        return ()
    won = {totals[seat] for seat in winners}
    sign = 1 if max(totals) in won else -1
    worth = [(seat in winners, sign * total) for seat, total in enumerate(totals)]
    if not won & {max(totals), min(totals)}:
        worth = [(seat in winners, 0) for seat in range(len(totals))]
    return tuple(0 if own[0] else sum(other > own for other in worth) for own in worth)


def new_ratings(
    players: Sequence[str], ranking: Sequence[int], known: Mapping[str, Rating]
) -> dict[str, Rating]:
    """The ratings of `players` (ids, at least two, each once) after a game that ended with `ranking`.

    `known` are the ratings before it; whoever has none begins with the model's own.
    """
    # It takes some time to load, and whoever plays at home alone never needs it.
    from openskill.models import PlackettLuce  # noqa: PLC0415

    model = PlackettLuce()
    before = [known.get(player) or Rating(model.mu, model.sigma) for player in players]
    after = model.rate(
        [[model.rating(rating.mu, rating.sigma)] for rating in before],
        ranks=[float(rank) for rank in ranking],
    )
    return {
        player: Rating(
            team[0].mu, team[0].sigma, rating.games + 1, displayed_rating(team[0].mu, team[0].sigma)
        )
        for player, rating, team in zip(players, before, after, strict=True)
    }


def displayed_rating(mu: float, sigma: float) -> int:
    """A rating in one number for people."""
    return BASE + round(SCALE * (mu - 3 * sigma))


class GameSummary(msgspec.Struct, frozen=True):
    """What the entries of a finished game tell beyond its ending: the ids of its guests, the bests by their word."""

    guests: frozenset[str] = frozenset()
    bests: Mapping[str, Sequence[int]] = {}


def read_summary(kept: StoredGame | DamagedGame | None, games: Mapping[str, AnyGame]) -> GameSummary | None:
    """What `kept` tells; None where it can't be read, and so shall count for nobody."""
    if not isinstance(kept, StoredGame):
        return None
    try:
        entries = [read_entry(body) for body in kept.bodies]
        record = read_record(record_lines(kept.bodies), games)
    except (msgspec.DecodeError, RecordError):
        return None
    chairs = next((entry.facts.chairs for entry in reversed(entries) if entry.facts is not None), ())
    guests = frozenset(chair.person for chair in chairs if chair.guest)
    return GameSummary(guests, record.game.bests(record.lines))


def rated_players(ending: FinishedGame, seen: GameSummary) -> tuple[str, ...]:
    """Who is kept on each seat: the id of a person with a key, or of a bot; "" for a guest, and for bots of a kind."""
    ids = [
        person or (name if name.startswith(BOT) else "")
        for person, name in zip(ending.persons, ending.seats, strict=True)
    ]
    count = Counter(ids)
    # A packed game doesn't say who its guests were.
    return tuple(
        "" if one in seen.guests or one.startswith(GUEST_PREFIX) or count[one] > 1 else one for one in ids
    )


def tally_game(
    due: UncountedGame, seen: GameSummary | None, game: AnyGame | None, known: Mapping[str, Rating]
) -> GameScores:
    """The game as it is summed up; `known` are the ratings of its players before it.

    One that was left before its end, or can't be read, counts for nobody. Ratings move where everybody may see it.
    """
    end = due.ending
    if end is None or seen is None or game is None or end.reason == "abandoned" or not end.winners:
        return GameScores(due.place, due.number, "", {}, listed=False)
    ids, ranking = rated_players(end, seen), ranks(end.totals, end.winners)
    fresh = _ratings(end, seen, ranking, known) if end.listed else {}
    scores = tuple(
        SeatScore(
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
    day = unix_time(end.ended) // DAY
    return GameScores(due.place, due.number, end.game, game.kind(end.options), end.listed, scores, day)


def _ratings(
    end: FinishedGame, seen: GameSummary, ranking: Sequence[int], known: Mapping[str, Rating]
) -> dict[str, Rating]:
    ids = rated_players(end, seen)
    # Guests are opponents of bots still: nobody knows how well they play.
    everybody = [person or f"seat {seat}" for seat, person in enumerate(ids)]
    people = [seat for seat, person in enumerate(ids) if person and not person.startswith(BOT)]
    fresh: dict[str, Rating] = {}
    if len(everybody) > 1:
        against_all = new_ratings(everybody, ranking, known)
        fresh = {person: against_all[person] for person in ids if person.startswith(BOT)}
    if len(people) > 1:
        fresh |= new_ratings([ids[seat] for seat in people], [ranking[seat] for seat in people], known)
    return fresh


AT_ONCE: Final = 10
"""Games that are read before anything is written: what is read of them is small, and a commit of them short."""
REST: Final = 0.1
"""Seconds between two of these, where there are many to be summed up: nobody waits for them, and others play."""

_log = structlog.get_logger(__name__)


class RatingJobs:
    """Goes on whenever it is woken, until no game is due; what can't be saved stays due."""

    def __init__(self, journal: Journal, games: Mapping[str, AnyGame], errands: BackgroundTasks) -> None:
        """For the games in `journal`, of which `games` are those whose records can be read."""
        self._journal = journal
        self._games = games
        self._background = errands
        self._busy = False
        self._again = False

    def wake(self) -> None:
        """There may be games to be summed up."""
        self._again = True
        if not self._busy:
            self._busy = True
            self._background.run(self._work())

    async def _work(self) -> None:
        try:
            while self._again:
                self._again = False
                try:
                    await self._sum_up()
                except (NotSaved, JournalClosed) as error:
                    # Who has woken it meanwhile has it tried again; all others, the next game that ends.
                    _log.warning("sums_not_saved", why=str(error))
                except Exception as error:
                    _log.error("sums_failed", where=summarize_error(error))
        finally:
            self._busy = False

    async def _sum_up(self) -> None:
        while due := await self._journal.due(AT_ONCE):
            await self._tally(due)
            if len(due) < AT_ONCE:
                break
            await asyncio.sleep(REST)

    async def _tally(self, due: Sequence[UncountedGame]) -> None:
        kept = [await self._journal.kept(game.number) for game in due]
        # To read a record takes a millisecond or two, and the first to be rated loads the model, in which nobody else
        # should have to wait.
        seen = await asyncio.to_thread(self._read, due, kept)
        known = await self._known(due, seen)
        await self._journal.tally(await asyncio.to_thread(self._score, due, seen, known))

    def _read(
        self, due: Sequence[UncountedGame], kept: Sequence[StoredGame | DamagedGame | None]
    ) -> list[GameSummary | None]:
        seen: list[GameSummary | None] = []
        for game, entries in zip(due, kept, strict=True):
            try:
                seen.append(read_summary(entries, self._games))
            except Exception as error:
                # One game that the engine chokes on keeps no other from being counted.
                _log_not_rated(game, error)
                seen.append(None)
        return seen

    def _score(
        self,
        due: Sequence[UncountedGame],
        seen: Sequence[GameSummary | None],
        known: dict[str, dict[str, Rating]],
    ) -> list[GameScores]:
        tallies: list[GameScores] = []
        for game, told in zip(due, seen, strict=True):
            name = "" if game.ending is None else game.ending.game
            ratings = known.setdefault(name, {})
            try:
                tally = tally_game(game, told, self._games.get(name), ratings)
            except Exception as error:
                _log_not_rated(game, error)
                tally = tally_game(game, None, None, {})
            tallies.append(tally)
            ratings |= {score.person: score.rating for score in tally.scores if score.rating is not None}
        return tallies

    async def _known(
        self, due: Sequence[UncountedGame], seen: Sequence[GameSummary | None]
    ) -> dict[str, dict[str, Rating]]:
        """The ratings, by game, of all who played the games that are due."""
        wanted: dict[str, set[str]] = {}
        for game, told in zip(due, seen, strict=True):
            if game.ending is not None and told is not None:
                ids = rated_players(game.ending, told)
                wanted.setdefault(game.ending.game, set()).update(filter(None, ids))
        return {
            name: dict(await self._journal.ratings(name, sorted(persons))) for name, persons in wanted.items()
        }


def _log_not_rated(game: UncountedGame, error: Exception) -> None:
    _log.error("game_not_summed_up", game=game.number, where=summarize_error(error))


_BOT_PREFIX: Final = "bot "


class NameLookup(Protocol):
    """Who is called what in the house just now."""

    def person_called(self, name: str) -> str | None:
        """The id of the person who goes by `name` here, now or by the seat they have; None for nobody."""

    def kept_name(self, person_id: str) -> str:
        """What a person is called who need not be here; "" where that is not kept."""


class Profiles:
    """What `journal` has summed up of people."""

    def __init__(self, journal: Journal, games: Mapping[str, AnyGame], register: NameLookup) -> None:
        """`games` by name, the first being the one of which leaders are shown; `register` is up to date."""
        self._journal = journal
        self._games = games
        self._register = register

    def kept_name(self, person: str) -> str:
        """What the person of that id is called, here or not; "" where that is not kept."""
        return self._register.kept_name(person)

    async def profile(self, person: Person, name: str, asked: Profile) -> ProfileView | Refusal:
        """What `person`, who is called `name` here, asked for."""
        wanted, against = asked.name.strip(), asked.against.strip()
        if self._called(wanted) == person.id:
            wanted = ""
        found = await self._journal.profile(
            ProfileQuery(
                person=person.id,
                player=asked.player,
                of=self._called(wanted) if wanted else person.id,
                name=self._name(wanted),
                against=self._called(against) if against else person.id,
                against_name=self._name(against),
            )
        )
        if found is not None:
            return found
        if not (asked.player or wanted):
            return ProfileView(name, you=True)
        return Refusal("unknown-person", wanted)

    async def leaders(self, person: str, asked: Leaders) -> LeadersView | Refusal:
        """Who leads, as `person` (an id) sees it."""
        game = asked.game or next(iter(self._games))
        if game not in self._games:
            return Refusal("unknown-game", game)
        return await self._journal.leaders(game, person)

    async def person_called(self, name: str) -> str | None:
        """The id of whoever last went by `name` in a listed game that is over; None for nobody, or a bot."""
        return await self._journal.person_called(name)

    async def choices(self, person: str) -> bytes:
        """What the person has chosen for themselves (see Prefer), as it was kept; b"" for nothing.

        So it is too while it can't be read: nobody stays without an answer for it.
        """
        try:
            return await self._journal.settings(person)
        except (NotSaved, JournalClosed):
            return b""

    def _called(self, name: str) -> str:
        """The id of the person who is called `name` in the house now; "" for nobody."""
        return self._register.person_called(name) or ""

    def _name(self, name: str) -> str:
        """A bot by its name in records, however its name was said."""
        folded = name.casefold()
        if folded.startswith(_BOT_PREFIX):
            return f"{BOT}{folded.removeprefix(_BOT_PREFIX).strip()}"
        return name
