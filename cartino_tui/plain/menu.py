"""Menus of plain mode: numbered choices, words for them, and the context they share."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import GameInfo, QueryAnswer
from cartino_tui.game_port.description import game_title
from cartino_tui.game_port.speech import AnySpeech, find_word
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import Reader, this_minute
from cartino_tui.visit.events import Event, QuitRequest, SaveSettings, Wanted
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.visit.visit import Visit


class PlainContext:
    """What the menus share. `told` are the lines to be written, oldest first."""

    def __init__(
        self,
        visit: Visit,
        handle: Callable[[Event], None],
        shell_commands: ShellCommands,
        speeches: Mapping[str, AnySpeech],
    ) -> None:
        """`handle` hands an event to `visit` and performs its effects; `shell_commands` are for a friend."""
        self.visit = visit
        self.preferences = visit.preferences
        self.shell_commands = shell_commands
        self.speeches = speeches
        self.told: list[str] = []
        self.topics: list[LineMenu] = []
        self.told_first_step = False
        """Whether the person was told what to type on their turn."""
        self._handle = handle

    def take_told(self) -> list[str]:
        """Return the lines that are to be written now, once."""
        told, self.told = self.told, []
        return told

    @staticmethod
    def now() -> float:
        """Return seconds of a clock that only rises."""
        return time.monotonic()

    @property
    def client_state(self) -> ClientState:
        """What is known of the server."""
        return self.visit.state

    @property
    def translator(self) -> Translator:
        """The reader's language."""
        return self.preferences.translator

    @property
    def waiting(self) -> bool:
        """Whether an answer is due, before which no line is read."""
        return self.visit.typeahead.waiting

    @property
    def name(self) -> str:
        """The person's name, "" before the server has greeted them."""
        return "" if self.client_state.welcome is None else self.client_state.welcome.name

    def tell(self, *lines: str) -> None:
        """Write `lines`, translated already."""
        self.told += [line for line in lines if line]

    def explain(self, sentence: str, **places: object) -> None:
        """Write the English `sentence` in the reader's language."""
        self.tell(self.translator.gettext(sentence, **places))

    def send(self, command: Command, *, awaited: bool = True) -> None:
        """Send `command`; what is typed waits for its answer if it is `awaited`."""
        self._handle(Wanted(command, awaited))

    def save_settings(self) -> None:
        """Have what the person chose saved now; without a connection, later."""
        self._handle(SaveSettings(now=True))

    def leave(self, farewell: Farewell = Farewell()) -> None:  # noqa: B008 - a constant
        """End the visit, with `farewell` or with how to come back."""
        self._handle(QuitRequest(farewell))

    # Topics.

    def push(self, topic: "LineMenu") -> None:
        """Open `topic` above this one."""
        self.topics.append(topic)
        topic.open()

    def pop(self) -> None:
        """Go back to the menu below."""
        if len(self.topics) > 1:
            self.topics.pop()
        self.topics[-1].open()

    def keep(self, count: int) -> None:
        """Close all menus but the lowest `count`, silently."""
        del self.topics[count:]

    # What several topics tell.

    @property
    def games(self) -> tuple[GameInfo, ...]:
        """The server's games."""
        return () if self.client_state.welcome is None else self.client_state.welcome.games

    @property
    def reader(self) -> Reader:
        """The person as the reader of a page."""
        welcome = self.client_state.welcome
        return Reader(
            self.translator,
            self.speeches,
            self.shell_commands,
            welcome is not None and welcome.guest,
            tuple(game.name for game in self.games),
            now=this_minute(),
            spoken=True,
        )

    def title(self, name: str, options: Mapping[str, str]) -> str:
        """Return a game and its options in a few words: "Cartino 1974"."""
        return game_title(self.speeches, name, options, self.translator)


class MenuChoice(msgspec.Struct, frozen=True):
    """What can be chosen: a translated `label`, what it does, words to type for it, and lines told `before` it."""

    label: str
    then: Callable[[], None]
    words: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


