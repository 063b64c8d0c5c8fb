"""The table during and after a game: the game draws and reads keys first, the screen does the rest.

Frames of spectators are shared between sessions, because they are identical; those of players are not.
"""

from functools import partial
from typing import Any, Final

import msgspec
from textual.timer import Timer

from cartino_protocol.commands import Act, Cut, Keep, Leave, Pause, Rematch
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_protocol.wire import encode_raw
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame, IdentityCache
from cartino_tui.game_port.screen import AnyScreen, Look, Reaction, TableChrome
from cartino_tui.keys import TABLE
from cartino_tui.screens.chat import PRIVATE_LINE_SECONDS, PrivateLine, RecentChat, chat_prompt, table_facts
from cartino_tui.screens.table_actions import (
    PAUSED,
    TABLE_OVERLAYS,
    ScoreExplanations,
    current_table_keys,
    hint_or_reason,
    hints_allowed,
    leave_question,
    status_sentence,
    why_no_cut,
    why_no_pause,
    why_no_rematch,
)
from cartino_tui.screens.table_timers import Animation, ClockTimer, is_animated
from cartino_tui.time_control import clocks_of
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, SelectionSync, Tap
from cartino_tui.visit.state import ClientState, has_seat
from cartino_tui.widgets.app_screen import AppScreen, HintRow, Quit
from cartino_tui.widgets.help import HelpScreen, cut_prompt, resume_code_help, table_help
from cartino_tui.widgets.prompt import Confirmation

RESUME_HINT: Final = N_("go on")
GAME_OVER: Final = N_("The game is over: r plays again, q goes back to the lobby.")
SAVE_SELECTION_AFTER: Final = 0.3
"""Seconds after which a selection is sent: a move made at once needs none."""
NOTICE_SECONDS: Final = 12.0
"""Seconds that a notice stands."""

_SHARED_VIEWS: Final[IdentityCache[msgspec.Struct]] = IdentityCache(64)
_SHARED_FRAMES: Final[IdentityCache[Frame]] = IdentityCache(64)
"""Shared by the spectators of a table, who all ask for the same one after each change; so these are few. Players'
frames are private."""


