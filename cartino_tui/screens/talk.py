"""The talk at a table, for the screens that show it."""

from cartino_protocol.commands import Say
from cartino_protocol.notices import Notice
from cartino_protocol.views import ChatLine, ChatView, RoomView
from cartino_tui.draw.text import clean
from cartino_tui.games.screen import Look
from cartino_tui.screens.base import HouseScreen
from cartino_tui.screens.parts import marks
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.talk_drawing import Said
from cartino_tui.tongue import ENGLISH, Tongue

ASIDE_SECONDS = 60.0
"""How long a line for one person alone stands with the talk."""
NEWEST_SAID = 12
"""As many lines of talk as any layout of a table has room for."""


def said(chat: ChatView | None, tongue: Tongue, newest: int = 0) -> Said:
    """The lines, or so many of the `newest`, as (name, text), oldest first, safe to draw; name "" for a notice."""
    return tuple(_line(each, tongue) for each in (tuple(chat.talk)[-newest:] if chat else ()))


class Heard:
    """The talk as it was drawn last: making a line safe takes longer than all that a key changes on the screen."""

    def __init__(self, newest: int = NEWEST_SAID) -> None:
        """Nothing heard yet; of what comes, so many of the newest lines count, or all with 0."""
        self._newest = newest
        self._chat: ChatView | None = None
        self._tongue = ENGLISH
        self._said: Said = ()

    def said(self, chat: ChatView | None, tongue: Tongue) -> Said:
        """The newest lines of `chat`, worked out once for one and the same view."""
        if chat is not self._chat or tongue is not self._tongue:
            self._chat, self._tongue, self._said = chat, tongue, said(chat, tongue, self._newest)
        return self._said


class Aside:
    """A line for one person alone, behind all that was said: until somebody says more, or its time is over."""

    def __init__(self) -> None:
        """Nothing to tell."""
        self._text = ""
        self._after: ChatLine | None = None

    def tell(self, text: str, chat: ChatView | None) -> None:
        """`text` is to stand behind what `chat` has."""
        self._text, self._after = text, _newest_words(chat)

    def drop(self, text: str) -> None:
        """Tell `text` no more, if it still is what is told."""
        if self._text == text:
            self._text = ""

    def lines(self, chat: ChatView | None) -> Said:
        """The line, if it is to be seen; what happens at the table sends it not away, what somebody says does."""
        if _newest_words(chat) != self._after:
            self._text = ""
        return (("", self._text),) if self._text else ()


def ask_to_say(screen: HouseScreen, chat: ChatView | None, begun: str = "") -> Ask:
    """The question for something to say, which says who will hear it; `begun` stands there already."""
    tongue = screen.look.tongue
    watchers = chat is not None and chat.channel == "watchers"
    label = tongue.say("To those who watch") if watchers else tongue.say("To the table")
    most = screen.known.chat_length
    return Ask(label, most, lambda text: screen.wish(Say(text), awaited=False), begun, keep=True)


def watching(room: RoomView, tongue: Tongue) -> str:
    """Who watches, in a few words; "" for nobody."""
    if room.spectators == 1 and room.watchers:
        return tongue.say("{name} is watching", name=clean(room.watchers[0]))
    return tongue.count("{n} watching", "{n} watching", room.spectators) if room.spectators else ""


def facts_of(room: RoomView, look: Look, link_time: str) -> str:
    """Who watches, and for a player how long the line takes; who looks on shares a picture with all who do."""
    facts = (watching(room, look.tongue), link_time if room.you is not None else "")
    return f" {marks(look).dot} ".join(filter(None, facts))


def _newest_words(chat: ChatView | None) -> ChatLine | None:
    """What somebody has said last."""
    return chat.lines[-1] if chat and chat.lines else None


def _line(each: ChatLine | Notice, tongue: Tongue) -> tuple[str, str]:
    if isinstance(each, Notice):
        return "", clean(tongue.tell(each.news.words()))
    name = clean(each.name)
    watches = each.channel == "watchers"
    return tongue.say("{name} (watching)", name=name) if watches else name, clean(each.text)
