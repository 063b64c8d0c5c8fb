"""The base class of the app's screens: input, questions, prompts, menus, and what the server answers.

Keys and clicks bypass Textual's bindings. The app looks those up after a key has bubbled, so in a burst a game's key
could overtake a key of the screen; here all input waits in one queue (`Typeahead`), which stops while an answer is due.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.message import Message

from cartino_protocol.commands import Command, Leave
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import QueryAnswer
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import QUESTION, KeyTable
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState, state_key
from cartino_tui.widgets import menu
from cartino_tui.widgets.layout import glyphs, hint_at, too_small, translate_hints
from cartino_tui.widgets.menu import LOBBY_PREFIX, Menu, MenuItem, draw_menu, menu_items, open_menu
from cartino_tui.widgets.notices import SlowAnswerNote, with_notice
from cartino_tui.widgets.prompt import (
    Confirmation,
    Prompt,
    PromptLine,
    draw_prompt_line,
    open_prompt,
    prompt_key_at,
)
from cartino_tui.widgets.sheet import SheetScreen

HintRow = tuple[tuple[str, str], ...]


class SendCommand(Message):
    """Somebody wants `command` said to the house."""

    def __init__(self, command: Command) -> None:
        """Want `command` said."""
        super().__init__()
        self.command = command


class Quit(Message):
    """The visit ends, with these words."""

    def __init__(self, farewell: Farewell = Farewell()) -> None:  # noqa: B008 - a constant
        """End it with `farewell`: by default by one's own wish, without a word."""
        super().__init__()
        self.farewell = farewell


