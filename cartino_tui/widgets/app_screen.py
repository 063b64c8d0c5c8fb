"""The base classes of the app's screens: input in order, overlays, commands and the server's answers.

Keys and clicks bypass Textual's bindings. The app looks those up after a key has bubbled, so in a burst a game's key
could overtake a key of the screen; here all input waits in one queue (`Typeahead`), which stops while an answer is due.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import events
from textual.message import Message

from cartino_protocol.commands import Command, Leave
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import QueryAnswer
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.key_table import key_by_place
from cartino_tui.keys import QUESTION, KeyTable
from cartino_tui.visit.connection import ConnectionState
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState, state_key
from cartino_tui.widgets.frame_screen import FrameScreen
from cartino_tui.widgets.layout import glyphs, hint_at, localize_hints, too_small, translate_hints
from cartino_tui.widgets.menu import LOBBY_PREFIX, Menu, MenuItem, lobby_items, menu_items, open_menu
from cartino_tui.widgets.notices import SlowAnswerNote, with_notice
from cartino_tui.widgets.prompt import Confirmation, Prompt, PromptLine, open_prompt, prompt_key_at

HintRow = tuple[tuple[str, str], ...]


class SendCommand(Message):
    """Asks the app to send `command` to the server."""

    def __init__(self, command: Command) -> None:
        """Create the message for `command`."""
        super().__init__()
        self.command = command


class Quit(Message):
    """Asks the app to end the visit with `farewell`, by default without a word."""

    def __init__(self, farewell: Farewell = Farewell()) -> None:  # noqa: B008 - a constant
        """Create the message."""
        super().__init__()
        self.farewell = farewell


class SettingsChanged(Message):
    """Posted when a setting has changed, so that the app applies and saves it."""


Overlay = PromptLine | Menu | Confirmation
"""An immutable prompt, menu or question over a screen; input produces the next one, or the answer."""


class OverlaySlot:
    """Holds the overlay of a screen, and acts on its answer."""

    def __init__(self, line: ConnectionState) -> None:
        """Keeps prompts open while `line` is down: an answer couldn't be sent."""
        self.open: Overlay | None = None
        self._line = line
        self._ended: PromptLine | None = None
        """The last finished prompt, until the next key: a refusal opens it again."""

    def show(self, overlay: Overlay) -> None:
        """Open `overlay` instead of any other."""
        self.open = overlay

    def begin_input(self) -> None:
        """Forget what the key or click before this one led to."""
        self._ended, self._line.send_failed = None, False

    def press(self, press: Press, look: Look) -> bool:
        """Give a key to the overlay; return False if none is open."""
        if self.open is None:
            return False
        self._advance(self.open, self.open.press(press, look))
        return True

    def tap(self, tap: Tap, look: Look) -> bool:
        """Give a click to the menu; return False if none is open."""
        if not isinstance(self.open, Menu):
            return False
        self._advance(self.open, self.open.tap(tap.x, tap.y, look))
        return True

    def reopen(self, refused: str, why: str) -> bool:
        """Open the last prompt again, with `why` in it, if it led to the `refused` command; return whether it did."""
        line, self._ended = self._ended, None
        if line is None or isinstance(self.open, PromptLine) or refused not in line.ask.to:
            return False
        self.open = line.noted(why)
        return True

    def _advance(self, overlay: Overlay, after: Overlay | str) -> None:
        """Replace the overlay, or close it and act on its answer."""
        if not isinstance(after, str):
            self.open = after
        elif after and self._line.is_down and isinstance(overlay, PromptLine):
            self._line.send_failed = True  # the line stays until the server can hear it
        else:
            self.open = None
            self._ended = overlay if isinstance(overlay, PromptLine) else None
            if after:
                overlay.submit_answer(after)


