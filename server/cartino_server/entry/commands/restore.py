"""`cartino restore COPY`: puts a copy in the place of a server's data, and says what was newer than the copy."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from cartino_protocol.marking import Sentence, later, later_count
from cartino_server.entry.data import place_of, plainly, settings_of
from cartino_server.entry.speaking import out, own_tongue
from cartino_server.rooms.facts import FORMAT
from cartino_server.store.datadir import is_restoring
from cartino_server.store.lock import lock
from cartino_server.store.restore import Restored, require_server, restore, resume

MOST_NAMED = 10
"""Games that each sentence names."""


def run(arguments: argparse.Namespace) -> int:
    """Put the copy back, or finish what was begun, and say what was lost."""
    data, copy = place_of(settings_of(arguments)), Path(arguments.copy).absolute()
    with plainly():
        require_server(copy, data)
        with lock(data):
            if is_restoring(data):
                done = resume(data)
                said = later(
                    "A restore that was cut short is finished now; to put back another copy, run this again."
                )
            else:
                done = restore(copy, data, FORMAT, arguments.only or "all")
                said = later("{copy} is in place in {data}.", copy=copy, data=data)
    tongue = own_tongue()
    for sentence in (said, *_lost(done)):
        out(tongue.tell(sentence))
    return 0


def _lost(done: Restored) -> list[Sentence]:
    """What was newer in the files of before, and where they are."""
    if done.aside is None:
        return []
    said = [later("What was there before is in {aside}.", aside=done.aside)]
    if done.begun:
        said.append(
            later_count(
                "Lost: {n} game that began after the copy was made ({names}).",
                "Lost: {n} games that began after the copy was made ({names}).",
                len(done.begun),
                names=_named(done.begun),
            )
        )
    if done.shorter:
        said.append(
            later_count(
                "Lost: the last moves of {n} game ({names}).",
                "Lost: the last moves of {n} games ({names}).",
                len(done.shorter),
                names=_named([f"{name}: {missing}" if missing else name for name, missing in done.shorter]),
            )
        )
    said += _lost_rows(done.rows)
    if done.unread:
        said.append(later("Not all of it can be read any more, so more may be lost."))
    return said if len(said) > 1 else [*said, later("Nothing there was newer than the copy.")]


def _lost_rows(rows: Mapping[str, int]) -> list[Sentence]:
    """What to say of rows that the copy lacks, whose numbers are told by table."""

    def lost(table: str) -> int:
        return rows.get(table, 0)

    said = (
        later_count("Also lost: {n} key.", "Also lost: {n} keys.", lost("keys")),
        later_count("Also lost: {n} kept name.", "Also lost: {n} kept names.", lost("names")),
        later_count("Also lost: {n} ban or mute.", "Also lost: {n} bans and mutes.", lost("bans")),
        later_count("Also lost: {n} ignored person.", "Also lost: {n} ignored people.", lost("ignores")),
        later_count("Also lost: {n} report.", "Also lost: {n} reports.", lost("reports")),
        later_count(
            "Also lost: the settings of {n} person.",
            "Also lost: the settings of {n} people.",
            lost("settings"),
        ),
        later_count("Also lost: {n} resume code.", "Also lost: {n} resume codes.", lost("guests")),
    )
    return [sentence for sentence in said if sentence.n]


def _named(names: Sequence[str]) -> str | Sentence:
    more = len(names) - MOST_NAMED
    named = ", ".join(names[:MOST_NAMED])
    return later("{names} and {more} more", names=named, more=more) if more > 0 else named
