"""How two people did at the same tables, and the most that one made, in words for screens and lines alike."""

from cartino_protocol.views import Best, Meeting, ProfileView
from cartino_tui.tongue import Tongue


def never_met(tongue: Tongue) -> str:
    """What to say where they have not."""
    return tongue.say("They have not played at the same table yet, as far as you may see.")


def meeting_words(view: ProfileView, met: Meeting, tongue: Tongue) -> str:
    """The games of one kind that the two of `view` have played together: how many, and who was ahead how often."""
    level = met.games - met.ahead - met.behind
    return " ".join(
        (
            tongue.count("{n} game at the same table.", "{n} games at the same table.", met.games),
            tongue.say("{name} was ahead: {n}.", name=view.name, n=met.ahead),
            tongue.say("{name} was ahead: {n}.", name=view.against, n=met.behind),
            tongue.say("As many points: {n}.", n=level) if level else "",
        )
    ).strip()


def best_words(best: Best, fact: str, tongue: Tongue) -> str:
    """Say the most that a player has made of something, which is called `fact`; the game only while it is kept."""
    if not best.game:
        return tongue.say("{fact}: {value}", fact=fact, value=best.value)
    return tongue.say("{fact}: {value} in {game}", fact=fact, value=best.value, game=best.game)