class AppScreen(SheetScreen):
    """The base of the screens. A subclass draws (`draw`) and says what a key or a click means (`press`, `tap`)."""

    SHOWS_CHAT: ClassVar[bool] = False
    """Whether the talk of a table is seen here."""

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """A screen on `stage` that shows `known`."""
        super().__init__(stage)
        self.known = known
        self.status = ""
        self.lead = ""
        """Words that stand before what a screen has to say by itself, where both fit; until the next key."""
        self.question: Confirmation | None = None
        self._line: PromptLine | None = None
        self._ended: PromptLine | None = None
        """The line that was done with last, until the next key."""
        self._choosing: Menu | None = None
        """The search among all actions, or in another list, while it is open."""
        self._choose_then: Callable[[str], None] = self._do_chosen
        """Does what was chosen in it, by its key."""
        self._patience = SlowAnswerNote(lambda: stage.typeahead.waiting, self.redraw)

    # What a subclass gives.

    def press(self, press: Press) -> None:
        """Do what a key means."""

    def tap(self, tap: Tap) -> None:
        """Do what a click means that hit no hint."""

    def keys(self) -> KeyTable:
        """The keys that mean something now."""
        return KeyTable()

    def hints(self) -> HintRow:
        """Those of `keys` that are drawn, in English; a click on one presses it."""
        return ()

    def game_keys(self) -> HintRow:
        """What else can be done by a key, as (key, what it does): the keys of a game."""
        return ()

    def state_changed(self) -> None:
        """`self.known` is new."""

    def notice(self, sentence: str) -> None:
        """Show a sentence that answers no key of this screen."""
        self.status = sentence
        self.redraw()

    def refused(self, refusal: Refusal) -> bool:
        """Show why something was refused; False where this screen asks for nothing."""
        self.status = self.look.translator.render(refusal.words())
        self._line_again(refusal.to)
        self.redraw()
        return True

    def _line_again(self, to: str) -> None:
        """Where the line that ended last led to what was refused, it stands there again, and says why."""
        line, self._ended = self._ended, None
        if line is not None and self._line is None and to in line.ask.to:
            self._line = line.noted(self.status)
            self.status = ""

    def answered(self, answer: QueryAnswer) -> bool:
        """Show what was asked for; False where this screen asks for no such thing."""
        return False

    def unsaid(self) -> Command | None:
        """What the house has to hear before the visit ends, at whatever moment that is."""
        return None

    def connection_lost(self) -> None:
        """The line to the house is lost: no answer that was asked for will come."""

    def connection_restored(self) -> None:
        """The house hears again, and shows what there is now."""

    # What a subclass uses.

    @property
    def news(self) -> str:
        """What stands in the status line: the question, if one is asked, else the status."""
        return self.question.sentence if self.question else self.status

    def wish(self, command: Command, *, awaited: bool = True) -> None:
        """Say `command` to the house; what is typed waits for the answer if it is `awaited`."""
        if isinstance(command, Leave) and self.stage.line.is_down:
            sentence = self.look.translator.gettext("There is no line to the house; leave it for good?")
            self.question = Confirmation(sentence, self._quit)
            return
        if awaited:
            self.stage.typeahead.asked(state_key(self.known), command)
            self._patience.begin()
        self.post_message(SendCommand(command))

    def choose(self, choices: Sequence[MenuItem], then: Callable[[str], None], heading: str = "") -> None:
        """Have one of `choices` chosen from a list below `heading`; `then` gets its key."""
        self._line, self._choosing, self._choose_then = None, open_menu(choices, heading), then

    def ask(self, ask: Prompt) -> None:
        """Ask for a line of text."""
        self._line, self._choosing = open_prompt(ask), None

    def over(self, frame: Frame, look: Look) -> Frame:
        """The line of text lies over the last row; over the one before, what one waits for."""
        notice = self._waits_for()
        if self._choosing is not None:
            return draw_menu(frame, self._choosing, look)
        if self._line is not None:
            return draw_prompt_line(frame, self._line.noted(notice) if notice else self._line, look)
        return with_notice(frame, notice, look) if notice and self.question is None else frame

    def _waits_for(self) -> str:
        """What keeps this screen waiting, or else what the host has just said; "" for nothing."""
        translator, stage = self.look.translator, self.stage
        line, told = translator.render(stage.line.sentence(stage.now())), stage.host.told(translator)
        # Two whole sentences, and what a host types may end without a full stop.
        both = f" {glyphs(self.look).dot} ".join(filter(None, (told, self.news)))
        return line or translator.gettext(self._patience.sentence) or (told and both)

    # What the app calls.

    def take(self, known: ClientState) -> None:
        """Show `known` from now on."""
        self.known = known
        self.state_changed()
        if self.SHOWS_CHAT:
            self._count_unread_chat()
        self.redraw()

    def take_key(self, event: events.Key) -> bool:
        """Put a key in line; False for those that are the app's."""
        if event.key in {"ctrl+c", "ctrl+q", "ctrl+z"}:
            return False
        self.typed(Press(event.key, event.character if event.is_printable else None))
        return True

    @property
    def unfinished(self) -> str | None:
        """A line of talk that is half typed, or None."""
        return self._line.text if self._line is not None and self._line.ask.keep else None

    def _count_unread_chat(self) -> None:
        """Tell of talk that came while the person looked elsewhere."""
        room, chat, stage = self.known.room, self.known.chat, self.stage
        if room is None or chat is None:
            return
        front = self.app.screen
        seen = isinstance(front, AppScreen) and front.SHOWS_CHAT and not stage.presence.is_reported_away
        name = self.known.welcome.name if self.known.welcome else ""
        stage.unread.hear(room.code, chat, name, seen=seen)
        new = stage.unread.count(room.code)
        if new:
            self.lead = self.look.translator.ngettext("{n} new line of talk.", "{n} new lines of talk.", new)

    def _mark_chat_read(self) -> None:
        """Whatever is typed here, its talk was seen."""
        room, chat = self.known.room, self.known.chat
        if self.SHOWS_CHAT and room is not None and chat is not None:
            self.stage.unread.read(room.code, chat)

    def drain(self) -> None:
        """Do what stands in line, as far as no answer is due and this screen is the one in front; then draw it."""
        undrawn = False
        while self.is_mounted and self.in_front:
            typed = self.stage.typeahead.next()
            if typed is None:
                dropped = self.stage.typeahead.dropped()
                if dropped is not None:
                    self.notice(self.look.translator.render(dropped))
                break
            if undrawn and isinstance(typed, Tap):
                self.redraw()  # what it hits is what is shown
            self._do(typed)
            undrawn = True
        if undrawn:
            self.redraw()

    def _do(self, typed: Press | Tap) -> None:
        if too_small(self.look):
            return
        self._ended = None
        self.stage.line.send_failed = False
        self.stage.host.read()
        self._mark_chat_read()
        if isinstance(typed, Tap):
            self._tapped(typed)
        elif typed.key == "ctrl+l":
            self.repaint()
        elif self._line is not None:
            self._write(self._line.press(typed))
        elif self._choosing is not None:
            self._search_on(self._choosing.press(typed, self.look))
        elif self.question is not None:
            self._answer(QUESTION.action(typed.key))
        else:
            self.do_key(self.meant(typed))

    def meant(self, press: Press) -> Press:
        """What a key stands for in the tables of keys, in the keymap that the person chose."""
        key = self.stage.preferences.keymap.meaning(press.key)
        return press if key == press.key else Press(key, press.character)

    def do_key(self, press: Press) -> None:
        """Do what a key of the tables means."""
        self.status = self.lead = ""
        if self.keys().action(press.key) == "actions":
            self.choose(self._all_choices(), self._do_chosen)
        else:
            self.press(press)

    def _search_on(self, after: Menu | str) -> None:
        """Go on with the search, or do what was chosen."""
        self._choosing = after if isinstance(after, Menu) else None
        if isinstance(after, str) and after:
            self._choose_then(after)

    def _do_chosen(self, chosen: str) -> None:
        lobby = self.app.screen_stack[0]
        if not chosen.startswith(LOBBY_PREFIX) or not isinstance(lobby, AppScreen):
            self.do_key(Press(chosen))
            return
        while len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        lobby.do_key(Press(chosen.removeprefix(LOBBY_PREFIX)))
        lobby.redraw()

    def _all_choices(self) -> tuple[MenuItem, ...]:
        """All that can be done: here, what the hints name first; then what can be done in the lobby from here."""
        own = menu_items(self.keys(), self.hints(), self.game_keys(), self.look)
        lobby = self.app.screen_stack[0]
        if self.known.room is not None or lobby is self or not isinstance(lobby, AppScreen):
            return own
        return own + menu.lobby_items(menu_items(lobby.keys(), (), (), self.look), self.look.translator)

    def key_of(self, help_row: tuple[str, str]) -> str | None:
        """The key that the help over this screen has in `help_row`; None where it presses nothing here."""
        return menu.item_key(self.keys(), self._all_choices(), help_row, self.look)

    def _write(self, after: PromptLine | str) -> None:
        """Go on with the line of text, or do what it was asked for."""
        if isinstance(after, PromptLine):
            self._line = after
            return
        if after and self.stage.line.is_down:
            # It stands there until the house hears it.
            self.stage.line.send_failed = True
            return
        line, self._line = self._line, None
        self._ended = line
        if line is not None and after:
            line.ask.then(after)

    def _tapped(self, tap: Tap) -> None:
        if self._choosing is not None:
            self._search_on(self._choosing.tap(tap.x, tap.y, self.look))
            return
        seen, hints = self.shown_hints(), self._hints()
        shown = hint_at(self.shown, tap.x, tap.y, seen)
        key = next((key for (here, _), (key, _) in zip(seen, hints, strict=True) if here == shown), None)
        pressed = (QUESTION if self.question else self.keys()).key(key) if key else None
        if self.question is not None:
            self._answer(QUESTION.action(pressed) if pressed else None)
        elif pressed is not None:
            self.do_key(Press(pressed))
        else:
            self.status = self.lead = ""
            self.tap(tap)

    def _hints(self) -> HintRow:
        """Those to draw, as the tables have them."""
        return QUESTION.hints("yes", "no") if self.question else self.hints()

    def shown_hints(self) -> HintRow:
        """The hints to draw, in the person's language: those of the question while one is asked."""
        translator, room, keymap = self.look.translator, self.known.room, self.stage.preferences.keymap
        hints = translate_hints(self._hints(), translator)
        if self.question is not None:
            return hints
        new = self.stage.unread.count(room.code) if self.SHOWS_CHAT and room is not None else 0
        chat = self.keys().hints("chat")[0][0] if new else ""
        return tuple(
            (
                keymap.shown(key),
                translator.gettext("{talk} ({n} new)", talk=what, n=new) if key == chat else what,
            )
            for key, what in hints
        )

    def _answer(self, action: str | None) -> None:
        question = self.question
        if question is not None and action is not None:
            self.question = None
            if action == "yes":
                question.yes()

    def _quit(self) -> None:
        self.post_message(Quit())

    # What Textual calls.

    def on_screen_resume(self) -> None:
        """This screen is in front now: what was typed ahead is for it."""
        self.redraw()
        self.drain()

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        self._patience.stop()

    def on_key(self, event: events.Key) -> None:
        """Put a key in line."""
        if self.take_key(event):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted goes into the line of text; without one it is nothing, least of all keys."""
        event.stop()
        if self._line is not None:
            self._line = self._line.insert(event.text)
        elif self._choosing is not None:
            self._choosing = self._choosing.insert(event.text, self.look)
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Put a click in line; on the line of text it is the key whose hint stands there, or nothing."""
        if event.button != 1:
            return
        if self._line is None or event.screen_y != self.size.height - 1:
            self.typed(Tap(event.screen_x, event.screen_y, event.chain))
            return
        key = prompt_key_at(self.shown, self.look, event.screen_x)
        if key is not None:
            self.typed(Press(key))

    def on_mouse_scroll_down(self) -> None:
        """The wheel is the down key."""
        self.typed(Press("down", wheel=True))

    def on_mouse_scroll_up(self) -> None:
        """The wheel is the up key."""
        self.typed(Press("up", wheel=True))

    def typed(self, typed: Press | Tap) -> None:
        """Put what was typed in line, and have the screen in front go on with it."""
        self.stage.presence.typed()
        self.stage.typeahead.hold(typed)
        front = self.app.screen
        if isinstance(front, AppScreen):
            front.drain()
