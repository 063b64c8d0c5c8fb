"""The standings of leagues over daily games."""

from collections.abc import Iterator, Sequence
from typing import Final

from cartino_protocol.deals import AttemptLine, League, LeagueView, PlayDaily, Standing
from cartino_protocol.text import N_
from cartino_tui.draw.text import clean
from cartino_tui.keys import LEAGUE
from cartino_tui.pages.page import (
    Action,
    HelpText,
    Page,
    PageCell,
    PageColumn,
    PageSection,
    Reader,
    missing_list,
    rank_column,
)

LEAGUE_HELP: Final = N_(
    "A league adds up the points short of perfect play in the daily games of one game between two dates; everybody who "
    "plays them takes part. A day counts when it is over, and only with a rank. The better half of the days that are "
    "over counts, so a missed day costs nothing; players with fewer days come after those with more."
)
_MOST_LEAGUES: Final = 8
"""Other leagues that are named below the standings."""
_RECORDED: Final = "name game first last state days over counted leagues"
"""What JSON has beside the standings in `rows`, best first."""


def player_cells(row: AttemptLine | Standing, reader: Reader) -> Sequence[PageCell]:
    """Return the name of a player, marked for the reader's own row."""
    return (PageCell(clean(row.name), "you" if row.you else "text"),)


def _league_title(view: LeagueView | None, reader: Reader) -> Sequence[str]:
    if view is None or not view.name:
        return (reader.translator.gettext("Leagues"),)
    days = reader.translator.gettext("{first} to {last}", first=view.first, last=view.last)
    return clean(view.name), f"{reader.title(view.game)}, {days}"


def _league_facts(view: LeagueView, reader: Reader) -> Iterator[str]:
    """Yield the reader's place, how far the league is, the other leagues, and how to take part."""
    if not view.name:
        return
    gettext = reader.translator.gettext
    own = next((row for row in view.rows if row.you), None)
    if own is not None:
        yield gettext("Your rank: {place} of {n}.", place=own.place, n=len(view.rows))
    yield " ".join(_league_progress(view, reader))
    others = [clean(name) for name in view.leagues if name != view.name]
    if others:
        more = ["…"] if len(others) > _MOST_LEAGUES else []
        yield gettext("Other leagues: {names}", names=", ".join([*others[:_MOST_LEAGUES], *more]))
    if view.state == "running":
        yield gettext("Play the daily game of {game} to take part.", game=reader.title(view.game))


def _league_progress(view: LeagueView, reader: Reader) -> Iterator[str]:
    """Yield how far the league is, who has won it, and how many days count."""
    gettext, ngettext = reader.translator.gettext, reader.translator.ngettext
    winners = [clean(row.name) for row in view.rows if row.place == 1]
    if view.state == "coming":
        yield gettext("Begins on {day}.", day=view.first)
    elif view.state == "running":
        yield gettext("Days that are over: {over} of {days}.", over=view.over, days=view.days)
    elif winners:
        yield ngettext(
            "This league is over. {names} has won.",
            "This league is over. {names} share the first place.",
            len(winners),
            names=", ".join(winners),
        )
    else:
        yield gettext("This league is over.")
    if view.counted and (winners or view.state == "running"):
        yield ngettext("Each player's best day counts.", "Each player's best {n} days count.", view.counted)


def _league_empty(view: LeagueView | None, waiting: bool, reader: Reader) -> str:
    gettext = reader.translator.gettext
    if view is None:
        return missing_list(waiting, reader)
    if not view.name:
        return gettext("There is no league here.")
    if view.state == "coming":
        return gettext("This league hasn't begun.")
    return (
        gettext("No day of this league has results yet.")
        if view.state == "running"
        else gettext("No day of this league has results.")
    )


def _league_opening(view: LeagueView, reader: Reader) -> Iterator[str]:
    title = ", ".join(_league_title(view, reader))
    if reader.spoken:
        yield f"{title}."
    elif view.name:
        yield title
    if view.rows and not reader.spoken:
        yield reader.translator.gettext("rank, days that count, points short, player")


def _league_sentence(row: Standing, reader: Reader) -> str:
    return reader.translator.ngettext(
        "Rank {place}: {name}, {lost} short on {n} day.",
        "Rank {place}: {name}, {lost} short on {n} days.",
        row.days,
        place=row.place,
        name=clean(row.name),
        lost=reader.translator.decimal(row.lost),
    )


def _league_closing(view: LeagueView, reader: Reader) -> Iterator[str]:
    if not view.rows:
        yield _league_empty(view, False, reader)
    yield from _league_facts(view, reader)


def _is_running(view: LeagueView | None, reader: Reader) -> bool:
    return view is not None and view.state == "running" and bool(view.name) and not reader.guest


def _next_league(view: LeagueView, row: Standing, typed: str, reader: Reader) -> League | str:
    names = view.leagues
    if len(names) < 2 or view.name not in names:
        return reader.translator.gettext("There is no other league.")
    return League(names[(names.index(view.name) + 1) % len(names)])


LEAGUE_PAGE: Final[Page[LeagueView, Standing]] = Page(
    keys=LEAGUE,
    title=_league_title,
    hints=lambda view, reader: (
        *(("play",) if _is_running(view, reader) else ()),
        *(("next",) if view is not None and len(view.leagues) > 1 else ()),
        *("actions", "help", "back"),
    ),
    answer=LeagueView,
    sections=lambda view: (PageSection(view.rows),),
    columns=(
        rank_column(lambda row: row.place),
        PageColumn(N_("player"), player_cells, "name played", flexible=True),
        PageColumn(N_("days"), lambda row, _: (PageCell(str(row.days), "dim"),), "days", least=4, right=True),
        PageColumn(
            N_("short"),
            lambda row, reader: (PageCell(reader.translator.decimal(row.lost), "points"),),
            "lost",
            least=6,
            right=True,
        ),
    ),
    below=lambda view, reader: (
        [(fact, "dim") for fact in _league_facts(view, reader)] if view is not None else []
    ),
    empty=_league_empty,
    renew=lambda view: League(view.name),
    actions={
        "play": Action(
            lambda view, row, typed, reader: PlayDaily(view.game), when=_is_running, awaited=False
        ),
        "next": Action(_next_league, when=lambda view, reader: view is not None),
    },
    help_title=N_("Help: leagues"),
    help=(HelpText(N_("Leagues"), LEAGUE, LEAGUE_HELP),),
    opening=_league_opening,
    line=lambda view, reader: (
        lambda row: (
            f"{row.place:>3}  {row.days:>3}  {reader.translator.decimal(row.lost):>6}  {clean(row.name)}"
        )
    ),
    sentence=_league_sentence,
    worded=("rank", "player", "days", "short"),
    closing=_league_closing,
    record=lambda view, _: {field: getattr(view, field) for field in _RECORDED.split()},
)
