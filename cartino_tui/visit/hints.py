"""Hints: who may have one, and why others may not. They are for games against bots, which rate nobody."""

from cartino_protocol.views import RoomView
from cartino_tui.i18n import Translator
from cartino_tui.preferences import Settings


def hints_allowed(settings: Settings, room: RoomView) -> bool:
    """Return whether hints are allowed: switched on, for a player against bots only, and no shared deal."""
    return settings.hints and _is_alone(room) and not room.sealed


def why_no_hint(settings: Settings, room: RoomView, translator: Translator, *, off: str) -> str:
    """Return why there is no hint now, "" if there may be one; `off` says how to switch hints on."""
    if room.sealed:
        return translator.gettext("There are no hints in a game that others still play.")
    if not _is_alone(room):
        return translator.gettext("Hints are only for games against bots.")
    if not settings.hints:
        return translator.gettext(off)
    if room.you not in room.turn:
        return translator.gettext("You can get a hint when it's your turn.")
    return ""


def _is_alone(room: RoomView) -> bool:
    """Return whether the reader plays, against bots only."""
    others = [seat for number, seat in enumerate(room.seats) if number != room.you]
    plays = room.you is not None and room.state == "playing"
    return plays and all(seat.kind == "bot" for seat in others)
