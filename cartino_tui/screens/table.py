"""The table while a game runs and after it: the game's plug draws and reads the keys, the frame has what is left."""

from functools import partial
from typing import Any, Final

import msgspec
from textual.timer import Timer

from cartino_protocol.commands import Act, Cut, Keep, Leave, Pause, Rematch
from cartino_protocol.marking import N_
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import RoomView
from cartino_protocol.wire import raw
from cartino_tui.clocks import clocks_of
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.remembered import Remembered
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.screen import AnyScreen, Around, Look, Reaction
from cartino_tui.in_hand import InHand
from cartino_tui.keys import TABLE, KeyTable
from cartino_tui.known import Known, has_seat
from cartino_tui.screens.base import HintRow, HouseScreen, Quit
from cartino_tui.screens.clockwork import Clockwork
from cartino_tui.screens.help import HelpScreen, table_help, way_back_help
from cartino_tui.screens.learning import Reasons, advice, just_now, may_advise
from cartino_tui.screens.motion import Motion, may_move
from cartino_tui.screens.over import OVER_TABLES
from cartino_tui.screens.question import Question
from cartino_tui.screens.shuffle import ask_for_cut
from cartino_tui.screens.standing import PAUSED, may_cut, may_leave, may_pause, may_play_again, standing
from cartino_tui.screens.talk import ASIDE_SECONDS, Aside, Heard, ask_to_say, facts_of
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

GO_ON: Final = N_("go on")
OVER: Final = N_("The game is over: r plays again, q goes back to the lobby.")
KEEP_AFTER: Final = 0.3
"""Seconds that something is picked before the house is told: a move made at once need not be remembered."""
NOTICE_SECONDS: Final = 12.0
"""How long a notice stands that no key sends away."""

_VIEWS: Final[Remembered[msgspec.Struct]] = Remembered(64)
_FRAMES: Final[Remembered[Frame]] = Remembered(64)
"""What those who look on have in common. All of a table ask one after the other, when there is news, and never again:
so this is for tables with news on their way, not for all. What a player sees nobody else does, and is not in here."""