class TableScreen(AppScreen):
    """A running or finished game. `pointer` is the game screen's: cursor and selection."""

    KEYS = TABLE
    SHOWS_CHAT = True

    def __init__(
        self,
        stage: AppContext,
        known: ClientState,
        room: RoomView,
        game_screen: AnyScreen,
        begun: str | None = None,
    ) -> None:
        """Create the screen; `begun` is a half-typed chat line.

        Raises msgspec.DecodeError if the game screen can't read the table.
        """
        super().__init__(stage, known)
        self.room = room
        self.game_screen = game_screen
        self._begun = begun
        self.view = self._read(room)
        self.pointer: msgspec.Struct = game_screen.follow(room, self.view, game_screen.fresh())
        self._under: IdentityCache[Frame | None] = IdentityCache(1)
        self._frames: IdentityCache[Frame] = IdentityCache(1)
        self._before: msgspec.Struct | None = None
        """The pointer before a move that waits for its answer; meanwhile the move is shown as made."""
        self._after: msgspec.Struct = self.pointer
        """The pointer once that move is made."""
        self._heard, self._aside, self._in_hand = RecentChat(), PrivateLine(), SelectionSync()
        self._keeping: Timer | None = None
        self._clock_timer = ClockTimer(self, clocks_of(room, stage.now()), self._ticked)
        self._explanations = ScoreExplanations()
        self._animation = Animation(self.redraw)
        self._word = ""
        self._notice = ""
        """Stands in the status line for a while, unless there is more to say."""
        self._unsaved = ""
        """Why the last move was not saved, until the next move or state."""
        self._recall()

    def on_mount(self) -> None:
        """Reopen a half-typed chat line."""
        if self._begun is not None:
            self.ask(chat_prompt(self, self.known.chat, self._begun))

    def state_changed(self) -> None:
        """Show the new table; the pointer stays as far as it applies."""
        room = self.known.room
        if room is not None and room is not self.room:
            self._learned(room)
        self._recall()
        self._keep()
        self._tell_resume_code()

    def notice(self, sentence: str) -> None:
        """Show `sentence` until the next key, but not for long: it hides whose turn it is."""
        self._notice, self.status = sentence, ""
        self.set_timer(NOTICE_SECONDS, lambda: self._drop(sentence))

    def _drop(self, sentence: str) -> None:
        self._aside.drop(sentence)
        self._notice = "" if self._notice == sentence else self._notice
        self.redraw()

    def _learned(self, room: RoomView) -> None:
        if room.code != self.room.code:
            self.pointer = self.game_screen.fresh()
        moved = room.number != self.room.number
        if moved and self._before is not None:
            self._before, self.pointer = None, self._after
        translator = self.look.translator
        if moved or status_sentence(room, translator) != status_sentence(self.room, translator):
            # They were about the old state.
            self.status = self.lead = self._unsaved = ""
        before = self.view
        try:
            self.view = self._read(room)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return
        self.room = room
        self.pointer = self.game_screen.follow(room, self.view, self.pointer)
        self._clock_timer.clocks = clocks_of(room, self.stage.now())
        self._warn()
        self._clock_timer.wind()
        self._animation.begin(before, self._pictures(before))

    def _pictures(self, before: msgspec.Struct) -> int:
        """Return how many animation frames show the change since `before`."""
        wanted, watchers = self.stage.preferences.settings.motion, self.room.spectators
        seen = self.is_mounted and self.in_front and not self.quiet
        moves = seen and is_animated(self.app, wanted, watchers, plays=self.is_private)
        return self.game_screen.pictures(before, self.view) if moves else 0

    def _tell_resume_code(self) -> None:
        """Show a guest the resume code once, as soon as a game runs."""
        word = self.known.welcome.word if self.known.welcome else ""
        if word not in {"", self._word} and has_seat(self.known, "playing"):
            told = self.look.translator.gettext("Your word to come back: {word}", word=word)
            self._aside.tell(told, self.known.chat)
            self.set_timer(PRIVATE_LINE_SECONDS, lambda: self._drop(told))
        self._word = word

    def draw(self, look: Look) -> Frame:
        """Draw the game's frame with chat, status, clocks and hints."""
        room, game_screen = self.room, self.game_screen
        around = TableChrome(
            title=f"{game_screen.title_of(room.options, look.translator)} · {room.code}",
            facts=table_facts(room, look, self.link_time),
            said=self._heard.said(self.known.chat, look.translator) + self._aside.lines(self.known.chat),
            status=self.news or status_sentence(room, look.translator) or self._notice,
            lead=self.lead,
            hints=self.shown_hints(),
            alone=self.question is not None,
            clocks=self._clock_timer.shown(),
        )
        if self._animation.before is not None:
            return self._draw_motion(look, around, self._animation.before)
        return (self._frames if self.is_private else _SHARED_FRAMES).get(
            (game_screen, room, self.view),
            (self.pointer, look, around),
            lambda: game_screen.draw(room, self.view, self.pointer, look, around, self._lying(look, around)),
        )

    def _draw_motion(self, look: Look, around: TableChrome, before: msgspec.Struct) -> Frame:
        """Draw the current animation frame, shared by all spectators."""
        room, view, game_screen, picture = self.room, self.view, self.game_screen, self._animation.picture
        if self.is_private:
            under = self._lying(look, around)
            return game_screen.draw_picture(room, view, self.pointer, look, around, before, picture, under)
        return _SHARED_FRAMES.get(
            (game_screen, room, view, before),
            (self.pointer, look, around, picture),
            lambda: game_screen.draw_picture(
                room, view, self.pointer, look, around, before, picture, self._lying(look, around)
            ),
        )

    def _lying(self, look: Look, around: TableChrome) -> Frame | None:
        """Return the part of the frame that stays from key to key."""
        game_screen, room, view = self.game_screen, self.room, self.view
        still = msgspec.structs.replace(around, status="", lead="")
        return self._under.get(
            (room, view), (look, still), lambda: game_screen.under(room, view, look, still)
        )

    def _read(self, room: RoomView) -> msgspec.Struct:
        read = partial(self.game_screen.read, room.table)
        return _SHARED_VIEWS.get((self.game_screen, room), None, read) if room.you is None else read()

    @property
    def is_private(self) -> bool:
        """A player's table shows their hand."""
        return self.room.you is not None

    def hints(self) -> HintRow:
        """Return the frame's keys that work now; where space is short, the first ones go."""
        room = self.room
        plays, over = room.you is not None, room.state == "finished"
        before = () if over else ("pause",)
        after = ("rematch",) if over else ()
        ideas = ("advice",) if hints_allowed(self.stage.preferences.settings, room) else ()
        hints = TABLE.hints(
            *(before * plays), "chat", "why", *ideas, *(after * plays), "actions", "help", "leave"
        )
        return tuple((key, RESUME_HINT if room.paused and key == "p" else what) for key, what in hints)

    def game_keys(self) -> HintRow:
        """Return the game's keys that work now."""
        return tuple(self.game_screen.keys_now(self.room, self.view, self.pointer))

    def refused(self, refusal: Refusal) -> bool:
        """Show the refusal, in the game's words for its own rules, and restore the selection."""
        said = self.look.translator.render(refusal.words())
        if refusal.to == Act.__name__ and self._before is not None:
            self.pointer = self.game_screen.follow(self.room, self.view, self._before)
            self._before = None
            self._unsaved = said if refusal.reason == "not-saved" else ""
        illegal = refusal.reason == "illegal"
        self.status = self.game_screen.refused(refusal.detail, self.look.translator) if illegal else said
        if refusal.reason == "stale":
            # The newer state may come only now, and would clear the status.
            self.notice(said)
        self.redraw()
        return True

    def typed(self, typed: Press | Tap) -> None:
        """End the animation at once, even if the key has to wait."""
        moved = self._animation.before is not None
        self._animation.stop()
        super().typed(typed)
        if moved:
            self.redraw()

    def meant(self, press: Press) -> Press:
        """Leave keys untranslated while a name is typed."""
        return press if self.game_screen.is_typing(self.pointer) else super().meant(press)

    def press(self, press: Press) -> None:
        """Let the game handle the key, or else the frame."""
        self._notice = ""
        if self._reacted(self.game_screen.key(self.room, self.view, self.pointer, press.key, self.look)):
            return
        match TABLE.action(press.key):
            case "chat":
                self.ask(chat_prompt(self, self.known.chat))
            case str(over) if over in TABLE_OVERLAYS:
                self.app.push_screen(TABLE_OVERLAYS[over](self.stage, self.known))
            case "help":
                self._help()
            case "why":
                self._tell_why()
            case "advice":
                wanted = self.stage.preferences.settings
                self.status = hint_or_reason(self.game_screen, self.room, self.view, self.look, wanted)
            case "pause":
                self._pause()
            case "rematch":
                self._rematch()
            case "cut":
                self._cut()
            case "leave":
                self._leave()
            case _ if self.room.state == "finished":
                self.status = self.look.translator.gettext(GAME_OVER)

    def tap(self, tap: Tap) -> None:
        """Let the game handle the click."""
        self._notice = ""
        self._reacted(self.game_screen.click(self.room, self.view, self.pointer, self.look, tap.x, tap.y))

    def _reacted(self, reaction: Reaction[Any]) -> bool:
        """Return whether the game took the input; send the move that it led to."""
        if reaction.move is not None and self.room.paused:
            self.status = self.look.translator.gettext(PAUSED)
            return True
        before = self.pointer
        if reaction.move is not None or reaction.pointer != before:
            self._unsaved = ""
        # The unsaved move explains why the game has no use for this key.
        self.status = (reaction.status and self._unsaved) or reaction.status
        if reaction.move is not None:
            self._before, self._after = before, reaction.pointer
            self.wish(Act(self.room.number, encode_raw(reaction.move)))
        else:
            self.pointer = reaction.pointer
            self._keep()
        return reaction.taken

    def _keep(self) -> None:
        """Send the selection after a while, unless a move comes first."""
        mine = self._keeping is None and self.room.you is not None
        if mine and self.is_mounted and self._in_hand.is_news(*self._held):
            self._keeping = self.set_timer(SAVE_SELECTION_AFTER, self._keep_now)

    def _keep_now(self) -> None:
        self._keeping = None
        if (keep := self.unsaid()) is not None:
            self.wish(keep, awaited=False)

    def unsaid(self) -> Keep | None:
        """Return the selection, if the server doesn't have it; none while a move waits for its answer."""
        if self.room.you is None or self._before is not None:
            return None
        return self._in_hand.keep(*self._held)

    def connection_lost(self) -> None:
        """Ignore the server's next copy: the selection here is newer."""
        self._in_hand.ignore_next_stored()

    def connection_restored(self) -> None:
        """Send the selection again."""
        self._in_hand.forget_stored()

    @property
    def _held(self) -> tuple[int, bytes]:
        """The table's state number, and the game's bytes for the selection."""
        return self.room.number, self.game_screen.memo(self.pointer)

    def _recall(self) -> None:
        """Restore the selection that the server stored."""
        memo = self._in_hand.recall(self.room.number, self.known.kept)
        if memo is not None:
            self.pointer = self.game_screen.recall(self.room, self.view, self.pointer, memo)

    def _ticked(self) -> None:
        self._warn()
        self.redraw()

    def _warn(self) -> None:
        """Warn once a turn that one's time is nearly up; not for a claim, where no substitute plays."""
        if self.room.claim is None or not self.room.claim.stops:
            self.status = self._clock_timer.warning(self.room.you) or self.status

    def _tell_why(self) -> None:
        """Explain the score; as a notice for those who wait, since the next move would clear the status."""
        told = self._explanations.why(self.game_screen, self.room, self.view, self.pointer, self.look)
        if self.room.state == "playing" and self.room.you not in self.room.turn:
            self.notice(told)
        else:
            self.status = told

    def _pause(self) -> None:
        """Vote to pause or resume, or take the vote back."""
        room = self.room
        self.status = why_no_pause(room, self.look.translator)
        if not self.status:
            voted = room.you in room.votes
            self.wish(Pause(room.paused == voted), awaited=False)

    def _help(self) -> None:
        parts = resume_code_help(self.known.welcome, self.stage.door, self.look.translator)
        wanted, translator = self.stage.preferences.settings, self.look.translator
        now = current_table_keys(self.game_screen, self.room, self.view, self.pointer, wanted, translator)
        help = table_help(self.game_screen, self.room, translator, now, parts)
        self.app.push_screen(HelpScreen(self.stage, self.known, help))

    def _rematch(self) -> None:
        translator = self.look.translator
        self.status = why_no_rematch(self.room, translator)
        if not self.status:
            self.status = translator.gettext("You want another game; it begins when the others want it too.")
            if self.room.you not in self.room.again:
                self.wish(Rematch())

    def _cut(self) -> None:
        self.status = why_no_cut(self.room, self.look.translator)
        if not self.status:
            self.ask(cut_prompt(self._say_cut, self.look.translator))

    def _say_cut(self, cut: Cut) -> None:
        self.wish(cut, awaited=False)
        self.status = self.look.translator.gettext("Your cut goes into the next game's shuffle.")

    def _leave(self) -> None:
        if self.room.state == "playing" and self.room.you is not None:
            asked = leave_question(self.known.welcome, self.look.translator)
            self.question = Confirmation(asked, lambda: self.wish(Leave()))
        else:
            self.wish(Leave())

    # Called by Textual.

    def on_screen_resume(self) -> None:
        """Start the clocks."""
        self._warn()
        self._clock_timer.wind()

    def on_screen_suspend(self) -> None:
        """Stop clocks and animation."""
        self._clock_timer.stop()
        self._animation.stop()

    def on_unmount(self) -> None:
        """Stop the animation."""
        self._animation.stop()
