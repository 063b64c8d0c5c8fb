"""The help on people: who leads, what somebody has played, who has invited one."""

from cartino_tui.keys import INVITATIONS, LEADERS, PROFILE, KeyTable
from cartino_tui.screens.base import HintRow
from cartino_tui.screens.help import keys_said, now_help
from cartino_tui.screens.help_drawing import HelpModel, HelpPart
from cartino_tui.tongue import Tongue


def people_help(tongue: Tongue, table: KeyTable, hints: HintRow) -> HelpModel:
    """The help of somebody who looks at the ratings or at a profile, and may do what `hints` of `table` say."""
    say = tongue.say
    ratings = say(
        "A rating is what somebody almost certainly plays as well as: it begins at 1000, rises by games against those "
        "who play well, and is worth more the more games it stands on. People move each other's ratings alone, at "
        "tables that stand in the lobby, in games that come to their end. Bots are measured against everybody at "
        "their tables, and move nobody's rating. Guests have none."
    )
    told = say(
        "Games at private tables are counted in your own profile, and told to nobody who was not there. "
        "Games that were left before their end count nowhere."
    )
    return HelpModel(
        say("Help: people"),
        (
            *now_help(table, hints, tongue),
            HelpPart(say("Ratings"), text=ratings),
            HelpPart(say("Private tables"), text=told),
            HelpPart(say("In the list of ratings"), keys_said(LEADERS.help(), tongue)),
            HelpPart(say("In a profile"), keys_said(PROFILE.help(), tongue)),
            HelpPart(say("In your invitations"), keys_said(INVITATIONS.help(), tongue)),
        ),
    )
