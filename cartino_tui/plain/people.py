"""Profiles and ratings in lines, for whoever has no screen for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cartino_protocol.views import Leader, LeadersView, ProfileView, RatingLine, ScoreLine
from cartino_tui.meetings import best_words, meeting_words, never_met
from cartino_tui.tongue import Tongue


class Naming(NamedTuple):
    """What games call things: a game and its options in a few words, and the best of something (by its game)."""

    title: Callable[[str, Mapping[str, str]], str]
    fact: Callable[[str, str], str]


def profile_lines(view: ProfileView, naming: Naming, tongue: Tongue) -> list[str]:
    """A line a rating, a kind of game and a game played together, for people who read `tongue`."""
    name = tongue.say("bot {name}", name=view.name) if view.bot else view.name
    lines = [name, *(_rating_line(line, naming, tongue) for line in view.ratings)]
    lines += [_score_line(line, naming, tongue) for line in view.scores]
    if not view.scores:
        lines.append(tongue.say("There is no game here that you may see."))
    if view.against:
        lines += _met(view, naming, tongue)
    return lines


def leaders_lines(view: LeadersView, title: str, others: str, tongue: Tongue) -> list[str]:
    """The game's title, then a line a player, best first, then the bots, then one's own place.

    `others` says how to ask for the ratings of another game, "" where there is none.
    """
    lines = [f"{title} ({others})" if others else title]
    if not (view.people or view.bots):
        return [*lines, tongue.say("Nobody has a rating here yet.")]
    lines += _list(view.people, "{name}", tongue)
    lines += _list(view.bots, tongue.say("bot {name}"), tongue)
    return lines + _own_place(view, tongue)


def leaders_spoken(view: LeadersView, title: str, others: str, tongue: Tongue) -> list[str]:
    """The same in sentences, for who hears them: places that begin anew with the bots are said to."""
    lines = [tongue.say("Ratings of {game}.", game=title)]
    if others:
        lines.append(others)
    if not (view.people or view.bots):
        return [*lines, tongue.say("Nobody has a rating here yet.")]
    lines += [_spoken(line, line.name, tongue) for line in view.people]
    if view.bots:
        lines.append(tongue.say("Bots are measured apart."))
        lines += [_spoken(line, tongue.say("bot {name}", name=line.name), tongue) for line in view.bots]
    return lines + _own_place(view, tongue)


def _own_place(view: LeadersView, tongue: Tongue) -> list[str]:
    if view.you is None or not view.you.place:
        return []
    return [tongue.say("Your place: {place}, with {rating}.", place=view.you.place, rating=view.you.rating)]


def _spoken(line: Leader, name: str, tongue: Tongue) -> str:
    games = tongue.count("{n} rated game", "{n} rated games", line.games)
    return tongue.say(
        "Place {place}: {name}, rating {rating}, {games}.",
        place=line.place,
        name=name,
        rating=line.rating,
        games=games,
    )


def _list(leaders: Sequence[Leader], called: str, tongue: Tongue) -> Iterator[str]:
    for line in leaders:
        games = tongue.count("{n} rated game", "{n} rated games", line.games)
        yield f"{line.place:>3}  {line.rating:>5}  {called.format(name=line.name)}, {games}"


def _rating_line(line: RatingLine, naming: Naming, tongue: Tongue) -> str:
    games = tongue.count("{n} rated game", "{n} rated games", line.games)
    told = [tongue.say("rating {n}", n=line.rating), games]
    if line.place:
        told.insert(1, tongue.say("place {n}", n=line.place))
    return f"{naming.title(line.game, {})}: {', '.join(told)}"


def _score_line(line: ScoreLine, naming: Naming, tongue: Tongue) -> str:
    percent = round(100 * line.wins / line.games)
    told = [
        tongue.count("{n} game", "{n} games", line.games),
        tongue.count("{n} won ({percent} %)", "{n} won ({percent} %)", line.wins, percent=percent),
        tongue.count("{n} point on average", "{n} points on average", round(line.mean)),
    ]
    for best in line.bests:
        fact = naming.fact(line.game, best.fact)
        told.append(best_words(best, fact, tongue))
    return f"{naming.title(line.game, line.options)}: {', '.join(told)}"


def _met(view: ProfileView, naming: Naming, tongue: Tongue) -> Iterator[str]:
    if not view.meetings:
        yield never_met(tongue)
    for met in view.meetings:
        yield f"{naming.title(met.game, {})}: {meeting_words(view, met, tongue)}"
