"""Phrases of plain mode: tables, seats and guests in words, and lines that are safe to print."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

import msgspec

from cartino_protocol.base import Seat
from cartino_protocol.text import legible
from cartino_protocol.views import ReviewView, SeatLine, SeatView, TableView
from cartino_tui.draw.text import plain
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.game_port.turn_review import review_said
from cartino_tui.i18n import Translator
from cartino_tui.visit.state import ClientState


def seat_name(seat: SeatLine | SeatView, translator: Translator) -> str:
    """Return who sits there."""
    if seat.kind == "empty":
        return translator.gettext("free seat")
    if seat.kind == "bot" and not seat.name.startswith("bot"):
        return translator.gettext("bot {name}", name=seat.name)
    return seat.name


def seat_line(table: TableView, seat: Seat, translator: Translator) -> str:
    """Return a seat of a table: its number, and who sits there."""
    name, n = seat_name(table.seats[seat], translator), seat + 1
    if seat == table.you:
        return translator.gettext("Seat {n}: you.", n=n)
    if not table.seats[seat].here:
        return translator.gettext("Seat {n}: {name}, away.", n=n, name=name)
    return translator.gettext("Seat {n}: {name}.", n=n, name=name)


def table_heading(table: TableView, title: str, translator: Translator) -> str:
    """Return the sentence that names the table of the game `title`; for an attempt, the deal that others play."""
    if table.duplicate:
        return translator.gettext("Duplicate match {code}, {game}.", code=table.duplicate, game=title)
    if table.practice:
        return translator.gettext("Daily game (practice), {game}.", game=title)
    if table.once:
        return translator.gettext("Daily game, {game}.", game=title)
    if table.you is None:
        return translator.gettext("Table {code}, {game}; you're watching.", code=table.code, game=title)
    return translator.gettext("Table {code}, {game}.", code=table.code, game=title)


def printable_line(text: str, *, ascii: bool) -> str:
    """Return `text` as one line without controls; wide letters stay, since a line has no columns to keep."""
    if ascii:
        return plain(text)
    return legible(
        "".join(" " if letter.isspace() else letter for letter in unicodedata.normalize("NFC", text))
    )


GUEST_MARK: Final = "~"


def spell_out_guests(lines: list[str], known: ClientState, translator: Translator) -> list[str]:
    """Return `lines` with "guest Ann" for "~Ann", wherever a guest that is `known` is named."""
    if not any(GUEST_MARK in line for line in lines):
        return lines
    # The longest first: one guest's name may be the beginning of another's.
    names = sorted(
        {name for name in _known_names(known) if name.startswith(GUEST_MARK)}, key=len, reverse=True
    )
    if not names:
        return lines
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")

    def spell_out(found: re.Match[str]) -> str:
        return translator.gettext("guest {name}", name=found[0].removeprefix(GUEST_MARK))

    return [named.sub(spell_out, line) for line in lines]


def _known_names(known: ClientState) -> Iterator[str]:
    """Yield the names of all of whom a line may tell."""
    if known.welcome is not None:
        yield from (known.welcome.name, known.welcome.missed)
    tables = (*known.mine.tables, *(known.lobby.tables if known.lobby is not None else ()))
    yield from (seat.name for line in tables for seat in line.seats)
    if known.table is not None:
        yield from (seat.name for seat in known.table.seats)
        yield from known.table.watchers
    if known.chat is not None:
        for line in known.chat.lines:
            yield line.name
        for notice in known.chat.notices:
            yield from (notice.news.name, notice.news.other)
    yield from (line.name for line in known.invitations)
    yield from (each.name for each in known.ignored or ())


def review_lines(
    review: ReviewView, table: TableView, speech: AnySpeech | None, translator: Translator
) -> list[str]:
    """Return a review of the game at `table`, a line a sentence."""
    names = [seat_name(seat, translator) for seat in table.seats]

    def said(move: msgspec.Raw) -> str:
        return "" if speech is None else speech.move_said(move, table, translator)

    return review_said(review, names, said, translator)