class TableScreen(HouseScreen):
    """A running or finished game. `pointer` is the plug's own: what is picked, where the cursor stands."""

    SHOWS_TALK = True

    def __init__(
        self, stage: Stage, known: Known, room: RoomView, plug: AnyScreen, begun: str | None = None
    ) -> None:
        """The table `room`, drawn by `plug`; `begun` is a line half said.

        Raises msgspec.DecodeError where the plug can't read the table.
        """
        super().__init__(stage, known)
        self.room = room
        self.plug = plug
        self._begun = begun
        self.view = self._read(room)
        self.pointer: msgspec.Struct = plug.follow(room, self.view, plug.fresh())
        self._under: Remembered[Frame | None] = Remembered(1)
        self._frames: Remembered[Frame] = Remembered(1)
        self._before: msgspec.Struct | None = None
        """The pointer before the move that waits for its answer: the move is shown as made until the house has it."""
        self._after: msgspec.Struct = self.pointer
        """The pointer when that move is made."""
        self._heard, self._aside, self._in_hand = Heard(), Aside(), InHand()
        self._keeping: Timer | None = None
        self._clockwork = Clockwork(self, clocks_of(room, stage.now()), self._ticked)
        self._reasons = Reasons()
        self._motion = Motion(self.redraw)
        self._word = ""
        self._notice = ""
        """What stands in the status line for a while, unless there is more to say."""
        self._unsaved = ""
        """Why the house did not take the last move, until there is another or the table is new."""
        self._recall()

    def on_mount(self) -> None:
        """Go on with what was half said."""
        if self._begun is not None:
            self.ask(ask_to_say(self, self.known.chat, self._begun))

    def learned(self) -> None:
        """The table is new; what is pointed at stays, as far as it is still there."""
        room = self.known.room
        if room is not None and room is not self.room:
            self._learned(room)
        self._recall()
        self._keep()
        self._tell_word()

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
            self.pointer = self.plug.fresh()
        moved = room.number != self.room.number
        if moved and self._before is not None:
            self._before, self.pointer = None, self._after
        tongue = self.look.tongue
        if moved or standing(room, tongue) != standing(self.room, tongue):
            # It was about a table that is no more.
            self.status = self.lead = self._unsaved = ""
        before = self.view
        try:
            self.view = self._read(room)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return
        self.room = room
        self.pointer = self.plug.follow(room, self.view, self.pointer)
        self._clockwork.clocks = clocks_of(room, self.stage.now())
        self._warn()
        self._clockwork.wind()
        self._motion.begin(before, self._pictures(before))

    def _pictures(self, before: msgspec.Struct) -> int:
        """In how many pictures to show how the table came to what it is now."""
        wanted, watchers = self.stage.preferences.settings.motion, self.room.spectators
        seen = self.is_mounted and self.in_front and not self.quiet
        moves = seen and may_move(self.app, wanted, watchers, plays=self.is_own)
        return self.plug.pictures(before, self.view) if moves else 0

    def _tell_word(self) -> None:
        """Tell a guest the word once, unasked, as later may be too late; but not where it says how one begins."""
        word = self.known.welcome.word if self.known.welcome else ""
        if word not in {"", self._word} and has_seat(self.known, "playing"):
            told = self.look.tongue.say("Your word to come back: {word}", word=word)
            self._aside.tell(told, self.known.chat)
            self.set_timer(ASIDE_SECONDS, lambda: self._drop(told))
        self._word = word

    def draw(self, look: Look) -> Frame:
        """The plug's picture, with what the frame has to say around it."""
        room, plug = self.room, self.plug
        around = Around(
            title=f"{plug.title_of(room.options, look.tongue)} · {room.code}",
            facts=facts_of(room, look, self.link_time),
            said=self._heard.said(self.known.chat, look.tongue) + self._aside.lines(self.known.chat),
            status=self.news or standing(room, look.tongue) or self._notice,
            lead=self.lead,
            hints=self.shown_hints(),
            alone=self.question is not None,
            clocks=self._clockwork.shown(),
        )
        if self._motion.before is not None:
            return self._draw_motion(look, around, self._motion.before)
        return (self._frames if self.is_own else _FRAMES).get(
            (plug, room, self.view),
            (self.pointer, look, around),
            lambda: plug.draw(room, self.view, self.pointer, look, around, self._lying(look, around)),
        )

    def _draw_motion(self, look: Look, around: Around, before: msgspec.Struct) -> Frame:
        """The picture of what just happened that is due: one for all who look on."""
        room, view, plug, picture = self.room, self.view, self.plug, self._motion.picture
        if self.is_own:
            under = self._lying(look, around)
            return plug.draw_picture(room, view, self.pointer, look, around, before, picture, under)
        return _FRAMES.get(
            (plug, room, view, before),
            (self.pointer, look, around, picture),
            lambda: plug.draw_picture(
                room, view, self.pointer, look, around, before, picture, self._lying(look, around)
            ),
        )

    def _lying(self, look: Look, around: Around) -> Frame | None:
        """What stays on the screen from one key to the next."""
        plug, room, view = self.plug, self.room, self.view
        still = msgspec.structs.replace(around, status="", lead="")
        return self._under.get((room, view), (look, still), lambda: plug.under(room, view, look, still))

    def _read(self, room: RoomView) -> msgspec.Struct:
        read = partial(self.plug.read, room.table)
        return _VIEWS.get((self.plug, room), None, read) if room.you is None else read()

    @property
    def is_own(self) -> bool:
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
        ideas = ("advice",) if may_advise(self.stage.preferences.settings, room) else ()
        hints = TABLE.hints(
            *(before * plays), "chat", "why", *ideas, *(after * plays), "actions", "help", "leave"
        )
        return tuple((key, GO_ON if room.paused and key == "p" else what) for key, what in hints)

    def more_keys(self) -> HintRow:
        """What the game's own keys do just now."""
        return tuple(self.plug.keys_now(self.room, self.view, self.pointer))

    def refused(self, refusal: Refusal) -> bool:
        """The sentence; where the game's own rule refused a move, the game's own. What was in hand is in hand again."""
        said = self.look.tongue.tell(refusal.words())
        if refusal.to == Act.__name__ and self._before is not None:
            self.pointer = self.plug.follow(self.room, self.view, self._before)
            self._before = None
            self._unsaved = said if refusal.reason == "not-saved" else ""
        illegal = refusal.reason == "illegal"
        self.status = self.plug.refused(refusal.detail, self.look.tongue) if illegal else said
        if refusal.reason == "stale":
            # What made it so may come only now, and would take it away unread.
            self.notice(said)
        self.redraw()
        return True

    def typed(self, typed: Press | Tap) -> None:
        """What moves is there at once when something is typed, even if that has to wait."""
        moved = self._motion.before is not None
        self._motion.stop()
        super().typed(typed)
        if moved:
            self.redraw()

    def meant(self, press: Press) -> Press:
        """A name that is being typed is spelled with the keys as they are."""
        return press if self.plug.is_typing(self.pointer) else super().meant(press)

    def press(self, press: Press) -> None:
        """The plug's key, or else the frame's."""
        self._notice = ""
        if self._reacted(self.plug.key(self.room, self.view, self.pointer, press.key, self.look)):
            return
        match TABLE.action(press.key):
            case "chat":
                self.ask(ask_to_say(self, self.known.chat))
            case str(over) if over in OVER_TABLES:
                self.app.push_screen(OVER_TABLES[over](self.stage, self.known))
            case "help":
                self._help()
            case "why":
                self._tell_why()
            case "advice":
                wanted = self.stage.preferences.settings
                self.status = advice(self.plug, self.room, self.view, self.look, wanted)
            case "pause":
                self._pause()
            case "rematch":
                self._rematch()
            case "cut":
                self._cut()
            case "leave":
                self._leave()
            case _ if self.room.state == "finished":
                self.status = self.look.tongue.say(OVER)

    def tap(self, tap: Tap) -> None:
        """A click is the plug's."""
        self._notice = ""
        self._reacted(self.plug.click(self.room, self.view, self.pointer, self.look, tap.x, tap.y))

    def _reacted(self, reaction: Reaction[Any]) -> bool:
        """Whether the plug took what was typed; a move it led to is said to the house."""
        if reaction.move is not None and self.room.paused:
            self.status = self.look.tongue.say(PAUSED)
            return True
        before = self.pointer
        if reaction.move is not None or reaction.pointer != before:
            self._unsaved = ""
        # The move that was not saved is why the plug can do nothing with this key.
        self.status = (reaction.status and self._unsaved) or reaction.status
        if reaction.move is not None:
            self._before, self._after = before, reaction.pointer
            self.wish(Act(self.room.number, raw(reaction.move)))
        else:
            self.pointer = reaction.pointer
            self._keep()
        return reaction.taken

    def _keep(self) -> None:
        """Have the house keep what is picked, unless the move is made at once."""
        mine = self._keeping is None and self.room.you is not None
        if mine and self.is_mounted and self._in_hand.is_news(*self._held):
            self._keeping = self.set_timer(KEEP_AFTER, self._keep_now)

    def _keep_now(self) -> None:
        self._keeping = None
        if (keep := self.unsaid()) is not None:
            self.wish(keep, awaited=False)

    def unsaid(self) -> Keep | None:
        """What is in hand, if the house does not know it. While a move waits for its answer nobody does."""
        if self.room.you is None or self._before is not None:
            return None
        return self._in_hand.keep(*self._held)

    def line_lost(self) -> None:
        """What is in hand here will be newer than what the house has kept of it."""
        self._in_hand.hold_on()

    def line_is_back(self) -> None:
        """The house is told what is in hand."""
        self._in_hand.tell_anew()

    @property
    def _held(self) -> tuple[int, bytes]:
        """The state of the table, and the plug's words for what is in hand."""
        return self.room.number, self.plug.memo(self.pointer)

    def _recall(self) -> None:
        """Take in hand again what the house has kept."""
        memo = self._in_hand.recall(self.room.number, self.known.kept)
        if memo is not None:
            self.pointer = self.plug.recall(self.room, self.view, self.pointer, memo)

    def _ticked(self) -> None:
        self._warn()
        self.redraw()

    def _warn(self) -> None:
        """Say once in a turn of one's own that it is nearly over; no substitute answers a claim."""
        if self.room.claim is None or not self.room.claim.stops:
            self.status = self._clockwork.warning(self.room.you) or self.status

    def _tell_why(self) -> None:
        """To who waits it stands as a notice, or the next move of the others would take it away unread."""
        told = self._reasons.why(self.plug, self.room, self.view, self.pointer, self.look)
        if self.room.state == "playing" and self.room.you not in self.room.turn:
            self.notice(told)
        else:
            self.status = told

    def _pause(self) -> None:
        """Vote for the other of play and pause; a vote given already is taken back."""
        room = self.room
        self.status = may_pause(room, self.look.tongue)
        if not self.status:
            voted = room.you in room.votes
            self.wish(Pause(room.paused == voted), awaited=False)

    def _help(self) -> None:
        parts = way_back_help(self.known.welcome, self.stage.door, self.look.tongue)
        wanted, tongue = self.stage.preferences.settings, self.look.tongue
        now = just_now(self.plug, self.room, self.view, self.pointer, wanted, tongue)
        help = table_help(self.plug, self.room, tongue, now, parts)
        self.app.push_screen(HelpScreen(self.stage, self.known, help))

    def _rematch(self) -> None:
        tongue = self.look.tongue
        self.status = may_play_again(self.room, tongue)
        if not self.status:
            self.status = tongue.say("You want another game; it begins when the others want it too.")
            if self.room.you not in self.room.again:
                self.wish(Rematch())

    def _cut(self) -> None:
        self.status = may_cut(self.room, self.look.tongue)
        if not self.status:
            self.ask(ask_for_cut(self._say_cut, self.look.tongue))

    def _say_cut(self, cut: Cut) -> None:
        self.wish(cut, awaited=False)
        self.status = self.look.tongue.say("Your cut goes into the next game's shuffle.")

    def _leave(self) -> None:
        if self.room.state == "playing" and self.room.you is not None:
            asked = may_leave(self.known.welcome, self.look.tongue)
            self.question = Question(asked, lambda: self.wish(Leave()))
        else:
            self.wish(Leave())

    # What Textual calls.

    def on_screen_resume(self) -> None:
        """The clocks are seen again."""
        self._warn()
        self._clockwork.wind()

    def on_screen_suspend(self) -> None:
        """Nobody sees the clocks, nor what moves."""
        self._clockwork.stop()
        self._motion.stop()

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        self._motion.stop()
