"""Other people: invitations to tables, and the people that the reader has muted. Both pages update live."""

from typing import Final

from cartino_protocol.accounts import IgnoredPerson, Invitation
from cartino_protocol.commands import Decline, Ignore, Join, Watch
from cartino_protocol.text import N_
from cartino_tui.draw.text import clean
from cartino_tui.keys import IGNORED, INVITATIONS
from cartino_tui.pages.page import Action, Page, PageCell, PageColumn, PageSection, Question

_MAX_NAME: Final = 40

Invited = tuple[Invitation, ...]
Muted = tuple[IgnoredPerson, ...]

INVITATIONS_PAGE: Final[Page[Invited, Invitation]] = Page(
    keys=INVITATIONS,
    title=lambda view, reader: (reader.translator.gettext("Invitations"),),
    hints=lambda view, reader: (
        *(("join", "watch", "decline", "ignore") if view else ()),
        *("actions", "back"),
    ),
    live=lambda known: known.invitations,
    sections=lambda view: (PageSection(view),),
    identity=lambda line: line.code,
    columns=(
        PageColumn(
            "",
            lambda line, reader: (
                PageCell(
                    reader.translator.gettext(
                        "{name} invites you to {code}: {game}",
                        name=clean(line.name),
                        code=line.code,
                        game=reader.title(line.game),
                    )
                ),
            ),
            "name code game",
            flexible=True,
        ),
    ),
    second=lambda line, reader: (),
    empty=lambda view, waiting, reader: reader.translator.gettext(
        N_("No invitations. At your own table, type invite and a name to invite someone.")
        if reader.spoken
        else N_("No invitations. To invite others, press i at your own table.")
    ),
    actions={
        "join": Action(lambda view, line, typed, reader: Join(line.code), row=True, main=True),
        "watch": Action(lambda view, line, typed, reader: Watch(line.code), row=True),
        "decline": Action(lambda view, line, typed, reader: Decline(line.code), row=True, awaited=False),
        "ignore": Action(
            lambda view, line, typed, reader: Decline(line.code, for_good=True),
            row=True,
            awaited=False,
            confirm=lambda line, reader: reader.translator.gettext(
                "Mute {name}, at tables too?", name=clean(line.name)
            ),
        ),
    },
)

MUTED_PAGE: Final[Page[Muted, IgnoredPerson]] = Page(
    keys=IGNORED,
    title=lambda view, reader: (
        reader.translator.gettext("Muted players"),
        str(len(view)) if view else "",
    ),
    hints=lambda view, reader: (*(("hear",) if view else ()), "ignore", "actions", "back"),
    live=lambda known: known.ignored or (),
    sections=lambda view: (PageSection(view),),
    identity=lambda person: person.who,
    columns=(PageColumn("", lambda person, reader: (PageCell(person.name),), "name", flexible=True),),
    empty=lambda view, waiting, reader: reader.translator.gettext(
        N_("You haven't muted anyone. Type ignore and a name to mute someone.")
        if reader.spoken
        else N_("You haven't muted anyone. At a table, press T for the chat log, then x to mute.")
    ),
    actions={
        "hear": Action(
            lambda view, person, typed, reader: Ignore(person.who, person.name, on=False),
            row=True,
            awaited=False,
        ),
        "ignore": Action(
            lambda view, person, typed, reader: Ignore(name=typed),
            ask=Question(N_("Mute whom?"), _MAX_NAME, (Ignore.__name__,)),
            awaited=False,
        ),
    },
)
