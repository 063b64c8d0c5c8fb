"""What somebody at a table may ask: why points are what they are, what they could do, which keys work just now."""

from typing import Any

import msgspec

from cartino_protocol.views import RoomView
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import TABLE
from cartino_tui.screens.help import keys_said
from cartino_tui.screens.help_drawing import HelpPart
from cartino_tui.settings import Settings
from cartino_tui.tongue import Tongue


class Reasons:
    """Why the points: asked again at the same table it is about the move before."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._asked: tuple[str, int, msgspec.Struct] | None = None
        self._back = 0

    def why(self, plug: AnyScreen, room: RoomView, view: Any, pointer: msgspec.Struct, look: Look) -> str:
        """Return the game's explanation; where it has none, the last move in a sentence."""
        asked = room.code, room.number, pointer
        self._back = self._back + 1 if asked == self._asked else 0
        self._asked = asked
        return plug.why(room, view, pointer, look, self._back) or plug.told(room, view, look.tongue)


def may_advise(settings: Settings, room: RoomView) -> bool:
    """Whether there are ideas here: for a player who has switched them on, against bots alone.

    Against people nobody is helped whose table didn't agree to it, and there is no way to ask them.
    """
    others = [seat for number, seat in enumerate(room.seats) if number != room.you]
    plays = room.you is not None and room.state == "playing"
    return settings.hints and plays and all(seat.kind == "bot" for seat in others)


def advice(plug: AnyScreen, room: RoomView, view: Any, look: Look, settings: Settings) -> str:
    """An idea for somebody who asks for one, or why there is none."""
    say = look.tongue.say
    if not settings.hints:
        return say("i shows an idea in a game against bots; switch ideas on in your settings (o).")
    if not may_advise(settings, room):
        return say("Ideas are for those who play against bots alone.")
    if room.you not in room.turn:
        return say("Ideas come when it is your turn.")
    return plug.advice(room, view, look) or say("There are no ideas for this game.")


def just_now(
    plug: AnyScreen, room: RoomView, view: Any, pointer: msgspec.Struct, settings: Settings, tongue: Tongue
) -> HelpPart:
    """The keys that do something at the table as it is: the game's, then the frame's."""
    over, plays = room.state == "finished", room.you is not None
    useful = {"chat", "said", "why", "leave"}
    if plays:
        useful |= {"rematch", "cut"} if over else {"pause"}
    if may_advise(settings, room):
        useful.add("advice")
    frame = ((row.shown, row.help or row.what) for row in TABLE.rows if row.action in useful)
    keys = (*plug.keys_now(room, view, pointer), *frame)
    return HelpPart(tongue.say("Just now"), keys_said(keys, tongue))
