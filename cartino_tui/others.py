"""What is told of other people in a sentence: who invites one, whom one ignores from now on, what was reported."""

from cartino_protocol.neighbours import Ignored, Invitations, Invited, OfOthers, Reported
from cartino_tui.draw.text import clean
from cartino_tui.known import Known
from cartino_tui.tongue import Tongue


def news_of(answer: OfOthers, before: Known, after: Known, tongue: Tongue) -> str:
    """What `answer`, which made `after` of what was known before, is to be told as; "" for nothing new."""
    match answer:
        case Invitations():
            return _fresh(before, after, tongue)
        case Invited():
            return _sent(answer, tongue)
        case Ignored():
            return ignored_news(before, after, tongue)
        case Reported(name=name):
            return tongue.say("The host will read what {name} said.", name=clean(name))


def ignored_news(before: Known, after: Known, tongue: Tongue) -> str:
    """Whom one hears no more of, or again, since `before`; "" where it was not known whom one ignored then."""
    if before.ignored is None or after.ignored is None:
        return ""
    for person in after.ignored:
        if person.who not in {each.who for each in before.ignored}:
            return tongue.say("You hear no more of {name}.", name=clean(person.name))
    for person in before.ignored:
        if person.who not in {each.who for each in after.ignored}:
            return tongue.say("You hear {name} again.", name=clean(person.name))
    return ""


def _fresh(before: Known, after: Known, tongue: Tongue) -> str:
    fresh = [line for line in after.invitations if line not in before.invitations]
    if not fresh:
        return ""
    newest = fresh[-1]
    if after.room is None:
        return tongue.say(
            "{name} invites you to {code}: i answers.", name=clean(newest.name), code=clean(newest.code)
        )
    return tongue.say(
        "{name} invites you to {code}: in the lobby, i answers.",
        name=clean(newest.name),
        code=clean(newest.code),
    )


def _sent(invited: Invited, tongue: Tongue) -> str:
    if invited.here:
        return tongue.say("{name} was told.", name=clean(invited.name))
    return tongue.say("{name} is not here; they will be told when they come.", name=clean(invited.name))