class LineMenu:
    """The base of menus. A subclass gives `opening` and `choices`, and takes lines that are no choice (`free`)."""

    def __init__(self, context: PlainContext) -> None:
        self.context = context
        self._offered: tuple[MenuChoice, ...] = ()

    @property
    def translator(self) -> Translator:
        """The reader's language."""
        return self.context.translator

    # What a subclass gives.

    def opening(self) -> Sequence[str]:
        """Return what this is about."""
        return ()

    def choices(self) -> Sequence[MenuChoice]:
        """Return what can be chosen by number, from 1."""
        return ()

    def back_label(self) -> str:
        """Return what 0 does here, "" where there is no way back."""
        return self.translator.gettext("back")

    def go_back(self) -> None:
        """Do what 0 does."""
        self.context.pop()

    def free(self, text: str) -> bool:
        """Take a line that is no choice; False where it means nothing here."""
        return False

    def word(self, text: str) -> Callable[[], None] | None:
        """Return what `text` does in the menus above this one, if it means nothing there."""
        return None

    def handle_unknown_line(self, text: str) -> None:
        """Answer a line that means nothing here."""
        count = len(self._offered)
        if count:
            self.context.explain(
                N_("Not one of the choices. Type a number from 0 to {n}, or press Enter to hear them again."),
                n=count,
            )
        else:
            self.context.explain(N_("That doesn't work here. Type help to hear what does."))

    def state_changed(self, before: ClientState) -> None:
        """Handle a change of what is known; `before` is what was known."""

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Take what was asked for; False where this topic asks for no such thing."""
        return False

    def handle_refusal(self, refusal: Refusal) -> None:
        """Tell why something was refused."""
        self.context.tell(self.translator.render(refusal.words()))

    def help(self) -> None:
        """Tell what can be done; where that is all there is, the choices."""
        self.open()

    # What the conversation calls.

    def open(self) -> None:
        """Tell what this is about and what can be chosen."""
        self.context.tell(*self.opening())
        self.offer()

    def resume(self) -> None:
        """Go on after a menu above this one."""
        self.open()

    def offer(self) -> None:
        """Tell the choices; numbers mean these from now on."""
        self._offered = tuple(self.choices())
        for number, choice in enumerate(self._offered, 1):
            self.context.tell(*choice.before, f"{number}: {choice.label}")
        if self._offered and self.back_label():
            self.context.tell(f"0: {self.back_label()}")

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""
        text = text.strip()
        chosen = None if self.free(text) else self._choice(text)
        if chosen is not None:
            chosen()

    def _choice(self, text: str) -> Callable[[], None] | None:
        translator = self.translator
        if not text:
            return self.open
        if text in {"0"} or find_word(translator.command_words("back"), text) is not None:
            return self.go_back if self.back_label() else self.open
        if text == "?" or find_word(translator.command_words("help"), text) is not None:
            return self.help
        if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(self._offered):
            return self._offered[int(text) - 1].then
        for choice in self._offered:
            if find_word(choice.words, text) is not None:
                return choice.then
        # The words of the lobby hold in its lists: who hears "join K7QP" may type it wherever they are.
        below = self.context.topics[0]
        meant = None if below is self or self.context.client_state.table is not None else below.word(text)
        return meant or partial(self.handle_unknown_line, text)


class ChoiceMenu(LineMenu):
    """A menu that says and offers always the same."""

    def __init__(self, context: PlainContext, opening: Sequence[str], choices: Sequence[MenuChoice]) -> None:
        super().__init__(context)
        self._opening = opening
        self._choices = choices

    def opening(self) -> Sequence[str]:
        """Return what this is about."""
        return self._opening

    def choices(self) -> Sequence[MenuChoice]:
        """Return what can be chosen."""
        return self._choices


class TextPrompt(LineMenu):
    """Asks for a line of text, and hands it on; an empty one goes back."""

    def __init__(self, context: PlainContext, question: str, then: Callable[[str], None]) -> None:
        """Ask the `question`, which was said already."""
        super().__init__(context)
        self._question = question
        self._then = then

    def opening(self) -> Sequence[str]:
        """Return the question."""
        return (self._question, self.translator.gettext("An empty line goes back."))

    def enter(self, text: str) -> None:
        """Take the answer."""
        text = text.strip()
        if not text:
            self.context.pop()
            return
        self.context.topics.remove(self)
        self._then(text)


class ConfirmMenu(ChoiceMenu):
    """Asks once more before something is done that can't be taken back."""

    def __init__(self, context: PlainContext, question: str, then: Callable[[], None], stay: str) -> None:
        """Ask the `question` and do `then` at a yes; else tell `stay`. Both sentences were said already."""
        yes = context.translator.gettext("yes")
        super().__init__(context, (question,), [MenuChoice(yes, self._confirmed, ("yes", "y", yes))])
        self._then = then
        self._stay = stay

    def _confirmed(self) -> None:
        self.context.topics.remove(self)
        self._then()

    def back_label(self) -> str:
        """Return the choice for no."""
        return self.translator.gettext("no")

    def free(self, text: str) -> bool:
        """Take a no."""
        if find_word(("no", "n", self.translator.gettext("no")), text) is None:
            return False
        self.go_back()
        return True

    def go_back(self) -> None:
        """Stay, without all being told again."""
        self.context.topics.remove(self)
        self.context.tell(self._stay)
