"""The reader's account: what the server keeps, deleting it, and the SSH keys that log in to it."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    KeyCode,
    KeyLine,
    Keys,
    KeysView,
)
from cartino_protocol.refusals import HOW_TO_MAKE_A_KEY
from cartino_protocol.text import N_
from cartino_tui.draw.canvas import Run
from cartino_tui.draw.text import clean
from cartino_tui.keys import ACCOUNT, SSH_KEYS
from cartino_tui.pages.page import (
    Action,
    Page,
    PageCell,
    PageColumn,
    PageParagraph,
    PageSection,
    Question,
    Reader,
)
from cartino_tui.visit.farewell import ACCOUNT_DELETED, KEY_ADDED

_MAX_TYPED: Final = 20
_DATE_LENGTH: Final = 10
"""Characters of the date in a time."""


def _loading(waiting: bool, reader: Reader) -> str:
    return reader.translator.gettext("Loading…") if waiting else ""


def _account_lines(view: AccountView, reader: Reader) -> Sequence[str]:
    """Return what is kept of a person and for how long, a line each."""
    gettext, ngettext = reader.translator.gettext, reader.translator.ngettext
    if view.done == "deleted":
        return [gettext(ACCOUNT_DELETED)]
    if view.done == "bot":
        return [
            gettext(
                "This key is a bot account's now, permanently. From your next connection on it is {name}.",
                name=view.name,
            )
        ]
    if view.guest:
        return [
            gettext(
                "You're a guest, {name}: nothing is stored about you except your resume code.", name=view.name
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
        ngettext(
            "{n} attempt at a daily game or duplicate match",
            "{n} attempts at daily games and duplicate matches",
            view.attempts,
        ),
        gettext("Ratings and profile, from games that count: {ratings}", ratings=", ".join(ratings) or none),
        ngettext("{n} setting", "{n} settings", view.settings),
        gettext("Muted players: {names}", names=", ".join(view.ignored) or none),
        gettext("Invitations: {codes}", codes=", ".join(view.invitations) or none),
        gettext("Tables where you have a seat: {codes}", codes=", ".join(view.tables) or none),
        ngettext(
            "{n} chat message, kept until its table closes",
            "{n} chat messages, kept until their tables close",
            view.chat,
        ),
        ngettext("{n} report by you", "{n} reports by you", view.reports),
        ngettext(
            "{n} report about you, kept until the host closes it",
            "{n} reports about you, kept until the host closes them",
            view.reported,
        ),
        gettext("Everything else is kept until you delete your account."),
    ]


def _account_record(view: AccountView, reader: Reader) -> Mapping[str, object]:
    """Return the fields of the view; ratings by game, `deleted` and `bot` in place of `done`."""
    told = msgspec.structs.asdict(view)
    told["ratings"] = {line.game: line.rating for line in view.ratings}
    done = told.pop("done")
    told |= {"deleted": done == "deleted", "bot": done == "bot"}
    return told


ACCOUNT_PAGE: Final[Page[AccountView, str]] = Page(
    keys=ACCOUNT,
    title=lambda view, reader: (reader.translator.gettext("Your account"), "" if view is None else view.name),
    hints=lambda view, reader: (
        *(() if view is None or view.guest else ("delete",)),
        *("actions", "back"),
    ),
    answer=AccountView,
    text=lambda view, reader: [PageParagraph(((line, "text"),)) for line in _account_lines(view, reader)],
    empty=lambda view, waiting, reader: _loading(waiting, reader),
    commands=(Account.__name__, DeleteAccount.__name__),
    actions={
        "delete": Action(
            lambda view, row, typed, reader: DeleteAccount(typed),
            when=lambda view, reader: view is not None and not view.guest,
            ask=Question(
                N_("Type your name to delete your account permanently"), _MAX_TYPED, (DeleteAccount.__name__,)
            ),
        )
    },
    opening=_account_lines,
    record=_account_record,
)


def _key_facts(key: KeyLine, reader: Reader) -> Sequence[str]:
    """Return when a key was added and last used, as far as known, and whether it is in use here."""
    gettext, facts = reader.translator.gettext, []
    if key.here:
        facts.append(gettext("in use here"))
    if key.added:
        facts.append(gettext("added {day}", day=key.added[:_DATE_LENGTH]))
    if key.used and not key.here:
        facts.append(gettext("last used {day}", day=key.used[:_DATE_LENGTH]))
    return facts


def _code_lines(view: KeysView, reader: Reader) -> tuple[str, str]:
    """Return what to do with the code, and what to type for it."""
    told = reader.translator.ngettext(
        "Within {n} minute, connect with the other key and type this once:",
        "Within {n} minutes, connect with the other key and type this once:",
        view.minutes,
    )
    return told, reader.commands.add_key(view.code)


def _done_line(view: KeysView, reader: Reader) -> str:
    """Return what was done to the keys, "" for nothing."""
    if view.done == "added":
        return reader.translator.gettext(KEY_ADDED)
    if view.done == "dropped":
        return reader.translator.gettext("Key removed. It no longer gives access to your account.")
    return ""


def _below_keys(view: KeysView | None, reader: Reader) -> Sequence[Run]:
    if view is None or reader.guest:
        return ()
    if view.code:
        told, typed = _code_lines(view, reader)
        return (told, "text"), (typed, "key")
    about = reader.translator.gettext("The server recognizes you by these keys. If you lose one, remove it.")
    return ((about, "dim"),)


def _key_hints(view: KeysView | None, reader: Reader) -> Sequence[str]:
    several = view is not None and len(view.keys) > 1
    can = () if reader.guest else ("code", "add", "drop") if several else ("code", "add")
    return *can, "actions", "back"


KEYS_PAGE: Final[Page[KeysView, KeyLine]] = Page(
    keys=SSH_KEYS,
    title=lambda view, reader: (
        reader.translator.gettext("Your SSH keys"),
        str(len(view.keys)) if view is not None and len(view.keys) > 1 else "",
    ),
    hints=_key_hints,
    answer=KeysView,
    sections=lambda view: (PageSection(view.keys, key="keys"),),
    identity=lambda key: key.fingerprint,
    columns=(
        PageColumn(
            "",
            lambda key, reader: (PageCell(key.fingerprint),),
            # Times are null where unknown.
            lambda key: {
                "fingerprint": key.fingerprint,
                "added": key.added or None,
                "used": key.used or None,
                "here": key.here,
            },
            flexible=True,
        ),
    ),
    second=lambda key, reader: [clean(fact) for fact in _key_facts(key, reader)],
    below=_below_keys,
    empty=lambda view, waiting, reader: (
        reader.translator.gettext(HOW_TO_MAKE_A_KEY) if reader.guest else _loading(waiting, reader)
    ),
    note=lambda view, asked, reader: _done_line(view, reader),
    commands=(Keys.__name__, KeyCode.__name__, AddKey.__name__, DropKey.__name__),
    actions={
        "code": Action(
            lambda view, key, typed, reader: KeyCode(), when=lambda view, reader: not reader.guest
        ),
        "add": Action(
            lambda view, key, typed, reader: AddKey(typed),
            when=lambda view, reader: not reader.guest,
            ask=Question(N_("Code from your other key"), _MAX_TYPED, (AddKey.__name__,)),
        ),
        "drop": Action(
            lambda view, key, typed, reader: DropKey(key.fingerprint),
            row=True,
            confirm=lambda key, reader: (
                reader.translator.gettext("Remove the key you're using now, and leave?")
                if key.here
                else reader.translator.gettext(
                    "Remove this key? It will no longer give access to your account."
                )
            ),
        ),
    },
    opening=lambda view, reader: filter(
        None, _code_lines(view, reader) if view.done == "code" else (_done_line(view, reader),)
    ),
    # The code and its minutes are null but after `code`.
    record=lambda view, _: {"done": view.done, "code": view.code or None, "minutes": view.minutes or None},
)
