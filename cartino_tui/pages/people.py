"""The ratings of a game, and a player's profile: ratings, games by kind, and results against another player."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import asdict

from cartino_protocol import views
from cartino_protocol.commands import Command, History, Leaders, Profile
from cartino_protocol.records import BOT
from cartino_protocol.text import N_
from cartino_tui.draw.canvas import Run
from cartino_tui.keys import INVITATIONS, LEADERS, PROFILE
from cartino_tui.pages.figures import (
    goal_text,
    kind_title,
    main_lost,
    range_record,
    range_text,
    rating_facts,
    rating_text,
    skill_facts,
    skill_record,
    streak_text,
)
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.page import (
    Action,
    HelpText,
    Open,
    Page,
    PageCell,
    PageColumn,
    PageParagraph,
    PageSection,
    Question,
    Reader,
    missing_list,
    rank_column,
    row_record,
)

_MAX_NAME: Final = 20
"""Characters of a name, with "bot" before it."""
_HELP: Final = (
    HelpText(
        N_("Ratings"),
        text=N_(
            "A rating is cautious: a level that a player almost certainly reaches. It starts at 1000. It rises when "
            "you win, most against good players, and as more games confirm it. Only people affect each other's "
            "ratings, in games played to the end at public tables. The server's bots are rated by their games "
            "with people, bot accounts (bot+NAME) by their games with bots; neither affects a person's rating. "
            "Guests have no rating. The range shows where your level lies (99.7%); the rating is its lower end."
        ),
    ),
    HelpText(
        N_("Points short"),
        text=N_(
            "What a player's decisions cost per game, compared with the best turns: the average of their last 40 "
            "games of one kind at public tables, and how far off it may be (95%). Luck of the draw hardly "
            "matters, so it says more than a rating after the same number of games. The same bot judges "
            "everybody, bots too. Figures with ? are provisional: fewer than 10 games."
        ),
    ),
    HelpText(
        N_("Private tables"),
        text=N_(
            "Games at private tables count in your own profile, but only their players can see them. Games "
            "abandoned before the end don't count."
        ),
    ),
    HelpText(N_("In the list of ratings"), LEADERS),
    HelpText(N_("In a profile"), PROFILE),
    HelpText(N_("In your invitations"), INVITATIONS),
)


_PROFILES: Final[Mapping[str, Action[Any, Any]]] = {
    "mine": Action(lambda view, row, typed, reader: Profile()),
    "player": Action(
        lambda view, row, typed, reader: Profile(typed),
        ask=Question(N_("Profile of"), _MAX_NAME, (Profile.__name__,)),
    ),
}
"""Actions of both pages."""


class LeaderRow(msgspec.Struct, frozen=True):
    """A line of the list of leaders; `own`: it is the reader's."""

    line: views.Leader
    bot: bool
    own: bool


def _leader_sections(view: views.LeadersView) -> Sequence[PageSection[LeaderRow]]:
    you = None if view.you is None else view.you.player
    return (
        PageSection([LeaderRow(line, False, line.player == you) for line in view.people], key="people"),
        PageSection(
            [LeaderRow(line, True, line.player == you) for line in view.bots],
            N_("bots, rated separately"),
            N_("Bots are rated separately."),
            "bots",
        ),
    )


def _leaders_title(view: views.LeadersView | None, reader: Reader) -> Sequence[str]:
    if view is None:
        return ("",)
    count = len(view.people)
    return (
        reader.translator.gettext("Leaderboard: {game}", game=reader.title(view.game)),
        reader.translator.ngettext("{n} player", "{n} players", count) if count else "",
    )


def _leaders_hints(view: views.LeadersView | None, reader: Reader) -> Sequence[str]:
    return (
        *(("open",) if view is not None and (view.people or view.bots) else ()),
        *("mine", "player"),
        *(("next",) if len(reader.game_names) > 1 else ()),
        *("actions", "help", "back"),
    )


def _leaders_empty(view: views.LeadersView | None, waiting: bool, reader: Reader) -> str:
    gettext = reader.translator.gettext
    if view is None:
        return missing_list(waiting, reader)
    return gettext(
        "Nobody has a rating yet. Ratings come from games between people with keys at public tables."
    )


def _own_place(you: views.Leader, reader: Reader) -> str:
    return reader.translator.gettext(
        "Your rank: {place}, rating {rating}.", place=you.place, rating=you.rating
    )


