"""Results of shared deals as views: who may see which, places, streaks, and the standings of leagues. No I/O."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from math import ceil
from typing import Literal

import msgspec
from msgspec.structs import replace

from cartino_protocol.base import game_name
from cartino_protocol.deals import AttemptLine, DealView, LeagueView, NextDeal, Standing
from cartino_server.deals.deal import Deal, date_of, day_of
from cartino_server.deals.limits import MAX_TURNS
from cartino_server.deals.store import NOT_FINISHED, Attempt, LeagueScore, StoredLeague

NameOf = Callable[[Attempt], str]
"""Returns what the person of an attempt is called today."""


def attempt_line(
    deal: Deal, attempt: Attempt, person: str, name: str, now: int, *, by_total: bool = False
) -> AttemptLine:
    """Return the attempt for `person`, without a place; its game is named once the deal is closed."""
    closed = now >= deal.closes
    unfinished = attempt.ended == NOT_FINISHED or (closed and not attempt.ended)
    return AttemptLine(
        name=name,
        state="unfinished" if unfinished else "played" if attempt.ended else "playing",
        ranked=attempt.ranked,
        total=attempt.total,
        lost=None if by_total else attempt.lost,
        turns=() if by_total else attempt.turns,
        game=game_name(attempt.code, attempt.number) if closed and attempt.ended > 0 else "",
        you=bool(person) and attempt.person == person,
    )


def _merit(line: AttemptLine) -> tuple[bool, float, int]:
    """Return what lines are ordered by: few points lost, then a high total; those not judged yet come last."""
    return line.lost is None, line.lost or 0.0, -(line.total or 0)


def placed(lines: Sequence[AttemptLine], *, by_total: bool = False) -> list[AttemptLine]:
    """Return the lines by merit, or `by_total` alone; those that count have places, equal ones the same."""
    ordered = sorted(lines, key=lambda line: (line.state != "played", not line.ranked, _merit(line)))
    merits = [_merit(line) for line in ordered if _counts(line, by_total=by_total)]
    return [
        replace(line, place=1 + merits.index(_merit(line))) if _counts(line, by_total=by_total) else line
        for line in ordered
    ]


def _counts(line: AttemptLine, *, by_total: bool) -> bool:
    return line.state == "played" and line.ranked and (by_total or line.lost is not None)


def results_shown(deal: Deal, own: Attempt | None, now: int) -> Literal["none", "played", "all"]:
    """Return which attempts the person with the attempt `own` may see.

    While a daily is open, those who have played it see the others' results without their turns; of a duplicate match
    they see who plays.
    """
    if now >= deal.closes or (not deal.day and own is not None):
        return "all"
    return "played" if own is not None and own.ended > 0 else "none"


class DealFacts(msgspec.Struct, frozen=True):
    """What is stored of a deal: the person's `own` attempt and `place`, the number of `players`, `attempts` to show.

    `by_total`: the highest total wins, since no bot judges the turns of its game.
    """

    deal: Deal
    own: Attempt | None = None
    place: int = 0
    players: int = 0
    attempts: Sequence[Attempt] = ()
    by_total: bool = False


def deal_view(
    facts: DealFacts,
    name_of: NameOf,
    now: int,
    played: Collection[int] = (),
    coming: tuple[NextDeal, ...] = (),
) -> DealView:
    """Return the results as the person of `facts.own` may see them; `played` are the days whose daily they finished."""
    deal = facts.deal
    closed = now >= deal.closes
    person = "" if facts.own is None else facts.own.person
    by_total = facts.by_total
    lines = [
        attempt_line(deal, each, person, name_of(each), now, by_total=by_total) for each in facts.attempts
    ]
    rows: Sequence[AttemptLine] = placed(lines, by_total=by_total)
    own = None
    if facts.own is not None:
        line = attempt_line(deal, facts.own, person, name_of(facts.own), now, by_total=by_total)
        own = replace(line, place=facts.place if _counts(line, by_total=by_total) else 0)
    if closed:
        counts = accumulate(len(line.turns) for line in rows)
        rows = [
            line if count <= MAX_TURNS else replace(line, turns=())
            for line, count in zip(rows, counts, strict=True)
        ]
    else:
        rows = [replace(line, turns=()) for line in rows]
        if not deal.day:
            begun = sorted(facts.attempts, key=lambda each: (each.begun, each.number))
            lines = [attempt_line(deal, each, person, name_of(each), now) for each in begun]
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
        players=facts.players,
        rows=tuple(rows),
        streak=streak(played, day_of(now)) if deal.day else 0,
        longest=longest_streak(played) if deal.day else 0,
        coming=coming,
        practice=deal.practice,
        by_total=by_total,
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
    league: StoredLeague, scores: Iterable[LeagueScore], person: str, now: int, leagues: tuple[str, ...]
) -> LeagueView:
    """Return the standings for `person`: the best half of the days that are over counts, fewer days come after."""
    today = day_of(now)
    lines = sorted((-each.days, round(each.lost, 1), each.name, each.played, each.person) for each in scores)
    merits = [line[:2] for line in lines]
    return LeagueView(
        name=league.name,
        game=league.game,
        first=date_of(league.first),
        last=date_of(league.last),
        days=league.days,
        over=league.days_over(today),
        counted=ceil(league.days_over(today) / 2),
        rows=tuple(
            Standing(1 + merits.index((fewer, lost)), name, -fewer, lost, played, player == person)
            for fewer, lost, name, played, player in lines
        ),
        leagues=leagues,
        state=league.state(today),
    )
