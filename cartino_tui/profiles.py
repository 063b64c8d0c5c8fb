"""Profiles, ratings, accounts and SSH keys as lines of text, for screens, plain mode and the shell."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cartino_protocol.accounts import AccountView, KeyLine, KeysView
from cartino_protocol.text import N_
from cartino_protocol.views import Best, Leader, LeadersView, Meeting, ProfileView, RatingLine, ScoreLine
from cartino_tui.i18n import Translator
from cartino_tui.visit.farewell import account_deleted_message, key_added_message
from cartino_tui.visit.routes import ShellCommands


def account_lines(view: AccountView, translator: Translator) -> Sequence[str]:
    """What is kept of a person and for how long, a line each, for people who read `translator`."""
    gettext, ngettext = translator.gettext, translator.ngettext
    if view.done == "deleted":
        return [gettext(account_deleted_message())]
    if view.guest:
        return [
            gettext(
                "You are a guest, {name}: nothing is kept of you beyond your resume code.", name=view.name
            )
        ]
    none = gettext("none")
    ratings = (f"{line.game} {line.rating}" for line in view.ratings)
    return [
        gettext("Name: {name}, kept for a year after your last visit", name=view.name),
        gettext("Keys: {keys}", keys=", ".join(view.keys)),
        ngettext(
            "{n} finished game, kept as long as the host keeps games",
            "{n} finished games, kept as long as the host keeps games",
            view.games,
        ),
        gettext(
            "Ratings, and a profile of the games that count: {ratings}", ratings=", ".join(ratings) or none
        ),
        ngettext("{n} setting", "{n} settings", view.settings),
        gettext("People you ignore: {names}", names=", ".join(view.ignored) or none),
        gettext("Invitations: {codes}", codes=", ".join(view.invitations) or none),
        gettext("Tables where you have a seat: {codes}", codes=", ".join(view.tables) or none),
        ngettext(
            "{n} line of chat, kept until its table closes",
            "{n} lines of chat, kept until their tables close",
            view.chat,
        ),
        ngettext("{n} report by you", "{n} reports by you", view.reports),
        ngettext(
            "{n} report about you, kept until the host closes it",
            "{n} reports about you, kept until the host closes them",
            view.reported,
        ),
        gettext("All else is kept until you delete your account."),
    ]


_DATE_LENGTH = 10
"""Characters of a date at the beginning of a time."""


def key_facts(key: KeyLine, translator: Translator) -> Sequence[str]:
    """When a key was added and last used, as far as anybody knows, and whether it is in use here."""
    facts = []
    if key.here:
        facts.append(translator.gettext("in use here"))
    if key.added:
        facts.append(translator.gettext("added {day}", day=key.added[:_DATE_LENGTH]))
    if key.used and not key.here:
        facts.append(translator.gettext("last used {day}", day=key.used[:_DATE_LENGTH]))
    return facts


def key_code_lines(view: KeysView, door: ShellCommands, translator: Translator) -> tuple[str, str]:
    """What to do with the code of `view`, and what to type for it."""
    told = translator.ngettext(
        "Within {n} minute, come with the other key and type this there, once:",
        "Within {n} minutes, come with the other key and type this there, once:",
        view.minutes,
    )
    return told, door.add_key(view.code)


def key_dropped_message() -> str:
    """What is said when a key was dropped, in English."""
    return N_("The key is dropped; whoever comes with it is somebody else.")


def keys_lines(view: KeysView, door: ShellCommands, translator: Translator) -> list[str]:
    """A line a key, behind what was done, for people who read `translator`."""
    lines: list[str] = []
    if view.done == "code":
        lines += key_code_lines(view, door, translator)
    elif view.done:
        lines.append(
            translator.gettext(key_added_message() if view.done == "added" else key_dropped_message())
        )
    return [*lines, *(", ".join((key.fingerprint, *key_facts(key, translator))) for key in view.keys)]


def never_met_message(translator: Translator) -> str:
    """What to say where they have not."""
    return translator.gettext("They have not played at the same table yet, as far as you may see.")


def meeting_line(view: ProfileView, met: Meeting, translator: Translator) -> str:
    """The games of one kind that the two of `view` have played together: how many, and who was ahead how often."""
    level = met.games - met.ahead - met.behind
    return " ".join(
        (
            translator.ngettext("{n} game at the same table.", "{n} games at the same table.", met.games),
            translator.gettext("{name} was ahead: {n}.", name=view.name, n=met.ahead),
            translator.gettext("{name} was ahead: {n}.", name=view.against, n=met.behind),
            translator.gettext("As many points: {n}.", n=level) if level else "",
        )
    ).strip()


def best_line(best: Best, fact: str, translator: Translator) -> str:
    """Say the most that a player has made of something, which is called `fact`; the game only while it is kept."""
    if not best.game:
        return translator.gettext("{fact}: {value}", fact=fact, value=best.value)
    return translator.gettext("{fact}: {value} in {game}", fact=fact, value=best.value, game=best.game)


class GameNames(NamedTuple):
    """What games call things: a game and its options in a few words, and the best of something (by its game)."""

    title: Callable[[str, Mapping[str, str]], str]
    fact: Callable[[str, str], str]


def profile_lines(view: ProfileView, naming: GameNames, translator: Translator) -> list[str]:
    """A line a rating, a kind of game and a game played together, for people who read `translator`."""
    name = translator.gettext("bot {name}", name=view.name) if view.bot else view.name
    lines = [name, *(_rating_line(line, naming, translator) for line in view.ratings)]
    lines += [_score_line(line, naming, translator) for line in view.scores]
    if not view.scores:
        lines.append(translator.gettext("There is no game here that you may see."))
    if view.against:
        lines += _meeting_lines(view, naming, translator)
    return lines


def leaders_lines(view: LeadersView, title: str, others: str, translator: Translator) -> list[str]:
    """The game's title, then a line a player, best first, then the bots, then one's own place.

    `others` says how to ask for the ratings of another game, "" where there is none.
    """
    lines = [f"{title} ({others})" if others else title]
    if not (view.people or view.bots):
        return [*lines, translator.gettext("Nobody has a rating here yet.")]
    lines += _leader_lines(view.people, "{name}", translator)
    lines += _leader_lines(view.bots, translator.gettext("bot {name}"), translator)
    return lines + _own_place_line(view, translator)


def leaders_sentences(view: LeadersView, title: str, others: str, translator: Translator) -> list[str]:
    """The same in sentences, for who hears them: places that begin anew with the bots are said to."""
    lines = [translator.gettext("Ratings of {game}.", game=title)]
    if others:
        lines.append(others)
    if not (view.people or view.bots):
        return [*lines, translator.gettext("Nobody has a rating here yet.")]
    lines += [_leader_sentence(line, line.name, translator) for line in view.people]
    if view.bots:
        lines.append(translator.gettext("Bots are measured apart."))
        lines += [
            _leader_sentence(line, translator.gettext("bot {name}", name=line.name), translator)
            for line in view.bots
        ]
    return lines + _own_place_line(view, translator)


def _own_place_line(view: LeadersView, translator: Translator) -> list[str]:
    if view.you is None or not view.you.place:
        return []
    return [
        translator.gettext(
            "Your place: {place}, with {rating}.", place=view.you.place, rating=view.you.rating
        )
    ]


def _leader_sentence(line: Leader, name: str, translator: Translator) -> str:
    games = translator.ngettext("{n} rated game", "{n} rated games", line.games)
    return translator.gettext(
        "Place {place}: {name}, rating {rating}, {games}.",
        place=line.place,
        name=name,
        rating=line.rating,
        games=games,
    )


def _leader_lines(leaders: Sequence[Leader], called: str, translator: Translator) -> Iterator[str]:
    for line in leaders:
        games = translator.ngettext("{n} rated game", "{n} rated games", line.games)
        yield f"{line.place:>3}  {line.rating:>5}  {called.format(name=line.name)}, {games}"


def _rating_line(line: RatingLine, naming: GameNames, translator: Translator) -> str:
    games = translator.ngettext("{n} rated game", "{n} rated games", line.games)
    told = [translator.gettext("rating {n}", n=line.rating), games]
    if line.place:
        told.insert(1, translator.gettext("place {n}", n=line.place))
    return f"{naming.title(line.game, {})}: {', '.join(told)}"


def _score_line(line: ScoreLine, naming: GameNames, translator: Translator) -> str:
    percent = round(100 * line.wins / line.games)
    told = [
        translator.ngettext("{n} game", "{n} games", line.games),
        translator.ngettext("{n} won ({percent} %)", "{n} won ({percent} %)", line.wins, percent=percent),
        translator.ngettext("{n} point on average", "{n} points on average", round(line.mean)),
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
