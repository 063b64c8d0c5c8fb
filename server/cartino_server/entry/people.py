"""Profiles and ratings as `ssh host profile` and `ssh host top` print them."""

from collections.abc import Iterator, Sequence

import msgspec

from cartino_protocol.views import Leader, LeadersView, Meeting, ProfileView, RatingLine, ScoreLine
from cartino_tui.games.registry import PLUGS
from cartino_tui.tongue import ENGLISH, Tongue


def profile_as_json(view: ProfileView) -> str:
    """An object: name, bot, you (it is one's own), scores, ratings, against, meetings.

    Each of `scores` has game, options, games, wins (also shared ones), mean (of the totals), bests: a list of fact
    (the game's own word, as "turn"), value, and game (its name). `ratings` have game, rating, games (rated ones),
    place (null: far down). `meetings` are with the player called `against` ("" for none): game, games, and in how
    many of them this one was ahead, or behind.
    """
    told = {
        "name": view.name,
        "bot": view.bot,
        "you": view.you,
        "scores": [_score(line) for line in view.scores],
        "ratings": [
            {"game": line.game, "rating": line.rating, "games": line.games, "place": line.place or None}
            for line in view.ratings
        ],
        "against": view.against,
        "meetings": [
            {"game": met.game, "games": met.games, "ahead": met.ahead, "behind": met.behind}
            for met in view.meetings
        ],
    }
    return _json(told)


def leaders_as_json(view: LeadersView) -> str:
    """An object: game, people and bots (lists, best first), you (null where one has no rating).

    Each line has place (null: far down), name, rating and games (rated ones). Equal ratings share a place.
    """
    you = None if view.you is None else _leader(view.you)
    people, bots = ([_leader(line) for line in lines] for lines in (view.people, view.bots))
    return _json({"game": view.game, "people": people, "bots": bots, "you": you})


def profile_as_text(view: ProfileView, tongue: Tongue = ENGLISH) -> str:
    """A line a rating, a kind of game and a game played together, for people who read `tongue`."""
    name = tongue.say("bot {name}", name=view.name) if view.bot else view.name
    lines = [name, *(_rating_line(line, tongue) for line in view.ratings)]
    lines += [_score_line(line, tongue) for line in view.scores]
    if not view.scores:
        lines.append(tongue.say("There is no game here that you may see."))
    if view.against:
        lines += _met(view, tongue)
    return "".join(f"{line}\n" for line in lines)


def leaders_as_text(view: LeadersView, tongue: Tongue = ENGLISH) -> str:
    """A line a player, best first, then the bots, then one's own place, for people who read `tongue`."""
    if not (view.people or view.bots):
        return tongue.say("Nobody has a rating here yet.") + "\n"
    lines = list(_list(view.people, "{name}", tongue))
    lines += _list(view.bots, tongue.say("bot {name}"), tongue)
    if view.you is not None and view.you.place:
        lines.append(
            tongue.say("Your place: {place}, with {rating}.", place=view.you.place, rating=view.you.rating)
        )
    return "".join(f"{line}\n" for line in lines)


def _list(leaders: Sequence[Leader], called: str, tongue: Tongue) -> Iterator[str]:
    for line in leaders:
        games = tongue.count("{n} rated game", "{n} rated games", line.games)
        yield f"{line.place:>3}  {line.rating:>5}  {called.format(name=line.name)}, {games}"


def _rating_line(line: RatingLine, tongue: Tongue) -> str:
    games = tongue.count("{n} rated game", "{n} rated games", line.games)
    told = [f"{_title(line.game)}: {line.rating}", games]
    if line.place:
        told.insert(1, tongue.say("place {n}", n=line.place))
    return ", ".join(told)


def _score_line(line: ScoreLine, tongue: Tongue) -> str:
    plug = PLUGS.get(line.game)
    options = " ".join(line.options.values()) if plug is None else plug.options_line(line.options)
    percent = round(100 * line.wins / line.games)
    told = [
        tongue.count("{n} game", "{n} games", line.games),
        tongue.count("{n} won ({percent} %)", "{n} won ({percent} %)", line.wins, percent=percent),
        tongue.count("{n} point on average", "{n} points on average", round(line.mean)),
    ]
    for best in line.bests:
        fact = best.fact if plug is None else plug.fact(best.fact, tongue)
        told.append(tongue.say("{fact}: {value} in {game}", fact=fact, value=best.value, game=best.game))
    return f"{_title(line.game)} {options}: {', '.join(told)}"


def _met(view: ProfileView, tongue: Tongue) -> Iterator[str]:
    if not view.meetings:
        yield tongue.say("They have not played at the same table yet, as far as you may see.")
    for met in view.meetings:
        yield f"{_title(met.game)}: {_meeting(view, met, tongue)}"


def _meeting(view: ProfileView, met: Meeting, tongue: Tongue) -> str:
    level = met.games - met.ahead - met.behind
    return " ".join(
        (
            tongue.count("{n} game at the same table.", "{n} games at the same table.", met.games),
            tongue.say("{name} was ahead: {n}.", name=view.name, n=met.ahead),
            tongue.say("{name} was ahead: {n}.", name=view.against, n=met.behind),
            tongue.say("As many points: {n}.", n=level) if level else "",
        )
    ).strip()


def _title(game: str) -> str:
    plug = PLUGS.get(game)
    return game if plug is None else plug.title


def _score(line: ScoreLine) -> dict[str, object]:
    return {
        "game": line.game,
        "options": line.options,
        "games": line.games,
        "wins": line.wins,
        "mean": round(line.mean, 2),
        "bests": [{"fact": best.fact, "value": best.value, "game": best.game} for best in line.bests],
    }


def _leader(line: Leader) -> dict[str, object]:
    return {"place": line.place or None, "name": line.name, "rating": line.rating, "games": line.games}


def _json(told: object) -> str:
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
