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
from cartino_tui.draw.cache import IdentityCache
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import AnyScreen, Look, Reaction, TableChrome
from cartino_tui.keys import TABLE, KeyTable
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
"""Seconds that something is picked before the house is told: a move made at once need not be remembered."""
NOTICE_SECONDS: Final = 12.0
"""How long a notice stands that no key sends away."""

_SHARED_VIEWS: Final[IdentityCache[msgspec.Struct]] = IdentityCache(64)
_SHARED_FRAMES: Final[IdentityCache[Frame]] = IdentityCache(64)
"""What those who look on have in common. All of a table ask one after the other, when there is news, and never again:
so this is for tables with news on their way, not for all. What a player sees nobody else does, and is not in here."""


class TableScreen(AppScreen):
    """A running or finished game. `pointer` is the plug's own: what is picked, where the cursor stands."""

    SHOWS_CHAT = True

    def __init__(
        self,
        stage: AppContext,
        known: ClientState,
        room: RoomView,
        game_screen: AnyScreen,
        begun: str | None = None,
    ) -> None:
        """The table `room`, drawn by `game_screen`; `begun` is a line half said.

        Raises msgspec.DecodeError where the plug can't read the table.
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
        """The pointer before the move that waits for its answer: the move is shown as made until the house has it."""
        self._after: msgspec.Struct = self.pointer
        """The pointer when that move is made."""
        self._heard, self._aside, self._in_hand = RecentChat(), PrivateLine(), SelectionSync()
        self._keeping: Timer | None = None
        self._clock_timer = ClockTimer(self, clocks_of(room, stage.now()), self._ticked)
        self._explanations = ScoreExplanations()
        self._animation = Animation(self.redraw)
        self._word = ""
        self._notice = ""
        """What stands in the status line for a while, unless there is more to say."""
        self._unsaved = ""
        """Why the house did not take the last move, until there is another or the table is new."""
        self._recall()

    def on_mount(self) -> None:
        """Go on with what was half said."""
        if self._begun is not None:
            self.ask(chat_prompt(self, self.known.chat, self._begun))

    def state_changed(self) -> None:
        """The table is new; what is pointed at stays, as far as it is still there."""
        room = self.known.room
        if room is not None and room is not self.room:
            self._learned(room)
        self._recall()
        self._keep()
        self._tell_resume_code()

    def notice(self, sentence: str) -> None:
        """Show `sentence` until the next key, but not for long: it stands where the game says whose turn it is."""
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
            # It was about a table that is no more.
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
        """In how many pictures to show how the table came to what it is now."""
        wanted, watchers = self.stage.preferences.settings.motion, self.room.spectators
        seen = self.is_mounted and self.in_front and not self.quiet
        moves = seen and is_animated(self.app, wanted, watchers, plays=self.is_private)
        return self.game_screen.pictures(before, self.view) if moves else 0

    def _tell_resume_code(self) -> None:
        """Tell a guest the word once, unasked, as later may be too late; but not where it says how one begins."""
        word = self.known.welcome.word if self.known.welcome else ""
        if word not in {"", self._word} and has_seat(self.known, "playing"):
            told = self.look.translator.gettext("Your word to come back: {word}", word=word)
            self._aside.tell(told, self.known.chat)
            self.set_timer(PRIVATE_LINE_SECONDS, lambda: self._drop(told))
        self._word = word

    def draw(self, look: Look) -> Frame:
        """The plug's picture, with what the frame has to say around it."""
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
        """The picture of what just happened that is due: one for all who look on."""
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
        """What stays on the screen from one key to the next."""
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
        """A player's table is: it has the hand on it."""
        return self.room.you is not None

    def keys(self) -> KeyTable:
        """The frame's keys at a table."""
        return TABLE

    def hints(self) -> HintRow:
        """The frame's keys that mean something now; where there is no room for all, the first ones give way."""
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
        """What the game's own keys do just now."""
        return tuple(self.game_screen.keys_now(self.room, self.view, self.pointer))

    def refused(self, refusal: Refusal) -> bool:
        """The sentence; where the game's own rule refused a move, the game's own. What was in hand is in hand again."""
        said = self.look.translator.render(refusal.words())
        if refusal.to == Act.__name__ and self._before is not None:
            self.pointer = self.game_screen.follow(self.room, self.view, self._before)
            self._before = None
            self._unsaved = said if refusal.reason == "not-saved" else ""
        illegal = refusal.reason == "illegal"
        self.status = self.game_screen.refused(refusal.detail, self.look.translator) if illegal else said
        if refusal.reason == "stale":
            # What made it so may come only now, and would take it away unread.
            self.notice(said)
        self.redraw()
        return True

    def typed(self, typed: Press | Tap) -> None:
        """What moves is there at once when something is typed, even if that has to wait."""
        moved = self._animation.before is not None
        self._animation.stop()
        super().typed(typed)
        if moved:
            self.redraw()

    def meant(self, press: Press) -> Press:
        """A name that is being typed is spelled with the keys as they are."""
        return press if self.game_screen.is_typing(self.pointer) else super().meant(press)

    def press(self, press: Press) -> None:
        """The plug's key, or else the frame's."""
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
        """A click is the plug's."""
        self._notice = ""
        self._reacted(self.game_screen.click(self.room, self.view, self.pointer, self.look, tap.x, tap.y))

    def _reacted(self, reaction: Reaction[Any]) -> bool:
        """Whether the plug took what was typed; a move it led to is said to the house."""
        if reaction.move is not None and self.room.paused:
            self.status = self.look.translator.gettext(PAUSED)
            return True
        before = self.pointer
        if reaction.move is not None or reaction.pointer != before:
            self._unsaved = ""
        # The move that was not saved is why the plug can do nothing with this key.
        self.status = (reaction.status and self._unsaved) or reaction.status
        if reaction.move is not None:
            self._before, self._after = before, reaction.pointer
            self.wish(Act(self.room.number, encode_raw(reaction.move)))
        else:
            self.pointer = reaction.pointer
            self._keep()
        return reaction.taken

    def _keep(self) -> None:
        """Have the house keep what is picked, unless the move is made at once."""
        mine = self._keeping is None and self.room.you is not None
        if mine and self.is_mounted and self._in_hand.is_news(*self._held):
            self._keeping = self.set_timer(SAVE_SELECTION_AFTER, self._keep_now)

    def _keep_now(self) -> None:
        self._keeping = None
        if (keep := self.unsaid()) is not None:
            self.wish(keep, awaited=False)

    def unsaid(self) -> Keep | None:
        """What is in hand, if the house does not know it. While a move waits for its answer nobody does."""
        if self.room.you is None or self._before is not None:
            return None
        return self._in_hand.keep(*self._held)

    def connection_lost(self) -> None:
        """What is in hand here will be newer than what the house has kept of it."""
        self._in_hand.ignore_next_stored()

    def connection_restored(self) -> None:
        """The house is told what is in hand."""
        self._in_hand.forget_stored()

    @property
    def _held(self) -> tuple[int, bytes]:
        """The state of the table, and the plug's words for what is in hand."""
        return self.room.number, self.game_screen.memo(self.pointer)

    def _recall(self) -> None:
        """Take in hand again what the house has kept."""
        memo = self._in_hand.recall(self.room.number, self.known.kept)
        if memo is not None:
            self.pointer = self.game_screen.recall(self.room, self.view, self.pointer, memo)

    def _ticked(self) -> None:
        self._warn()
        self.redraw()

    def _warn(self) -> None:
        """Say once in a turn of one's own that it is nearly over; no substitute answers a claim."""
        if self.room.claim is None or not self.room.claim.stops:
            self.status = self._clock_timer.warning(self.room.you) or self.status

    def _tell_why(self) -> None:
        """To who waits it stands as a notice, or the next move of the others would take it away unread."""
        told = self._explanations.why(self.game_screen, self.room, self.view, self.pointer, self.look)
        if self.room.state == "playing" and self.room.you not in self.room.turn:
            self.notice(told)
        else:
            self.status = told

    def _pause(self) -> None:
        """Vote for the other of play and pause; a vote given already is taken back."""
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

    # What Textual calls.

    def on_screen_resume(self) -> None:
        """The clocks are seen again."""
        self._warn()
        self._clock_timer.wind()

    def on_screen_suspend(self) -> None:
        """Nobody sees the clocks, nor what moves."""
        self._clock_timer.stop()
        self._animation.stop()

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        self._animation.stop()
