"""Messages about arriving, other people, the host and hints.

The host's last notices stay readable in the chat history. No game that counts for ratings has hints.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from cartino_protocol.accounts import Ignored, Invitations, Invited, PeopleUpdate, Reported
from cartino_protocol.notices import HOST_MARK, NOTICES, Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, legible
from cartino_protocol.views import Left, Mine, NameChangeReason, TableView, Welcome
from cartino_tui.draw.text import clean
from cartino_tui.i18n import Translator
from cartino_tui.preferences import Settings
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState

_NO_TABLE: Final = N_("There is no table {detail}. `ssh HOST games` lists the tables.")


def people_update_message(
    answer: PeopleUpdate, before: ClientState, after: ClientState, translator: Translator
) -> str:
    """Return what to tell of `answer`, which turned the state `before` into `after`; "" for nothing new."""
    match answer:
        case Invitations():
            return _new_invitation(before, after, translator)
        case Invited(name=name, here=True):
            return translator.gettext("Invitation sent to {name}.", name=clean(name))
        case Invited(name=name):
            return translator.gettext(
                "{name} isn't here, but will see the invitation on the next visit.", name=clean(name)
            )
        case Ignored():
            return ignored_message(before, after, translator)
        case Reported(name=name):
            return translator.gettext("{name}'s message was reported to the host.", name=clean(name))


def ignored_message(before: ClientState, after: ClientState, translator: Translator) -> str:
    """Return who was muted or unmuted since `before`; "" while the list of muted people was not known."""
    if before.ignored is None or after.ignored is None:
        return ""
    for person in after.ignored:
        if person.who not in {each.who for each in before.ignored}:
            return translator.gettext("{name} is muted.", name=clean(person.name))
    for person in before.ignored:
        if person.who not in {each.who for each in after.ignored}:
            return translator.gettext("You've unmuted {name}.", name=clean(person.name))
    return ""


def _new_invitation(before: ClientState, after: ClientState, translator: Translator) -> str:
    fresh = [line for line in after.invitations if line not in before.invitations]
    if not fresh:
        return ""
    newest = fresh[-1]
    if after.table is None:
        return translator.gettext(
            "{name} invites you to {code}. Press i to answer.",
            name=clean(newest.name),
            code=clean(newest.code),
        )
    return translator.gettext(
        "{name} invites you to {code}. In the lobby, press i to answer.",
        name=clean(newest.name),
        code=clean(newest.code),
    )


NOTICE_SECONDS: Final = 60.0
"""Seconds that a notice is shown to a person who types nothing."""
MAX_KEPT_NOTICES: Final = 5
"""Notices that stay readable in the chat history."""


class KeptNotice(msgspec.Struct, frozen=True):
    """What the host `said` while the person was at the table `code` ("" for none), after chat line `after`."""

    said: Announced
    code: str
    after: int


class ServerNotices:
    """What the host said: the newest notice, until it is read, and the last few."""

    __slots__ = ("_kept", "_said")

    def __init__(self) -> None:
        self._said: Announced | None = None
        self._kept: tuple[KeptNotice, ...] = ()

    def handle(self, said: Announced, known: ClientState) -> None:
        """Show and keep what the host says to a person who knows `known`."""
        self._said = said
        word = KeptNotice(said, "" if known.table is None else known.table.code, _newest_chat_line(known))
        # A muted person who goes on talking is told the same reason each time.
        self._kept = (*(each for each in self._kept if each.said != said), word)[-MAX_KEPT_NOTICES:]

    def read(self) -> None:
        """Stop showing it: the person has typed something, or it was seen for long enough."""
        self._said = None

    def format_last_notices(self, code: str, translator: Translator) -> list[tuple[int, str]]:
        """Return the last notices, printable, each with the number of the chat line of `code` that it follows.

        0 for those from before the person came to that table.
        """
        return [
            (each.after if each.code == code else 0, clean(notice_line(each.said, translator)))
            for each in self._kept
        ]

    def format_unread_notice(self, translator: Translator) -> str:
        """Return the newest notice that was not read, printable, with the host's mark; "" for none."""
        return "" if self._said is None else clean(f"{HOST_MARK} {translator.render(self._said.words())}")


def notice_line(said: Announced, translator: Translator) -> str:
    """Return `said` as a printable line with the host's mark; safe even from a hostile server."""
    safe = msgspec.structs.replace(said, text=legible(said.text), until=legible(said.until))
    return f"{HOST_MARK} {translator.render(safe.words())}"


def _newest_chat_line(known: ClientState) -> int:
    heard = () if known.heard is None else (known.heard.lines, known.heard.notices)
    return max((each[-1].n for each in heard if each), default=0)


