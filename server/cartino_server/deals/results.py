"""Results of shared deals as views: who may see which, places, streaks, and the standings of leagues. No I/O."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from math import ceil, fsum

from msgspec.structs import replace

from cartino_protocol.base import game_name
from cartino_protocol.deals import AttemptLine, DealView, LeagueView, NextDeal, Standing
from cartino_server.deals.deal import Deal, date_of, day_of
from cartino_server.deals.store import NOT_FINISHED, Attempt, StoredLeague
from cartino_server.store.data_removal import DAY

NameOf = Callable[[Attempt], str]
"""Returns what the person of an attempt is called today."""


def attempt_line(deal: Deal, attempt: Attempt, person: str, name: str, now: int) -> AttemptLine:
    """Return the attempt for `person`, without a place; its game is named once the deal is closed."""
    closed = now >= deal.closes
    unfinished = attempt.ended == NOT_FINISHED or (closed and not attempt.ended)
    return AttemptLine(
        name=name,
        state="unfinished" if unfinished else "played" if attempt.ended else "playing",
        ranked=attempt.ranked,
        total=attempt.total,
        lost=attempt.lost,
        turns=attempt.turns,
        game=game_name(attempt.code, attempt.number) if closed and attempt.ended > 0 else "",
        you=bool(person) and attempt.person == person,
    )


def _merit(line: AttemptLine) -> tuple[bool, float, int]:
    """Return what lines are ordered by: few points lost, then a high total; those not judged yet come last."""
    return line.lost is None, line.lost or 0.0, -(line.total or 0)


def placed(lines: Sequence[AttemptLine]) -> list[AttemptLine]:
    """Return the lines by merit; those that count have places, equal ones the same."""
    ordered = sorted(lines, key=lambda line: (line.state != "played", not line.ranked, _merit(line)))
    merits = [_merit(line) for line in ordered if _counts(line)]
    return [
        replace(line, place=1 + merits.index(_merit(line))) if _counts(line) else line for line in ordered
    ]


def _counts(line: AttemptLine) -> bool:
    return line.state == "played" and line.ranked and line.lost is not None


def deal_view(
    deal: Deal,
    attempts: Sequence[Attempt],
    person: str,
    name_of: NameOf,
    now: int,
    played: Collection[int] = (),
    coming: tuple[NextDeal, ...] = (),
) -> DealView:
    """Return the results as `person` may see them; `played` are the days whose daily they finished.

    While a daily is open, those who have played it see the others' results without their turns; of a duplicate match
    they see who plays.
    """
    closed = now >= deal.closes
    lines = [attempt_line(deal, each, person, name_of(each), now) for each in attempts]
    ordered = placed(lines)
    own = next((line for line in ordered if line.you), None)
    rows: Sequence[AttemptLine] = ()
    if closed:
        rows = ordered
    elif deal.day and own is not None and own.state == "played":
        rows = [replace(line, turns=()) for line in ordered if line.state == "played"]
    elif not deal.day and own is not None:
        rows = [AttemptLine(line.name, line.state, you=line.you) for line in lines]
    return DealView(
        game=deal.game,
        options=deal.options,
        bots=deal.bots,
        closes=datetime.fromtimestamp(deal.closes, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        is_open=not closed,
        commitment=deal.commitment,
        number=deal.number,
        day=date_of(deal.day) if deal.day else "",
        code="" if deal.day else deal.name,
        seed=deal.seed if closed else "",
        own=own,
        players=len(attempts),
        rows=tuple(rows),
        streak=streak(played, day_of(now)) if deal.day else 0,
        longest=longest_streak(played) if deal.day else 0,
        coming=coming,
    )


def streak(played: Collection[int], today: int) -> int:
    """Return on how many days in a row the daily was played, up to `today` or the day before."""
    day = today if today in played else today - 1
    days = 0
    while day - days in played:
        days += 1
    return days


def longest_streak(played: Collection[int]) -> int:
    """Return the most days in a row."""
    return max((streak(played, day) for day in played), default=0)


def league_view(
    league: StoredLeague,
    attempts: Sequence[tuple[int, Attempt]],
    person: str,
    name_of: NameOf,
    now: int,
    leagues: tuple[str, ...],
) -> LeagueView:
    """Return the standings for `person`: the best half of the days that are over counts, fewer days come after."""
    days = league.last - league.first + 1
    over = max(0, min(days, now // DAY - league.first))
    counted = ceil(over / 2)
    by_person: dict[str, list[Attempt]] = defaultdict(list)
    for _, attempt in attempts:
        by_person[attempt.person].append(attempt)
    lines = []
    for player, mine in by_person.items():
        best = sorted(attempt.lost or 0.0 for attempt in mine)[:counted]
        newest = max(mine, key=lambda attempt: attempt.begun)
        lines.append((-len(best), round(fsum(best), 1), name_of(newest), len(mine), player == person))
    lines.sort()
    merits = [line[:2] for line in lines]
    rows = tuple(
        Standing(1 + merits.index((fewer, lost)), name, -fewer, lost, played, you)
        for fewer, lost, name, played, you in lines
    )
    return LeagueView(
        name=league.name,
        game=league.game,
        first=date_of(league.first),
        last=date_of(league.last),
        days=days,
        over=over,
        counted=counted,
        rows=rows,
        leagues=leagues,
        state=league.state(day_of(now)),
    )
