"""Sum up finished games: ranks, highlights, ratings (openskill), leaders and profiles.

Ratings of people move only by games between people. A bot of the server is rated against them, and moves nobody else's
rating; a bot account is rated against both kinds of bots.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
import structlog
from msgspec.structs import replace

from cartino_engine.port import AnyGame
from cartino_engine.replay import GameRecord, RecordError, read_record
from cartino_protocol.base import Seat
from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LeadersView, ProfileView, RatingChange
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.journal import Journal
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.personal_data import DAY, end_seconds
from cartino_server.store.port import (
    RATING_BASE,
    DamagedGame,
    FinishedGame,
    GameScores,
    JournalClosed,
    NotSaved,
    ProfileQuery,
    Rating,
    SeatScore,
    StoredGame,
    UncountedGame,
    displayed_rating,
)
from cartino_server.table.link import Person
from cartino_server.table.match import is_played_on
from cartino_server.table.restoring import record_lines
from cartino_server.table.saving import read_entry
from cartino_server.visitors import is_bot, is_bot_person


def ranks(totals: Sequence[int], winners: Sequence[Seat]) -> tuple[int, ...]:
    """Return the rank of each seat, 0 for winners; equal totals share a rank.

    The others are ranked by total, high ones first if a highest total won, else low ones first.
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
    """Return the ratings of `players` (at least two different ids) after a game with the given ranks.

    `known` are the ratings before it; others start with the model's own.
    """
    # Slow to load, and never needed for playing locally.
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


class GameSummary(msgspec.Struct, frozen=True):
    """A finished game: the ids of its guests, its highlights (the values of each seat by name), and its record."""

    guests: frozenset[str] = frozenset()
    highlights: Mapping[str, Sequence[int]] = {}
    record: GameRecord | None = None

    @property
    def is_played_on(self) -> bool:
        """Whether it began in the middle of another game."""
        return self.record is not None and is_played_on(self.record.lines)


def read_summary(kept: StoredGame | DamagedGame | None, games: Mapping[str, AnyGame]) -> GameSummary | None:
    """Read the entries of a finished game; None if they can't be read."""
    if not isinstance(kept, StoredGame):
        return None
    try:
        entries = [read_entry(body) for body in kept.bodies]
        record = read_record(record_lines(kept.bodies), games)
    except (msgspec.DecodeError, RecordError):
        return None
    chairs = next((entry.facts.chairs for entry in reversed(entries) if entry.facts is not None), ())
    guests = frozenset(chair.person for chair in chairs if chair.guest)
    return GameSummary(guests, record.game.highlights(record.lines), record)


def rated_players(ending: FinishedGame, seen: GameSummary) -> tuple[str, ...]:
    """Return the id of each seat's person or bot; "" for guests and for several bots of a kind."""
    ids = [
        person or (name if name.startswith(BOT) else "")
        for person, name in zip(ending.persons, ending.seats, strict=True)
    ]
    count = Counter(ids)
    # A packed game has lost the flag that marks guests.
    return tuple(
        "" if one in seen.guests or one.startswith(GUEST_PREFIX) or count[one] > 1 else one for one in ids
    )


def tally_game(
    due: UncountedGame, seen: GameSummary | None, game: AnyGame | None, known: Mapping[str, Rating]
) -> GameScores:
    """Return the scores of a finished game; `known` are the ratings of its players before it.

    An abandoned or unreadable game counts for nobody, nor does one played on from another.
    Only public games move ratings.
    """
    end = due.ending
    counts = end is not None and end.reason != "abandoned" and end.winners
    if end is None or seen is None or game is None or not counts or seen.is_played_on:
        return GameScores(due.place, due.number, "", {}, listed=False)
    ids, ranking = rated_players(end, seen), ranks(end.totals, end.winners)
    fresh = _ratings(ids, ranking, known) if end.listed else {}
    scores = tuple(
        SeatScore(
            person=person,
            name=end.seats[seat],
            points=end.totals[seat],
            rank=ranking[seat],
            highlights={fact: values[seat] for fact, values in seen.highlights.items()},
            rating=fresh.get(person),
            margins={} if person.startswith(BOT) else _margins(end, seat),
        )
        for seat, person in enumerate(ids)
        if person
    )
    day = end_seconds(end.ended) // DAY
    return GameScores(
        due.place,
        due.number,
        end.game,
        game.kind(end.options),
        end.listed,
        scores,
        day,
        len(end.seats),
    )


