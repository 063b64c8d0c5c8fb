"""Profiles and ratings as lines of text, for screens, plain mode and the shell."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cartino_protocol.views import Best, Leader, LeadersView, Meeting, ProfileView, RatingLine, ScoreLine
from cartino_tui.i18n import Translator


def never_met_message(translator: Translator) -> str:
    """What to say where they have not."""
    return translator.say("They have not played at the same table yet, as far as you may see.")


def meeting_line(view: ProfileView, met: Meeting, translator: Translator) -> str:
    """The games of one kind that the two of `view` have played together: how many, and who was ahead how often."""
    level = met.games - met.ahead - met.behind
    return " ".join(
        (
            translator.count("{n} game at the same table.", "{n} games at the same table.", met.games),
            translator.say("{name} was ahead: {n}.", name=view.name, n=met.ahead),
            translator.say("{name} was ahead: {n}.", name=view.against, n=met.behind),
            translator.say("As many points: {n}.", n=level) if level else "",
        )
    ).strip()


def best_line(best: Best, fact: str, translator: Translator) -> str:
    """Say the most that a player has made of something, which is called `fact`; the game only while it is kept."""
    if not best.game:
        return translator.say("{fact}: {value}", fact=fact, value=best.value)
    return translator.say("{fact}: {value} in {game}", fact=fact, value=best.value, game=best.game)


class GameNames(NamedTuple):
    """What games call things: a game and its options in a few words, and the best of something (by its game)."""

    title: Callable[[str, Mapping[str, str]], str]
    fact: Callable[[str, str], str]


def profile_lines(view: ProfileView, naming: GameNames, translator: Translator) -> list[str]:
    """A line a rating, a kind of game and a game played together, for people who read `translator`."""
    name = translator.say("bot {name}", name=view.name) if view.bot else view.name
    lines = [name, *(_rating_line(line, naming, translator) for line in view.ratings)]
    lines += [_score_line(line, naming, translator) for line in view.scores]
    if not view.scores:
        lines.append(translator.say("There is no game here that you may see."))
    if view.against:
        lines += _meeting_lines(view, naming, translator)
    return lines


def leaders_lines(view: LeadersView, title: str, others: str, translator: Translator) -> list[str]:
    """The game's title, then a line a player, best first, then the bots, then one's own place.

    `others` says how to ask for the ratings of another game, "" where there is none.
    """
    lines = [f"{title} ({others})" if others else title]
    if not (view.people or view.bots):
        return [*lines, translator.say("Nobody has a rating here yet.")]
    lines += _leader_lines(view.people, "{name}", translator)
    lines += _leader_lines(view.bots, translator.say("bot {name}"), translator)
    return lines + _own_place_line(view, translator)


def leaders_sentences(view: LeadersView, title: str, others: str, translator: Translator) -> list[str]:
    """The same in sentences, for who hears them: places that begin anew with the bots are said to."""
    lines = [translator.say("Ratings of {game}.", game=title)]
    if others:
        lines.append(others)
    if not (view.people or view.bots):
        return [*lines, translator.say("Nobody has a rating here yet.")]
    lines += [_leader_sentence(line, line.name, translator) for line in view.people]
    if view.bots:
        lines.append(translator.say("Bots are measured apart."))
        lines += [
            _leader_sentence(line, translator.say("bot {name}", name=line.name), translator)
            for line in view.bots
        ]
    return lines + _own_place_line(view, translator)


def _own_place_line(view: LeadersView, translator: Translator) -> list[str]:
    if view.you is None or not view.you.place:
        return []
    return [
        translator.say("Your place: {place}, with {rating}.", place=view.you.place, rating=view.you.rating)
    ]


def _leader_sentence(line: Leader, name: str, translator: Translator) -> str:
    games = translator.count("{n} rated game", "{n} rated games", line.games)
    return translator.say(
        "Place {place}: {name}, rating {rating}, {games}.",
        place=line.place,
        name=name,
        rating=line.rating,
        games=games,
    )


def _leader_lines(leaders: Sequence[Leader], called: str, translator: Translator) -> Iterator[str]:
    for line in leaders:
        games = translator.count("{n} rated game", "{n} rated games", line.games)
        yield f"{line.place:>3}  {line.rating:>5}  {called.format(name=line.name)}, {games}"


def _rating_line(line: RatingLine, naming: GameNames, translator: Translator) -> str:
    games = translator.count("{n} rated game", "{n} rated games", line.games)
    told = [translator.say("rating {n}", n=line.rating), games]
    if line.place:
        told.insert(1, translator.say("place {n}", n=line.place))
    return f"{naming.title(line.game, {})}: {', '.join(told)}"


def _score_line(line: ScoreLine, naming: GameNames, translator: Translator) -> str:
    percent = round(100 * line.wins / line.games)
    told = [
        translator.count("{n} game", "{n} games", line.games),
        translator.count("{n} won ({percent} %)", "{n} won ({percent} %)", line.wins, percent=percent),
        translator.count("{n} point on average", "{n} points on average", round(line.mean)),
    ]
    for best in line.bests:
        fact = naming.fact(line.game, best.fact)
        told.append(best_line(best, fact, translator))
    return f"{naming.title(line.game, line.options)}: {', '.join(told)}"


def _meeting_lines(view: ProfileView, naming: GameNames, translator: Translator) -> Iterator[str]:
    if not view.meetings:
        yield never_met_message(translator)
    for met in view.meetings:
        yield f"{naming.title(met.game, {})}: {meeting_line(view, met, translator)}"