def _below_leaders(view: views.LeadersView | None, reader: Reader) -> Sequence[Run]:
    """Return the reader's place, or why they have none."""
    gettext = reader.translator.gettext
    if view is None:
        return ()
    if view.you is not None:
        you = view.you
        text = _own_place(you, reader) if you.place else gettext("Your rating: {rating}.", rating=you.rating)
    elif reader.guest:
        text = gettext("Guests have no rating. Connect with an SSH key to get one.")
    else:
        text = gettext("You don't have a rating here yet.")
    return ((text, "dim"),)


def _next_game(view: views.LeadersView | None, row: LeaderRow, typed: str, reader: Reader) -> Leaders | None:
    if view is None or view.game not in reader.game_names or len(reader.game_names) < 2:
        return None
    return Leaders(reader.game_after(view.game))


def _rated_games(games: int, reader: Reader) -> str:
    return reader.translator.ngettext("{n} rated game", "{n} rated games", games)


def _other_games(view: views.LeadersView, reader: Reader) -> list[str]:
    return [name for name in reader.game_names if name != view.game]


def _leaders_opening(view: views.LeadersView, reader: Reader) -> Iterator[str]:
    """Yield the game, and how to ask for another one."""
    gettext, title, others = reader.translator.gettext, reader.title(view.game), _other_games(view, reader)
    if not reader.spoken:
        other_games = gettext("other games: top --game {names}", names="|".join(others))
        yield f"{title} ({other_games})" if others else title
        return
    yield gettext("Ratings of {game}.", game=title)
    if others:
        yield gettext("For another game, type ratings and its name: {names}.", names=", ".join(others))


def _leader_sentence(row: LeaderRow, reader: Reader) -> str:
    return reader.translator.gettext(
        "Rank {place}: {name}, rating {rating}, {games}.",
        place=row.line.place,
        name=reader.player(row.line.name, bot=row.bot),
        rating=row.line.rating,
        games=_rated_games(row.line.games, reader),
    )


def _leaders_closing(view: views.LeadersView, reader: Reader) -> Iterator[str]:
    if not (view.people or view.bots):
        yield reader.translator.gettext("Nobody has a rating here yet.")
    elif view.you is not None and view.you.place:
        yield _own_place(view.you, reader)


def _leaders_record(view: views.LeadersView, reader: Reader) -> Mapping[str, object]:
    """Return game, other_games (for `top --game`) and you (null: no rating), beside the rows people and bots.

    Each line has place (null: far down), name, rating and games (rated ones). Equal ratings share a place. The player's
    level lies between low, the rating, and high with 99.7% certainty. points_lost has for each kind what is lost a
    game on average of the last games (40 at most), and within which it lies with 95% certainty (null: a single game).
    Figures of fewer than 10 games are provisional.
    """
    you = None if view.you is None else row_record(_LEADER_COLUMNS, LeaderRow(view.you, False, True))
    return {"game": view.game, "other_games": _other_games(view, reader), "you": you}


_LEADER_COLUMNS: Final[tuple[PageColumn[LeaderRow], ...]] = (
    rank_column(lambda row: row.line.place),
    PageColumn(
        N_("player"),
        lambda row, reader: (
            PageCell(reader.player(row.line.name, bot=row.bot), "you" if row.own else "text"),
        ),
        "line.name",
        flexible=True,
    ),
    PageColumn(
        N_("rating"),
        lambda row, _: (PageCell(rating_text(row.line.rating, row.line.games), "points"),),
        lambda row: {"rating": row.line.rating, "provisional": row.line.games < views.FIRM_GAMES},
        least=6,
        right=True,
    ),
    PageColumn(
        N_("level"),
        lambda row, _: (PageCell(range_text(row.line.range), "dim"),),
        lambda row: range_record(row.line.range),
        lambda row, reader: rating_facts(row.line.games, row.line.range, reader),
        most=12,
        narrow=0,
        right=True,
        hides=True,
    ),
    PageColumn(
        N_("short/game"),
        lambda row, _: (PageCell(main_lost(row.line)),),
        lambda row: {"points_lost": list(map(skill_record, row.line.skill))},
        lambda row, reader: [
            f"{kind_title(skill, reader)}: {skill_facts(skill, reader)}" for skill in row.line.skill[:1]
        ],
        most=12,
        narrow=0,
        right=True,
        hides=True,
    ),
    PageColumn(
        N_("games"),
        lambda row, _: (PageCell(str(row.line.games), "dim"),),
        "line.games",
        least=6,
        right=True,
    ),
)