def _margins(end: FinishedGame, seat: Seat) -> dict[str, int]:
    """Return by how many points `seat` did better than each bot, the best of several of a kind."""
    # As `ranks` has it: where the lowest total wins, fewer points are better.
    sign = 1 if max(end.totals) in {end.totals[winner] for winner in end.winners} else -1
    margins: dict[str, int] = {}
    for name, total in zip(end.seats, end.totals, strict=True):
        if name.startswith(BOT):
            bot, margin = name.removeprefix(BOT), sign * (end.totals[seat] - total)
            margins[bot] = min(margin, margins.get(bot, margin))
    return margins


def _ratings(ids: Sequence[str], ranking: Sequence[int], known: Mapping[str, Rating]) -> dict[str, Rating]:
    # Guests count as unrated opponents of bots.
    everybody = [person or f"seat {seat}" for seat, person in enumerate(ids)]
    accounts = {person for person in ids if is_bot_person(person)}
    # A bot account could lose on purpose, so it moves neither people nor the server's bots.
    rate = partial(_rate_some, everybody, ranking, known)
    return {
        **rate(lambda one: one not in accounts, lambda one: one.startswith(BOT)),
        **rate(lambda one: one in ids and not is_bot(one), lambda one: True),
        **rate(is_bot, accounts.__contains__),
    }


def _rate_some(
    everybody: Sequence[str],
    ranking: Sequence[int],
    known: Mapping[str, Rating],
    among: Callable[[str], bool],
    who: Callable[[str], bool],
) -> dict[str, Rating]:
    """Return the new ratings of those of `everybody` for whom `who` is true, in the game among those of `among`."""
    seats = [seat for seat, one in enumerate(everybody) if among(one)]
    if len(seats) < 2 or not any(who(everybody[seat]) for seat in seats):
        return {}
    fresh = new_ratings([everybody[seat] for seat in seats], [ranking[seat] for seat in seats], known)
    return {one: rating for one, rating in fresh.items() if who(one)}


AT_ONCE: Final = 10
"""Games counted in one commit."""
REST: Final = 0.1
"""Seconds between two commits, to leave time for players."""

_log = structlog.get_logger(__name__)


def _shown(rating: Rating | None) -> int:
    return RATING_BASE if rating is None else displayed_rating(rating.mu, rating.sigma)


class CountedGame(NamedTuple):
    """The game of that number, which has just been counted, and the new ratings by seat."""

    number: int
    ending: FinishedGame
    ratings: Mapping[Seat, RatingChange]


class RatingJobs:
    """Counts the finished games that are due, in the background; what can't be saved stays due."""

    def __init__(
        self,
        journal: Journal,
        games: Mapping[str, AnyGame],
        background: BackgroundTasks,
        counted: Callable[[], object] = lambda: None,
        tell: Callable[[CountedGame], object] = lambda game: None,
        name_of: Callable[[str], str] = lambda person: "",
    ) -> None:
        """Call `counted` when no game is due any more, and `tell` of each game whose scores are saved.

        `name_of(person)` is what the person is called now, "" if unknown: they may be renamed before a game counts.
        """
        self._journal = journal
        self._games = games
        self._counted = counted
        self._tell = tell
        self._name_of = name_of
        self._task = RepeatedTask(background, self._work)

    def wake(self) -> None:
        """Start counting the games that are due, unless it is under way."""
        self._task.wake()

    async def _work(self) -> None:
        try:
            await self._sum_up()
            self._counted()
        except (NotSaved, JournalClosed) as error:
            # Tried again when the next game ends.
            _log.warning("sums_not_saved", why=str(error))
        except Exception as error:
            _log.error("sums_failed", where=summarize_error(error))

    async def _sum_up(self) -> None:
        while due := await self._journal.due(AT_ONCE):
            await self._tally(due)
            await asyncio.sleep(REST)

    async def _tally(self, due: Sequence[UncountedGame]) -> None:
        ratings: dict[str, dict[str, Rating]] = {}
        """By game, as they are after the games counted so far."""
        counted: list[CountedGame] = []
        await self._journal.tally([await self._score(game, ratings, counted) for game in due])
        for game in counted:
            self._tell(game)

    async def _score(
        self, due: UncountedGame, ratings: dict[str, dict[str, Rating]], counted: list[CountedGame]
    ) -> GameScores:
        kept, end = await self._journal.load_game(due.number), due.ending
        try:
            # Reading a record takes a millisecond or two, and the first rating loads the model: not on the event loop.
            seen = await asyncio.to_thread(read_summary, kept, self._games)
            if end is None or seen is None:
                return tally_game(due, None, None, {})
            known = ratings.setdefault(end.game, {})
            unknown = {person for person in rated_players(end, seen) if person} - known.keys()
            known |= await self._journal.ratings(end.game, sorted(unknown))
            tally = await asyncio.to_thread(tally_game, due, seen, self._games.get(end.game), known)
        except (NotSaved, JournalClosed):
            raise
        except Exception as error:
            # One broken game doesn't keep others from being counted.
            _log.error("game_not_summed_up", game=due.number, where=summarize_error(error))
            return tally_game(due, None, None, {})
        if seen.record is not None:
            changes = _rating_changes(end, tally, known)
            counted.append(CountedGame(due.number, end, changes))
        known |= {score.person: score.rating for score in tally.scores if score.rating is not None}
        scores = [replace(score, name=self._name_of(score.person) or score.name) for score in tally.scores]
        return replace(tally, scores=tuple(scores))