WHILE_AWAY: Final = N_("While you were away: {news}")
LEFT_MESSAGES: Final[Mapping[str, str]] = {
    "left": "",
    "closed": N_("The table was closed."),
    "broken": N_("Sorry, that table broke and was closed. Other tables aren't affected."),
    "host": N_("The host closed that table."),
    "moved": N_("You're now playing from your other terminal. Press Enter to move back here."),
}
"""Why the person is back in the lobby, by `Left.why`."""
HOST_CLOSED: Final = N_("The host closed that table: {text}")
WELCOME_BACK: Final = N_("Welcome back.")
RECONNECTED: Final = N_("Reconnected.")
TABLE_NOT_NEW: Final = N_("You're back at your table. To open another, press n in the lobby.")
TABLE_GONE: Final = N_("Signed back in. Your table has closed.")
RENAMED: Final = N_("You're now called {name}.")
TABLE_KEPT: Final = N_("Your table {code} is kept, but {game} can't be played here now. Ask the host.")


def how_others_join(table: TableView, commands: ShellCommands, translator: Translator) -> str:
    """Return how others come to the table, or play the day's game or the deal of an attempt; "" if they can't."""
    if not commands.words or (table.once and not table.sealed):
        return ""
    command = translator.render(join_command(table, commands))
    if table.practice:
        return translator.gettext(
            "This is practice; others play the day's game with: {command}", command=command
        )
    if table.once and not table.duplicate:
        return translator.gettext("Others play the day's game with: {command}", command=command)
    if table.once:
        return translator.gettext("Others play this deal with: {command}", command=command)
    return translator.gettext("Friends can join with: {command}", command=command)


def join_command(table: TableView, commands: ShellCommands) -> LazyMessage:
    """Return the command for others: to join the table, or to play the same deal at tables of their own."""
    if table.once and not table.duplicate:
        return commands.daily(table.game)
    return LazyMessage("{command}", {"command": commands.join(table.duplicate or table.code)})


def closed_deal_message(table: TableView, translator: Translator) -> str:
    """Return that the running game of `table` is an attempt at a deal that has closed; else ""."""
    if table.state != "playing" or not table.once or table.sealed:
        return ""
    return translator.gettext(NOTICES["deal-closed"])


def bot_beaten_message(bot: str, rival: str) -> LazyMessage:
    """Return the sentence for a player who has beaten `bot`; `rival` is the next bot, "" for none."""
    if not rival:
        return lazy_gettext("Two wins against {bot}! You've beaten every level of this game.", bot=bot)
    return lazy_gettext("Two wins against {bot}! Next in quick play: {rival}.", bot=bot, rival=rival)


NAME_CHANGED: Final[Mapping[NameChangeReason, str]] = {
    "name-taken": N_('"{missed}" is taken (or too similar), so you\'re {name}.'),
    "bad-name": N_(
        "\"{missed}\" isn't a valid name, so you're {name}. Use 2 to 16 letters or digits (wide ones count "
        "twice), with - _ . ' between."
    ),
    "mixed-name": N_('"{missed}" mixes alphabets, so you\'re {name}.'),
    "house-name": N_('"{missed}" is reserved, so you\'re playing as {name}.'),
}
"""Why the person did not get the name they asked for, by `Welcome.missed_for`."""


def name_change_message(welcome: Welcome) -> LazyMessage:
    """Return why the person did not get the name they asked for."""
    named = {"missed": legible(welcome.missed), "name": legible(welcome.name)}
    return LazyMessage(NAME_CHANGED[welcome.missed_for], named)


def kept_tables_message(mine: Mine, translator: Translator) -> str:
    """Return which of the person's tables need a game that is not installed; "" for none."""
    return " ".join(translator.gettext(TABLE_KEPT, code=code, game=legible(game)) for code, game in mine.kept)


def left_message(left: Left) -> LazyMessage:
    """Return why the person is back in the lobby; empty where they wanted to be."""
    if left.why == "host" and left.text:
        return LazyMessage(HOST_CLOSED, {"text": legible(left.text)})
    return LazyMessage(LEFT_MESSAGES[left.why])


def shell_sentence(refusal: Refusal) -> LazyMessage:
    """Return the sentence for a refusal in a shell, where no list is on the screen."""
    if refusal.reason == "unknown-code":
        return LazyMessage(_NO_TABLE, refusal.words().places)
    return refusal.words()


def hints_allowed(settings: Settings, table: TableView) -> bool:
    """Return whether hints are allowed: switched on, for a player against bots or at a table that allows them."""
    return settings.hints and _may_have_hints(table)


def why_no_hint(settings: Settings, table: TableView, translator: Translator, *, off: str) -> str:
    """Return why there is no hint now, "" if there may be one; `off` says how to switch hints on."""
    if table.sealed:
        return translator.gettext("There are no hints in a game that others still play.")
    if not _may_have_hints(table):
        return translator.gettext("Hints are only for games against bots, and for private tables with hints.")
    if not settings.hints:
        return translator.gettext(off)
    if table.you not in table.turn:
        return translator.gettext("You can get a hint when it's your turn.")
    return ""


def _may_have_hints(table: TableView) -> bool:
    """Return whether the reader plays, against bots only or at a table that allows hints."""
    others = [seat for number, seat in enumerate(table.seats) if number != table.you]
    plays = table.you is not None and table.state == "playing"
    return plays and not table.sealed and (table.hints or all(seat.kind == "bot" for seat in others))
