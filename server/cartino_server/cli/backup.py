"""`cartino backup` and `cartino restore`: copy a server's data while it runs, and put a copy back."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from cartino_protocol.text import LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.commands.console import failure, out
from cartino_server.operations.settings import data_errors, data_path, find_settings
from cartino_server.store.data_directory import is_restoring, lock_directory
from cartino_server.store.repair.backup import UnusableCopy, create_backup, verify_copy
from cartino_server.store.repair.restore import RestoreResult, require_server_data, restore, resume_restore
from cartino_server.table.saving import FORMAT


def run_backup(arguments: argparse.Namespace) -> int:
    """Copy the data, verify the copy if asked, and report."""
    data, target = data_path(find_settings(arguments)), Path(arguments.target).absolute()
    with data_errors():
        games = create_backup(data, target)
        if arguments.verify:
            games = _prove_copy(target)
    out(
        lazy_ngettext(
            "{n} game and the host key are in {target}; start a server on them with `cartino serve --data "
            "{target}`.",
            "{n} games and the host key are in {target}; start a server on them with `cartino serve --data "
            "{target}`.",
            games,
            target=target,
        )
    )
    if arguments.verify:
        out(lazy_gettext("The copy is verified: every game, the people database and the host key."))
    return 0


def _prove_copy(target: Path) -> int:
    """Return how many games of the copy are whole. Raises CommandError, and keeps the copy."""
    try:
        return verify_copy(target, FORMAT)
    except UnusableCopy as error:
        why = error.sentence
    except OSError as error:
        why = LazyMessage(error.strerror or str(error))
    raise failure("The copy {target} is damaged: {why}. Make another one.", target=target, why=why)


MAX_GAMES_NAMED = 10
"""Games named in a sentence."""


def run_restore(arguments: argparse.Namespace) -> int:
    """Restore the copy, or finish an interrupted restore, and report what was lost."""
    data, copy = data_path(find_settings(arguments)), Path(arguments.copy).absolute()
    with data_errors():
        require_server_data(copy, data)
        with lock_directory(data):
            if is_restoring(data):
                done = resume_restore(data)
                said = lazy_gettext(
                    "An interrupted restore is now complete. To restore another copy, run this again."
                )
            else:
                done = restore(copy, data, FORMAT, arguments.only or "all")
                said = lazy_gettext("Restored {copy} into {data}.", copy=copy, data=data)
    out(said, *_losses(done), *_returned(done))
    return 0


def _losses(done: RestoreResult) -> list[LazyMessage]:
    if done.aside is None:
        return []
    said = [lazy_gettext("The previous data is in {aside}.", aside=done.aside)]
    if done.begun:
        said.append(
            lazy_ngettext(
                "Lost: {n} game started after the copy was made ({names}).",
                "Lost: {n} games started after the copy was made ({names}).",
                len(done.begun),
                names=_join_names(done.begun),
            )
        )
    if done.shorter:
        said.append(
            lazy_ngettext(
                "Lost: the last moves of {n} game ({names}).",
                "Lost: the last moves of {n} games ({names}).",
                len(done.shorter),
                names=_join_names(
                    [f"{name}: {missing}" if missing else name for name, missing in done.shorter]
                ),
            )
        )
    said += _lost_records(done.rows)
    if done.unread:
        said.append(lazy_gettext("Some of the previous data is unreadable, so more may be lost."))
    return said if len(said) > 1 else [*said, lazy_gettext("Nothing was newer than the copy.")]


def _returned(done: RestoreResult) -> list[LazyMessage]:
    if not done.returned:
        return []
    return [
        lazy_ngettext(
            "Restored: {n} account that had been deleted ({names}). Its owner has to delete it again.",
            "Restored: {n} accounts that had been deleted ({names}). Their owners have to delete them again.",
            len(done.returned),
            names=_join_names(done.returned),
        )
    ]


def _lost_records(rows: Mapping[str, int]) -> list[LazyMessage]:
    lost = Counter(rows)
    said = (
        lazy_ngettext("Also lost: {n} key.", "Also lost: {n} keys.", lost["keys"]),
        lazy_ngettext("Also lost: {n} reserved name.", "Also lost: {n} reserved names.", lost["names"]),
        lazy_ngettext("Also lost: {n} ban or mute.", "Also lost: {n} bans or mutes.", lost["bans"]),
        lazy_ngettext("Also lost: {n} player's mute.", "Also lost: {n} players' mutes.", lost["ignores"]),
        lazy_ngettext("Also lost: {n} report.", "Also lost: {n} reports.", lost["reports"]),
        lazy_ngettext(
            "Also lost: the settings of {n} person.",
            "Also lost: the settings of {n} people.",
            lost["settings"],
        ),
        lazy_ngettext("Also lost: {n} resume code.", "Also lost: {n} resume codes.", lost["guests"]),
    )
    return [sentence for sentence in said if sentence.n]


def _join_names(names: Sequence[str]) -> str | LazyMessage:
    more = len(names) - MAX_GAMES_NAMED
    named = ", ".join(names[:MAX_GAMES_NAMED])
    return lazy_gettext("{names} and {more} more", names=named, more=more) if more > 0 else named
