"""Guests as they are said: the mark before their names is read as a word, or skipped, by who hears it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from cartino_tui.known import Known
from cartino_tui.tongue import Tongue

MARK: Final = "~"


def spoken_guests(lines: Sequence[str], known: Known, tongue: Tongue) -> Sequence[str]:
    """`lines` with "guest Ann" for "~Ann", wherever a guest that is `known` is named."""
    if not any(MARK in line for line in lines):
        return lines
    # The longest first: one guest's name may be the beginning of another's.
    names = sorted({name for name in _names(known) if name.startswith(MARK)}, key=len, reverse=True)
    if not names:
        return lines
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    return [named.sub(lambda found: _said(found[0], tongue), line) for line in lines]


def _said(name: str, tongue: Tongue) -> str:
    return tongue.say("guest {name}", name=name.removeprefix(MARK))


def _names(known: Known) -> Iterator[str]:
    """The names of all of whom a line may tell."""
    if known.welcome is not None:
        yield from (known.welcome.name, known.welcome.missed)
    rooms = (*known.mine.rooms, *(known.lobby.rooms if known.lobby is not None else ()))
    yield from (seat.name for line in rooms for seat in line.seats)
    if known.room is not None:
        yield from (seat.name for seat in known.room.seats)
        yield from known.room.watchers
    if known.chat is not None:
        for line in known.chat.lines:
            yield line.name
        for notice in known.chat.notices:
            yield from (notice.news.name, notice.news.other)
    yield from (line.name for line in known.invitations)
    yield from (each.name for each in known.ignored or ())
