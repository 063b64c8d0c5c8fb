"""What a line means where one stands: numbered choices, words for them, and what is told when something is new."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Told
from cartino_tui.games.speech import find
from cartino_tui.known import Known
from cartino_tui.plain.floor import Floor
from cartino_tui.tongue import Tongue


class Choice(msgspec.Struct, frozen=True):
    """What can be chosen: a `label` said already, what comes of it, and a word for it in English and as it is said."""

    label: str
    then: Callable[[], None]
    words: tuple[str, ...] = ()


class Topic:
    """The base of topics. A subclass gives `opening` and `choices`, and takes what is no choice (`free`)."""

    def __init__(self, floor: Floor) -> None:
        """A topic on `floor`."""
        self.floor = floor
        self._offered: tuple[Choice, ...] = ()

    @property
    def tongue(self) -> Tongue:
        """The reader's language."""
        return self.floor.tongue

    # What a subclass gives.

    def opening(self) -> Sequence[str]:
        """What this is about."""
        return ()

    def choices(self) -> Sequence[Choice]:
        """What can be chosen by number, from 1."""
        return ()

    def back(self) -> str:
        """What 0 does here, "" where there is no way back."""
        return self.tongue.say("back")

    def go_back(self) -> None:
        """Do what 0 does."""
        self.floor.pop()

    def free(self, text: str) -> bool:
        """Take a line that is no choice; False where it means nothing here."""
        return False

    def word(self, text: str) -> Callable[[], None] | None:
        """What `text` does in the topics above this one, too, where it means nothing there."""
        return None

    def otherwise(self, text: str) -> None:
        """Answer a line that means nothing here."""
        self._unknown()

    def learned(self, before: Known) -> None:
        """Something is new."""

    def answered(self, answer: Told) -> bool:
        """Take what was asked for; False where this topic asks for no such thing."""
        return False

    def refused(self, refusal: Refusal) -> None:
        """Tell why something was refused."""
        self.floor.tell(self.tongue.tell(refusal.words()))

    def help(self) -> None:
        """Tell what can be done; where that is all there is, the choices."""
        self.open()

    # What the conversation calls.

    def open(self) -> None:
        """Tell what this is about and what can be chosen."""
        self.floor.tell(*self.opening())
        self.offer()

    def offer(self) -> None:
        """Tell the choices; numbers mean these from now on."""
        self._offered = tuple(self.choices())
        self.floor.tell(*(f"{number}: {choice.label}" for number, choice in enumerate(self._offered, 1)))
        if self._offered and self.back():
            self.floor.tell(f"0: {self.back()}")

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""
        text = text.strip()
        chosen = None if self.free(text) else self._choice(text)
        if chosen is not None:
            chosen()

    def _choice(self, text: str) -> Callable[[], None] | None:
        tongue = self.tongue
        if not text:
            return self.open
        if text in {"0"} or find(("back", tongue.say_in("command", "back")), text) is not None:
            return self.go_back if self.back() else self.open
        if text == "?" or find(("help", tongue.say_in("command", "help")), text) is not None:
            return self.help
        if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(self._offered):
            return self._offered[int(text) - 1].then
        for choice in self._offered:
            if find(choice.words, text) is not None:
                return choice.then
        # The words of the lobby hold in its lists: who hears "join K7QP" may type it wherever they are.
        below = self.floor.topics[0]
        meant = None if below is self or self.floor.known.room is not None else below.word(text)
        return meant or partial(self.otherwise, text)

    def _unknown(self) -> None:
        count = len(self._offered)
        if count:
            self.floor.tell(
                self.tongue.say(
                    "That is none of the choices; type a number from 0 to {n}, or Enter to hear them again.",
                    n=count,
                )
            )
        else:
            self.floor.tell(self.tongue.say("That means nothing here; help says what does."))


class Question(Topic):
    """Asks for a line of text, and hands it on; an empty one goes back."""

    def __init__(self, floor: Floor, question: str, then: Callable[[str], None]) -> None:
        """Ask the `question`, which was said already."""
        super().__init__(floor)
        self._question = question
        self._then = then

    def opening(self) -> Sequence[str]:
        """The question."""
        return (self._question, self.tongue.say("An empty line goes back."))

    def enter(self, text: str) -> None:
        """The answer."""
        text = text.strip()
        if not text:
            self.floor.pop()
            return
        self.floor.topics.remove(self)
        self._then(text)


class Sure(Topic):
    """Asks once more before something is done that can't be taken back."""

    def __init__(self, floor: Floor, question: str, then: Callable[[], None], stay: str) -> None:
        """Ask the `question` and do `then` at a yes; else tell `stay`. Both sentences were said already."""
        super().__init__(floor)
        self._question = question
        self._then = then
        self._stay = stay

    def opening(self) -> Sequence[str]:
        """The question."""
        return (self._question,)

    def choices(self) -> Sequence[Choice]:
        """Yes."""
        return (Choice(self.tongue.say("yes"), self._then, ("yes", "y", self.tongue.say("yes"))),)

    def back(self) -> str:
        """No."""
        return self.tongue.say("no")

    def free(self, text: str) -> bool:
        """The word for no."""
        if find(("no", "n", self.tongue.say("no")), text) is None:
            return False
        self.go_back()
        return True

    def go_back(self) -> None:
        """Stay, without all being told again."""
        self.floor.topics.remove(self)
        self.floor.tell(self._stay)