LEADERS_PAGE: Final[Page[views.LeadersView, LeaderRow]] = Page(
    keys=LEADERS,
    title=_leaders_title,
    hints=_leaders_hints,
    answer=views.LeadersView,
    sections=_leader_sections,
    columns=_LEADER_COLUMNS,
    below=_below_leaders,
    empty=_leaders_empty,
    actions={
        "open": Action(lambda view, row, typed, reader: Profile(player=row.line.player), row=True, main=True),
        **_PROFILES,
        "next": Action(_next_game),
    },
    help_title=N_("Help: players"),
    help=_HELP,
    opening=_leaders_opening,
    line=lambda view, reader: (
        lambda row: (
            f"{row.line.place:>3}  {row.line.rating:>5}  {reader.player(row.line.name, bot=row.bot)}, "
            f"{_rated_games(row.line.games, reader)}"
        )
    ),
    sentence=_leader_sentence,
    worded=("rank", "player", "rating", "games"),
    closing=_leaders_closing,
    record=_leaders_record,
)


_NEVER_MET: Final = N_("They haven't played at the same table yet, as far as you can see.")


def _name(view: views.ProfileView, reader: Reader) -> str:
    return reader.player(view.name, bot=view.bot)


def _profile_empty(view: views.ProfileView, reader: Reader) -> str:
    gettext = reader.translator.gettext
    if reader.guest and view.you:
        return gettext(
            "Games played as a guest don't count; with an SSH key they do. You can still find your finished "
            "games in the list."
        )
    if view.you:
        return gettext("You haven't finished a game yet.")
    return gettext("There are no games here that you can see.")


def _rating_labels(line: views.RatingLine, reader: Reader) -> list[Run]:
    gettext = reader.translator.gettext
    labels = (
        (gettext("rating {n}", n=line.rating), "points"),
        (gettext("rank {n}", n=line.place) if line.place else "", "text"),
        (_rated_games(line.games, reader), "dim"),
        *((fact, "text") for fact in rating_facts(line.games, line.range, reader)),
    )
    return [label for label in labels if label[0]]


def _score_labels(score: views.ScoreLine, reader: Reader) -> list[Run]:
    """Return how many games, how many won, the points on average, and the best."""
    ngettext, percent = reader.translator.ngettext, round(100 * score.wins / score.games)
    return [
        (ngettext("{n} game", "{n} games", score.games), "text"),
        (ngettext("{n} won ({percent}%)", "{n} won ({percent}%)", score.wins, percent=percent), "text"),
        (ngettext("{n} point on average", "{n} points on average", round(score.mean)), "text"),
        *((_best(score.game, best, reader), "dim") for best in score.highlights),
    ]


def _best(game: str, best: views.Highlight, reader: Reader) -> str:
    """Return the most that a player made of something; the game's name only while the game is kept."""
    gettext, fact = reader.translator.gettext, reader.fact(game, best.fact)
    if not best.game:
        return gettext("{fact}: {value}", fact=fact, value=best.value)
    return gettext("{fact}: {value} in {game}", fact=fact, value=best.value, game=best.game)


def _met(view: views.ProfileView, met: views.HeadToHead, reader: Reader) -> str:
    """Return how the two of `view` did in games of one kind: how many, and who was ahead how often."""
    gettext, level = reader.translator.gettext, met.games - met.ahead - met.behind
    return " ".join(
        (
            reader.translator.ngettext(
                "{n} game at the same table.", "{n} games at the same table.", met.games
            ),
            gettext("{name} finished ahead: {n}.", name=view.name, n=met.ahead),
            gettext("{name} finished ahead: {n}.", name=view.against, n=met.behind),
            gettext("Tied: {n}.", n=level) if level else "",
        )
    ).strip()


class _ProfilePart(NamedTuple):
    """A heading and its lines: titles with facts. In the shell `joint` stands between them."""

    heading: str
    lines: Sequence[tuple[str, Sequence[Run]]]
    joint: str = ": "
    indent: int = 0
    """How far the facts stand below the title, 0 behind it."""


def _profile_parts(view: views.ProfileView, reader: Reader) -> Iterator[_ProfilePart]:
    gettext = reader.translator.gettext
    yield _ProfilePart(
        gettext("rating").upper(),
        [(reader.title(line.game), _rating_labels(line, reader)) for line in view.ratings],
    )
    yield _ProfilePart(
        gettext("points short").upper(),
        [(kind_title(skill, reader), [(skill_facts(skill, reader), "text")]) for skill in view.skill],
    )
    yield _ProfilePart(
        gettext("games").upper(),
        [(reader.title(score.game, score.options), _score_labels(score, reader)) for score in view.scores],
        indent=2,
    )
    yield _ProfilePart(
        gettext("against bots").upper(),
        [(kind_title(goal, reader), [(goal_text(goal, reader), "text")]) for goal in view.goals],
        ", ",
    )
    if view.streak:
        yield _ProfilePart("", [("", [(streak_text(view.streak, reader), "text")])])
    if view.against:
        met = [(reader.title(met.game), [(_met(view, met, reader), "text")]) for met in view.head_to_head]
        yield _ProfilePart(
            gettext("against {name}", name=view.against),
            met or [("", [(gettext(_NEVER_MET), "text")])],
            indent=2,
        )


