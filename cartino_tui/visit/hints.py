"""Hints: who may have one, and why others may not. No game that counts for ratings has them."""

from cartino_protocol.views import TableView
from cartino_tui.i18n import Translator
from cartino_tui.preferences import Settings


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
