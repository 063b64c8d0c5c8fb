"""What a person is told when they arrive, when others invite or report, and when the host speaks.

The host's last notices stay readable in the chat history.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.accounts import Ignored, Invitations, Invited, PeopleUpdate, Reported
from cartino_protocol.notices import HOST_MARK, Announced
from cartino_protocol.text import N_, LazyMessage, legible
from cartino_protocol.views import Left, Mine, NameChangeReason, Welcome
from cartino_tui.draw.text import clean
from cartino_tui.i18n import Translator
from cartino_tui.visit.state import ClientState


def people_update_message(
    answer: PeopleUpdate, before: ClientState, after: ClientState, translator: Translator
) -> str:
    """What `answer`, which made `after` of what was known before, is to be told as; "" for nothing new."""
    match answer:
        case Invitations():
            return _new_invitation(before, after, translator)
        case Invited():
            return _invitation_sent(answer, translator)
        case Ignored():
            return ignored_message(before, after, translator)
        case Reported(name=name):
            return translator.gettext("The host will read what {name} said.", name=clean(name))


def ignored_message(before: ClientState, after: ClientState, translator: Translator) -> str:
    """Whom one hears no more of, or again, since `before`; "" where it was not known whom one ignored then."""
    if before.ignored is None or after.ignored is None:
        return ""
    for person in after.ignored:
        if person.who not in {each.who for each in before.ignored}:
            return translator.gettext("You hear no more of {name}.", name=clean(person.name))
    for person in before.ignored:
        if person.who not in {each.who for each in after.ignored}:
            return translator.gettext("You hear {name} again.", name=clean(person.name))
    return ""


def _new_invitation(before: ClientState, after: ClientState, translator: Translator) -> str:
    fresh = [line for line in after.invitations if line not in before.invitations]
    if not fresh:
        return ""
    newest = fresh[-1]
    if after.room is None:
        return translator.gettext(
            "{name} invites you to {code}: i answers.", name=clean(newest.name), code=clean(newest.code)
        )
    return translator.gettext(
        "{name} invites you to {code}: in the lobby, i answers.",
        name=clean(newest.name),
        code=clean(newest.code),
    )


def _invitation_sent(invited: Invited, translator: Translator) -> str:
    if invited.here:
        return translator.gettext("{name} was told.", name=clean(invited.name))
    return translator.gettext(
        "{name} is not here; they will be told when they come.", name=clean(invited.name)
    )


NOTICE_SECONDS: Final = 60.0
"""How long it stands there for somebody who types nothing."""
MAX_KEPT_NOTICES: Final = 5
"""Words that can be read again where all is that was said."""


class KeptNotice(msgspec.Struct, frozen=True):
    """What was `said` when somebody stood at the table `code`, "" for none, behind the line `after` of its talk."""

    said: Announced
    code: str
    after: int


class ServerNotices:
    """What all screens of an app show of it, whichever is in front."""

    __slots__ = ("_kept", "_said")

    def __init__(self) -> None:
        """Nothing was said."""
        self._said: Announced | None = None
        self._kept: tuple[KeptNotice, ...] = ()

    def hear(
        self,
        said: Announced,
        known: ClientState,
        after: Callable[[float, Callable[[], None]], object],
        redraw: Callable[[], object],
    ) -> None:
        """The host says something new to somebody who knows `known`.

        `after(seconds, call)` calls when it was to be seen for long enough.
        """
        self._said = said
        word = KeptNotice(said, "" if known.room is None else known.room.code, _newest_chat_line(known))
        # Whoever goes on talking while they are muted is told the same reason each time.
        self._kept = (*(each for each in self._kept if each.said != said), word)[-MAX_KEPT_NOTICES:]
        after(NOTICE_SECONDS, partial(self._drop, said, redraw))

    def read(self) -> None:
        """Whoever types has seen it."""
        self._said = None

    def kept(self, code: str, translator: Translator) -> list[tuple[int, str]]:
        """What was said last, fit for drawing, each behind the number of the line of `code` that it stands below.

        0 for what was said before somebody came to that table.
        """
        return [
            (each.after if each.code == code else 0, clean(notice_line(each.said, translator)))
            for each in self._kept
        ]

    def told(self, translator: Translator) -> str:
        """The sentence in `translator` behind the host's mark, fit for drawing; "" for none."""
        return "" if self._said is None else clean(f"{HOST_MARK} {translator.render(self._said.words())}")

    def _drop(self, said: Announced, redraw: Callable[[], object]) -> None:
        if self._said is said:
            self._said = None
            redraw()


def notice_line(said: Announced, translator: Translator) -> str:
    """`said` as a line in `translator` behind the host's mark, fit for a terminal whatever house it came from."""
    safe = msgspec.structs.replace(said, text=printable(said.text), until=printable(said.until))
    return f"{HOST_MARK} {translator.render(safe.words())}"


def printable(text: str) -> str:
    """`text` without what a terminal obeys, and what turns or covers letters."""
    return legible(text)


def _newest_chat_line(known: ClientState) -> int:
    """The number of the last line of talk, or notice, that somebody has heard of."""
    heard = () if known.heard is None else (known.heard.lines, known.heard.notices)
    return max((each[-1].n for each in heard if each), default=0)


LEFT_MESSAGES: Final[Mapping[str, str]] = {
    "left": "",
    "closed": N_("The table was closed."),
    "broken": N_("Sorry: something broke at that table, so it was closed. The others go on."),
    "host": N_("The host has closed that table."),
    "moved": N_("Your seat is at your other terminal now; Enter brings it back here."),
}
"""Why one is back in the lobby, by what the house says."""
HOST_CLOSED: Final = N_("The host has closed that table: {text}")
WELCOME_BACK: Final = N_("Welcome back.")
RECONNECTED: Final = N_("The line is back.")
TABLE_NOT_NEW: Final = N_("You are back at your table; n in the lobby opens another.")
TABLE_GONE: Final = N_("You are who you were, but no table waits for you any more.")


TABLE_KEPT: Final = N_("Your table {code} is kept, but {game} can't be played here now. Ask the host.")


NAME_CHANGED: Final[Mapping[NameChangeReason, str]] = {
    "name-taken": N_("You are {name} here: {missed} is somebody else's name, or looks like one."),
    "bad-name": N_(
        "You are {name} here: {missed} is no name of 2 to 16 letters (wide ones count twice) or digits with - _ . ' "
        "between them."
    ),
    "mixed-name": N_("You are {name} here: {missed} is written in several scripts."),
    "house-name": N_('"{missed}" is reserved, so you are playing as {name}.'),
}
"""Why one is called otherwise than one asked to be, by what the house says."""


def name_change_message(welcome: Welcome) -> LazyMessage:
    """Why one is called otherwise than one asked to be."""
    named = {"missed": printable(welcome.missed), "name": printable(welcome.name)}
    return LazyMessage(NAME_CHANGED[welcome.missed_for], named)


def kept_tables_message(mine: Mine, translator: Translator) -> str:
    """Say which of one's tables wait for a game that is not installed; "" where there are none."""
    return " ".join(
        translator.gettext(TABLE_KEPT, code=code, game=printable(game)) for code, game in mine.kept
    )


def left_message(left: Left) -> LazyMessage:
    """Why one is back in the lobby; an empty sentence where one wanted to be."""
    if left.why == "host" and left.text:
        return LazyMessage(HOST_CLOSED, {"text": printable(left.text)})
    return LazyMessage(LEFT_MESSAGES[left.why])