class AppScreen(FrameScreen):
    """The base of all screens. A subclass overrides `draw`, `keys`, `hints`, `press` and `tap`.

    Keys, clicks and pastes are handled one by one; an open overlay gets them first.
    """

    SHOWS_CHAT: ClassVar[bool] = False
    """Whether the screen shows a table's chat."""
    KEYS: ClassVar[KeyTable] = KeyTable()
    HINTS: ClassVar[Sequence[str]] = ()
    """Actions of `keys()` that `hints()` shows."""

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create a screen that shows `known`, without an overlay."""
        super().__init__(context)
        self.known = known
        self.status = ""
        self.lead = ""
        """Shown before the screen's own status where both fit, until the next key."""
        self._overlay = OverlaySlot(context.line)
        self._slow_note = SlowAnswerNote(lambda: context.typeahead.waiting, self.redraw)

    # For subclasses to override.

    def can(self, action: str) -> bool:
        """Return whether `action` of `keys()` does something now; the menu lists no other."""
        return True

    def press(self, press: Press) -> None:
        """Handle a key of the screen."""

    def tap(self, tap: Tap) -> None:
        """Handle a click that hit no hint."""

    def keys(self) -> KeyTable:
        """Return the keys that work now."""
        return self.KEYS

    def hints(self) -> HintRow:
        """Return the hints of `keys` to show, in English; a click on one presses its key."""
        return self.keys().hints(*self.HINTS)

    def game_keys(self) -> HintRow:
        """Return the game's own keys, as (key, what it does)."""
        return ()

    def state_changed(self) -> None:
        """Called when `self.known` is new."""

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Show the answer to a query; return False where this screen asked for nothing of the kind."""
        return False

    def unsaid(self) -> Command | None:
        """Return a command to send before the visit ends."""
        return None

    def connection_lost(self) -> None:
        """Called when the connection is lost: no answer will come."""

    def connection_restored(self) -> None:
        """Called when the server takes commands again."""

    # For subclasses to use.

    @property
    def question(self) -> Confirmation | None:
        """The open yes/no question; setting it closes any other overlay."""
        overlay = self._overlay.open
        return overlay if isinstance(overlay, Confirmation) else None

    @question.setter
    def question(self, question: Confirmation) -> None:
        self._overlay.show(question)

    def choose(self, choices: Sequence[MenuItem], then: Callable[[str], None], heading: str = "") -> None:
        """Open a menu of `choices`; `then` gets the key of the chosen one."""
        self._overlay.show(open_menu(choices, heading, then))

    def ask(self, ask: Prompt) -> None:
        """Ask for a line of text."""
        self._overlay.show(open_prompt(ask))

    @property
    def unfinished(self) -> str | None:
        """A half-typed chat line, or None."""
        overlay = self._overlay.open
        return overlay.text if isinstance(overlay, PromptLine) and overlay.ask.keep else None

    @property
    def status_text(self) -> str:
        """The text of the status line: the open question, or else the status."""
        return self.question.sentence if self.question else self.status

    def notice(self, sentence: str) -> None:
        """Show a sentence that answers no key of this screen."""
        self.status = sentence
        self.redraw()

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Show a refusal, in the prompt that led to it if there is one; return False to ignore it."""
        self.status = self.look.translator.render(refusal.words())
        if self._overlay.reopen(refusal.to, self.status):
            self.status = ""
        self.redraw()
        return True

    def send(self, command: Command, *, awaited: bool = True) -> None:
        """Send `command`; if it is `awaited`, input waits for the answer."""
        if isinstance(command, Leave) and self.context.line.is_down:
            sentence = self.look.translator.gettext(
                "You're not connected. Quit without waiting for the server?"
            )
            self.question = Confirmation(sentence, self._quit)
            return
        if awaited:
            self.context.typeahead.record_command(state_key(self.known), command)
            self._slow_note.begin()
        self.post_message(SendCommand(command))

    def prefer(self, **choices: object) -> None:
        """Change settings, by the names of `Settings`, at once."""
        self.context.preferences.choose(**choices)
        self.post_message(SettingsChanged())

    def waiting_notice(self) -> str:
        """Return what the screen waits for, or else the host's latest notice."""
        if self.question is not None:
            return ""
        translator, context = self.look.translator, self.context
        line = translator.render(context.line.sentence(context.now()))
        if waits := line or translator.gettext(self._slow_note.sentence):
            return waits
        told = context.host.format_unread_notice(translator)
        # Two whole sentences, and what a host types may end without a full stop.
        return f" {glyphs(self.look).dot} ".join(filter(None, (told, self.status_text))) if told else ""

    # Called by the app.

    def draw_overlay(self, frame: Frame, look: Look) -> Frame:
        """Draw the overlay and the notice over `frame`."""
        notice = self.waiting_notice()
        if self._overlay.open is not None:
            return self._overlay.open.draw(frame, look, notice)
        return with_notice(frame, notice, look) if notice else frame

    def take_key(self, event: events.Key) -> bool:
        """Queue a key; return False for the app's own keys."""
        if event.key in {"ctrl+c", "ctrl+q", "ctrl+z"}:
            return False
        self.typed(Press(event.key, event.character if event.is_printable else None))
        return True

    def typed(self, typed: Press | Tap) -> None:
        """Queue input, and have the screen in front handle it."""
        self.context.presence.typed()
        self.context.typeahead.hold(typed)
        front = self.app.screen
        if isinstance(front, AppScreen):
            front.drain()

    def drain(self) -> None:
        """Handle queued input until an answer is due or another screen is in front, then redraw."""
        undrawn = False
        while self.is_mounted and self.in_front:
            typed = self.context.typeahead.next()
            if typed is None:
                dropped = self.context.typeahead.dropped()
                if dropped is not None:
                    self.notice(self.look.translator.render(dropped))
                break
            if undrawn and isinstance(typed, Tap):
                self.redraw()  # a click hits what is shown
            self._do(typed)
            undrawn = True
        if undrawn:
            self.redraw()

    def _do(self, typed: Press | Tap) -> None:
        if too_small(self.look):
            return
        self._overlay.begin_input()
        self.context.host.read()
        table, chat = self.known.table, self.known.chat
        if self.SHOWS_CHAT and table is not None and chat is not None:
            self.context.unread.read(table.code, chat)
        if isinstance(typed, Tap):
            if not self._overlay.tap(typed, self.look):
                self._tapped(typed)
        elif typed.key == "ctrl+l":
            self.repaint()
        elif not self._overlay.press(typed, self.look):
            self.do_key(self.translate_key(typed))

    def show_state(self, known: ClientState) -> None:
        """Show `known`."""
        self.known = known
        self.state_changed()
        table, chat, context = known.table, known.chat, self.context
        if self.SHOWS_CHAT and table is not None and chat is not None:
            front = self.app.screen
            seen = isinstance(front, AppScreen) and front.SHOWS_CHAT and not context.presence.is_reported_away
            context.unread.update(table.code, chat, known.welcome.name if known.welcome else "", seen=seen)
            new = context.unread.count(table.code)
            if new:
                self.lead = self.look.translator.ngettext("{n} new message.", "{n} new messages.", new)
        self.redraw()

    def translate_key(self, press: Press) -> Press:
        """Return the key of the tables that `press` stands for in the person's keymap, or by its place."""
        keymap = self.context.preferences.keymap
        key, place = keymap.meaning(press.key), key_by_place(press.key)
        if place != press.key == key and not self.uses(key):
            key = keymap.meaning(place)
        return press if key == press.key else Press(key, press.character)

    def uses(self, key: str) -> bool:
        """Return whether `key` itself means something here."""
        return self.keys().action(key) is not None

    def do_key(self, press: Press) -> None:
        """Do what a key of the tables means."""
        self.status = self.lead = ""
        if self.keys().action(press.key) == "actions":
            self.choose(available_actions(self), partial(_run_action, self))
        else:
            self.press(press)

    def _tapped(self, tap: Tap) -> None:
        """Press the hint that was hit, or else leave the click to `tap`."""
        hit = hint_at(self.shown, tap.x, tap.y, self.shown_hints())
        keys = QUESTION if self.question else self.keys()
        pressed = keys.key(self._english_hints()[hit][0]) if hit is not None else None
        if self.question is not None:
            self._overlay.press(Press(pressed or ""), self.look)
        elif pressed is not None:
            self.do_key(Press(pressed))
        else:
            self.status = self.lead = ""
            self.tap(tap)

    def _english_hints(self) -> HintRow:
        return QUESTION.hints("yes", "no") if self.question else self.hints()

    def shown_hints(self) -> HintRow:
        """Return the hints to draw, in the person's language; those of the question while one is open."""
        look, table = self.look, self.known.table
        if self.question is not None:
            return translate_hints(self._english_hints(), look)
        hints = localize_hints(self._english_hints(), look)
        new = self.context.unread.count(table.code) if self.SHOWS_CHAT and table is not None else 0
        chat = look.key_shown(self.keys().hints("chat")[0][0]) if new else ""
        return tuple(
            (key, look.translator.gettext("{talk} ({n} new)", talk=what, n=new) if key == chat else what)
            for key, what in hints
        )

    def _quit(self) -> None:
        self.post_message(Quit())

    # Called by Textual.

    def on_key(self, event: events.Key) -> None:
        """Queue a key."""
        if self.take_key(event):
            event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Paste into the overlay; pasted text is never taken for keys."""
        event.stop()
        if self._overlay.open is not None:
            self._overlay.show(self._overlay.open.insert(event.text, self.look))
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Queue a click; in the row of a prompt, the key of the hint that was hit."""
        if event.button != 1:
            return
        if not isinstance(self._overlay.open, PromptLine) or event.screen_y != self.size.height - 1:
            self.typed(Tap(event.screen_x, event.screen_y, event.chain))
            return
        key = prompt_key_at(self.shown, self.look, event.screen_x)
        if key is not None:
            self.typed(Press(key))

    def on_mouse_scroll_down(self) -> None:
        """Press down."""
        self.typed(Press("down"))

    def on_mouse_scroll_up(self) -> None:
        """Press up."""
        self.typed(Press("up"))

    def on_screen_resume(self) -> None:
        """Draw, and handle what was typed ahead."""
        self.redraw()
        self.drain()

    def on_unmount(self) -> None:
        """Stop the timer."""
        self._slow_note.stop()


def available_actions(screen: AppScreen) -> tuple[MenuItem, ...]:
    """Return what can be done on `screen`, hinted keys first; then what the lobby can do from here."""
    own = menu_items(screen.keys(), screen.hints(), screen.game_keys(), screen.look, screen.can)
    lobby = screen.app.screen_stack[0]
    if screen.known.table is not None or lobby is screen or not isinstance(lobby, AppScreen):
        return own
    return own + lobby_items(menu_items(lobby.keys(), (), (), screen.look, lobby.can), screen.look.translator)


def _run_action(screen: AppScreen, chosen: str) -> None:
    """Do what the key `chosen` means on `screen`, or in the lobby."""
    app = screen.app
    lobby = app.screen_stack[0]
    if not chosen.startswith(LOBBY_PREFIX) or not isinstance(lobby, AppScreen):
        screen.do_key(Press(chosen))
        return
    while len(app.screen_stack) > 1:
        app.pop_screen()
    lobby.do_key(Press(chosen.removeprefix(LOBBY_PREFIX)))
    lobby.redraw()
