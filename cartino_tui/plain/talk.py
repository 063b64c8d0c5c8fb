"""The talk at a table in lines: what is new of it, and what one says."""

from cartino_protocol.commands import Report, Say
from cartino_protocol.notices import Notice
from cartino_protocol.views import ChatLine
from cartino_tui.plain.floor import Floor

NEWEST = 10
"""Lines that are told again on request."""


class Talk:
    """How far the talk at one table was told."""

    def __init__(self, floor: Floor) -> None:
        """Nothing of it; what was said before one came is told on request alone."""
        self._floor = floor
        self._told: int | None = None

    def learned(self) -> None:
        """Tell what is new."""
        chat, heard = self._floor.known.chat, self._floor.known.heard
        if chat is None or heard is None:
            return
        told = self._told
        # Whom one hears again is heard from now on.
        self._told = max((each.n for each in heard.talk), default=0)
        if told is not None:
            self._floor.tell(*(self._line(each) for each in chat.talk if each.n > told))

    def again(self) -> None:
        """Tell the last lines once more."""
        tongue, chat = self._floor.tongue, self._floor.known.chat
        lines = () if chat is None else tuple(chat.talk)[-NEWEST:]
        self._floor.tell(*(self._line(each) for each in lines))
        if not lines:
            self._floor.tell(tongue.say("Nothing was said here yet."))

    def say(self, text: str) -> None:
        """Say `text`; who hears it stands before it, when it comes back."""
        most = self._floor.known.chat_length
        if not text:
            self._floor.tell(self._floor.tongue.say("Type say and what you want to say."))
        elif len(text) > most:
            self._floor.tell(
                self._floor.tongue.say("That is too long; a line has up to {n} characters.", n=most)
            )
        else:
            self._floor.say(Say(text), awaited=False)

    def report(self, number: str) -> None:
        """Have the host read the line of that number; without one the numbers are told."""
        tongue, chat = self._floor.tongue, self._floor.known.chat
        lines = () if chat is None else [line for line in chat.lines if line.name != self._floor.name]
        wanted = int(number[:9]) if number.isascii() and number.isdigit() else 0
        if any(line.n == wanted for line in lines):
            self._floor.say(Report(wanted))
        elif lines:
            self._floor.tell(
                tongue.say("Which line shall the host read? Type report and its number."),
                *(f"{line.n}: {self._line(line)}" for line in lines[-NEWEST:]),
            )
        else:
            self._floor.tell(tongue.say("Nobody else has said anything here."))

    def _line(self, each: ChatLine | Notice) -> str:
        tongue = self._floor.tongue
        if isinstance(each, Notice):
            text = tongue.tell(each.news.words())
            return _sentence(text if each.news.name else text[:1].upper() + text[1:])
        watchers = each.channel == "watchers"
        if each.name == self._floor.name:
            if watchers:
                return tongue.say("You, to those who watch: {text}", text=each.text)
            return tongue.say("You: {text}", text=each.text)
        if watchers:
            return tongue.say("{name}, watching: {text}", name=each.name, text=each.text)
        return tongue.say("{name}: {text}", name=each.name, text=each.text)


def _sentence(text: str) -> str:
    """A notice with its full stop: notices have none on the screen."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
