"""The sentences about an account, for its screen and for plain mode."""

from collections.abc import Sequence

from cartino_protocol.account import AccountView
from cartino_protocol.marking import N_
from cartino_tui.tongue import Tongue


def deleted_words() -> str:
    """Return the sentence that confirms a deletion, in English."""
    return N_("Your account is deleted. Your key now starts a new account.")


def account_lines(view: AccountView, tongue: Tongue) -> Sequence[str]:
    """What is kept of a person and for how long, a line each, for people who read `tongue`."""
    say, count = tongue.say, tongue.count
    if view.done == "deleted":
        return [say(deleted_words())]
    if view.guest:
        return [
            say("You are a guest, {name}: nothing is kept of you beyond your resume code.", name=view.name)
        ]
    none = say("none")
    ratings = (f"{line.game} {line.rating}" for line in view.ratings)
    return [
        say("Name: {name}, kept for a year after your last visit", name=view.name),
        say("Keys: {keys}", keys=", ".join(view.keys)),
        count(
            "{n} finished game, kept as long as the host keeps games",
            "{n} finished games, kept as long as the host keeps games",
            view.games,
        ),
        say("Ratings, and a profile of the games that count: {ratings}", ratings=", ".join(ratings) or none),
        count("{n} setting", "{n} settings", view.settings),
        say("People you ignore: {names}", names=", ".join(view.ignored) or none),
        say("Invitations: {codes}", codes=", ".join(view.invitations) or none),
        say("Tables where you have a seat: {codes}", codes=", ".join(view.tables) or none),
        count(
            "{n} line of chat, kept until its table closes",
            "{n} lines of chat, kept until their tables close",
            view.chat,
        ),
        count("{n} report by you", "{n} reports by you", view.reports),
        count(
            "{n} report about you, kept until the host closes it",
            "{n} reports about you, kept until the host closes them",
            view.reported,
        ),
        say("All else is kept until you delete your account."),
    ]
