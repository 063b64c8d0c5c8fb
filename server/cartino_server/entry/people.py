"""Profiles and ratings as `ssh host profile` and `ssh host top` print them."""

from collections.abc import Mapping
from functools import partial

import msgspec

from cartino_games.registry import installed
from cartino_protocol.views import Leader, LeadersView, ProfileView, ScoreLine
from cartino_tui.games.description import fact_of, titled
from cartino_tui.plain.people import Naming, leaders_lines, profile_lines
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
    """An object: game, other_games (for `top --game`), people and bots (lists, best first), you (null: no rating).

    Each line has place (null: far down), name, rating and games (rated ones). Equal ratings share a place.
    """
    you = None if view.you is None else _leader(view.you)
    people, bots = ([_leader(line) for line in lines] for lines in (view.people, view.bots))
    others = _others(view.game)
    return _json({"game": view.game, "other_games": others, "people": people, "bots": bots, "you": you})


def profile_as_text(view: ProfileView, tongue: Tongue = ENGLISH) -> str:
    """A line a rating, a kind of game and a game played together, for people who read `tongue`."""
    return "".join(
        f"{line}\n"
        for line in profile_lines(view, Naming(partial(_title, tongue), partial(_fact, tongue)), tongue)
    )


def leaders_as_text(view: LeadersView, tongue: Tongue = ENGLISH) -> str:
    """The game and how to ask for others, then a line a player, best first, then the bots, then one's own place."""
    names = "|".join(_others(view.game))
    others = tongue.say("other games: top --game {names}", names=names) if names else ""
    return "".join(f"{line}\n" for line in leaders_lines(view, _title(tongue, view.game, {}), others, tongue))


def _others(game: str) -> list[str]:
    return [name for name in installed().rules if name != game]


def _title(tongue: Tongue, game: str, options: Mapping[str, str]) -> str:
    return titled(installed().speeches, game, options, tongue)


def _fact(tongue: Tongue, game: str, fact: str) -> str:
    return fact_of(installed().speeches, game, fact, tongue)


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