def _rating_changes(
    end: FinishedGame, tally: GameScores, known: Mapping[str, Rating]
) -> dict[Seat, RatingChange]:
    new = {score.person: score.rating.shown for score in tally.scores if score.rating is not None}
    return {
        seat: RatingChange(_shown(known.get(person)), new[person])
        for seat, person in enumerate(end.persons)
        if person in new
    }


_BOT_PREFIX: Final = "bot "


class Profiles(msgspec.Struct, frozen=True, eq=False):
    """Reads profiles and leaders from the journal's summaries.

    The first of `games` has its leaders shown; `find_person(name)` looks among people online or seated.

        `now()` is Unix time; what players lose counts as one of `evaluations` judged it.
    """

    _journal: Journal
    _games: Mapping[str, AnyGame]
    _find_person: Callable[[str], str | None]
    _now: Callable[[], int]
    _evaluations: frozenset[str] = frozenset()

    async def profile(self, person: Person, name: str, asked: Profile) -> ProfileView | Refusal:
        """Return the profile that `person`, called `name`, asked for."""
        wanted, against = asked.name.strip(), asked.against.strip()
        if self._called(wanted) == person.id:
            wanted = ""
        query = ProfileQuery(
            person=person.id,
            player=asked.player,
            of=self._called(wanted) if wanted else person.id,
            name=self._name(wanted),
            against=self._called(against) if against else person.id,
            against_name=self._name(against),
            today=self._now() // DAY,
            evaluations=self._evaluations,
        )
        found = await self._journal.profile(query)
        if found is None and wanted and not query.of:
            # Tables show a bot's name without the prefix, too.
            found = await self._journal.profile(replace(query, name=f"{BOT}{wanted.casefold()}"))
        if found is not None:
            return found
        if not (asked.player or wanted):
            return ProfileView(name, you=True)
        return Refusal("unknown-person", wanted or str(asked.player), to="Profile")

    async def leaders(self, person: str, asked: Leaders) -> LeadersView | Refusal:
        """Return a game's leaders, with the place of `person` (an id)."""
        game = asked.game or next(iter(self._games))
        if game not in self._games:
            return Refusal("unknown-game", game)
        return await self._journal.leaders(game, person, self._evaluations)

    async def person_called(self, name: str) -> str | None:
        """Return the person who was last called `name` in a public finished game."""
        return await self._journal.person_called(name)

    def _called(self, name: str) -> str:
        """Return the id of the person called `name`, or ""."""
        return self._find_person(name) or ""

    def _name(self, name: str) -> str:
        """Return the name as in records, where a bot's has a prefix."""
        folded = name.casefold()
        if folded.startswith(_BOT_PREFIX):
            return f"{BOT}{folded.removeprefix(_BOT_PREFIX).strip()}"
        return name
