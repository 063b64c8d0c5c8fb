"""The talk at a table, for the screens that show it."""

from cartino_protocol.commands import Say
from cartino_protocol.views import ChatLine, ChatView, RoomView
from cartino_tui.draw.text import clean
from cartino_tui.screens.base import HouseScreen
from cartino_tui.screens.prompt import Ask

MOST_CHARACTERS = 300


def said(chat: ChatView | None) -> tuple[tuple[str, str], ...]:
    """The lines as (name, text), oldest first, made safe to draw; name "" for a notice."""
    return tuple((_name(line), clean(line.text)) for line in (chat.lines if chat else ()))


def ask_to_say(screen: HouseScreen, chat: ChatView | None, begun: str = "") -> Ask:
    """The question for something to say, which says who will hear it; `begun` stands there already."""
    watchers = chat is not None and chat.channel == "watchers"
    label = "To those who watch" if watchers else "To the table"
    return Ask(label, MOST_CHARACTERS, lambda text: screen.wish(Say(text), awaited=False), begun, keep=True)


def watching(room: RoomView) -> str:
    """Who watches, in a few words; "" for nobody."""
    if room.spectators == 1 and room.watchers:
        return f"{clean(room.watchers[0])} is watching"
    return f"{room.spectators} watching" if room.spectators else ""


def _name(line: ChatLine) -> str:
    name = clean(line.name)
    return f"{name} (watching)" if name and line.channel == "watchers" else name