def _profile_text(view: views.ProfileView, reader: Reader) -> Sequence[PageParagraph]:
    shown = [] if view.scores else [PageParagraph(), PageParagraph([(_profile_empty(view, reader), "text")])]
    for heading, lines, _, indent in _profile_parts(view, reader):
        shown += [PageParagraph()] * bool(lines)
        shown += [PageParagraph([(heading, "heading")])] * bool(heading and lines)
        for title, alike in groupby(lines, lambda line: line[0]):
            name, facts = [(title, "name")] * bool(title), [each for _, each in alike]
            if indent:
                shown += [PageParagraph(name)] * bool(name)
                shown += [PageParagraph(labels, indent * bool(name)) for labels in facts]
            else:
                shown.append(PageParagraph([*name, *chain(*facts)]))
    return shown[1:]


def _profile_lines(view: views.ProfileView, reader: Reader) -> Iterator[str]:
    """Yield a line for each rating, each kind of game and each game played together."""
    yield _name(view, reader)
    if not view.scores:
        yield reader.translator.gettext("There are no games here that you can see.")
    for _, lines, joint, _ in _profile_parts(view, reader):
        for title, labels in lines:
            yield joint.join(filter(None, (title, ", ".join(text for text, _ in labels))))


def _profile_record(view: views.ProfileView, reader: Reader) -> Mapping[str, object]:
    """Return name, bot, you (it is the reader's own), scores, ratings, against ("" for nobody) and meetings.

    `wins` count shared ones, `mean` is that of the totals; `bests` name a fact in the game's own word. `place` is null
    far down. Meetings count the games in which this player was ahead of the other, or behind. Ratings and points_lost
    are as `top` has them. Goals are the games against each bot: the margin is the largest by which the player did
    better, best the most of the game's first fact. streak: the reader's days in a row with a finished game, up to now.
    """
    return {
        "name": view.name,
        "bot": view.bot,
        "you": view.you,
        "scores": [
            {
                "game": line.game,
                "options": line.options,
                "games": line.games,
                "wins": line.wins,
                "mean": round(line.mean, 2),
                "bests": list(map(asdict, line.highlights)),
            }
            for line in view.scores
        ],
        "ratings": [
            {
                "game": line.game,
                "rating": line.rating,
                "games": line.games,
                **range_record(line.range),
                "provisional": line.games < views.FIRM_GAMES,
                "place": line.place or None,
            }
            for line in view.ratings
        ],
        "points_lost": list(map(skill_record, view.skill)),
        "goals": list(map(asdict, view.goals)),
        "streak": view.streak,
        "against": view.against,
        "meetings": list(map(asdict, view.head_to_head)),
    }


def _open_games(view: views.ProfileView | None, row: object, typed: str, reader: Reader) -> Open | None:
    if view is None:
        return None
    name = f"{BOT}{view.name}" if view.bot else view.name
    return Open(HISTORY_PAGE, History("mine") if view.you else History("player", name))


def _compare(view: views.ProfileView | None, row: object, typed: str, reader: Reader) -> Profile | None:
    if view is None:
        return None
    return Profile("" if view.player else view.name, player=view.player, against=typed)


def _not_found(view: views.ProfileView, asked: Command, reader: Reader) -> str:
    if not isinstance(asked, Profile) or not asked.against or view.against:
        return ""
    return reader.translator.gettext("There is no player called {name} to compare with.", name=asked.against)


PROFILE_PAGE: Final[Page[views.ProfileView, object]] = Page(
    keys=PROFILE,
    title=lambda view, reader: (
        ("",)
        if view is None
        else (_name(view, reader), reader.translator.gettext("your own games") if view.you else "")
    ),
    hints=lambda view, reader: (
        *("games", "player", "against"),
        *(() if view is not None and view.you else ("mine",)),
        *("actions", "help", "back"),
    ),
    answer=views.ProfileView,
    text=_profile_text,
    note=_not_found,
    actions={
        "games": Action(_open_games),
        **_PROFILES,
        "against": Action(_compare, ask=Question(N_("Compare with"), _MAX_NAME, (Profile.__name__,))),
    },
    help_title=N_("Help: players"),
    help=_HELP,
    opening=_profile_lines,
    record=_profile_record,
)
