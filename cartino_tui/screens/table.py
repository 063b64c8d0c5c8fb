"""The table during and after a game: the game draws and reads keys first, the screen does the rest."""

from typing import Any, Final

import msgspec

from cartino_protocol.commands import Act, SaveSelection
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import QueryAnswer, ReplayView, TableView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import TITLE_DOT, AnyScreen, Look, Reaction, TableChrome
from cartino_tui.i18n import Translator
from cartino_tui.keys import TABLE
from cartino_tui.screens.chat import chat_prompt, others_here, table_facts
from cartino_tui.screens.replay.screen import open_replay
from cartino_tui.screens.table_actions import (
    TableActions,
    paused_sentence,
    status_sentence,
    useful_actions,
)
from cartino_tui.screens.table_state import GameScreenBase, ShownTable, TableFrames
from cartino_tui.screens.table_timers import Animation, ClockTimer, PassingLines, SelectionSaver, is_animated
from cartino_tui.time_control import Clocks, clocks_of
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import HintRow, Quit

RESUME_HINT: Final = N_("resume")
AGREE_HINT: Final = N_("agree")
WITHDRAW_HINT: Final = N_("withdraw")
"""What p does in a pause, when others have voted, and to the reader's own vote."""


_HINTED: Final = ["pause", "chat", "why", "hint", "results", "review", "rematch", "actions", "help", "leave"]
"""Actions in the order of their hints."""


def _vote_hint(table: TableView) -> str:
    """Return what p does, in English; "" where it asks for a pause."""
    if table.you in table.votes:
        return WITHDRAW_HINT
    if table.votes:
        return AGREE_HINT
    return RESUME_HINT if table.paused else ""


def _title(table: TableView, game: str, translator: Translator) -> str:
    """Return the table's title, which also says in the top row that the game is paused."""
    paused = [translator.gettext("paused").upper()] if table.paused else []
    daily = translator.gettext("practice") if table.practice else translator.gettext("daily")
    code = table.duplicate or (daily if table.once else table.code)
    return TITLE_DOT.join([game, code, *paused])


class TableScreen(GameScreenBase):
    """A running or finished game."""

    KEYS = TABLE
    SHOWS_CHAT = True

    def __init__(
        self,
        context: AppContext,
        known: ClientState,
        table: TableView,
        game_screen: AnyScreen,
        begun: str | None = None,
    ) -> None:
        """Create the screen; `begun` is a half-typed chat line.

        Raises msgspec.DecodeError if the game screen can't read the table.
        """
        super().__init__(context, known)
        self.state: ShownTable = ShownTable(table, game_screen)
        self._frames = TableFrames()
        self._actions = TableActions(self, self.state)
        self._begun = begun
        self._lines = PassingLines(self)
        self._saver = SelectionSaver(self, self.state)
        self._clock_timer = ClockTimer(self, clocks_of(table, context.now()), self._warn)
        self._animation = Animation(self.redraw)
        self._unsaved = ""
        """Why the last move was not saved, until the next move or state."""
        self.state.recall(known.kept)

    @property
    def table(self) -> TableView:
        """The table's newest view."""
        return self.state.table

    def on_mount(self) -> None:
        """Reopen a half-typed chat line."""
        if self._begun is not None:
            self.ask(chat_prompt(self, self.known.chat, self._begun))

    def state_changed(self) -> None:
        """Show the new table."""
        table = self.known.table
        if table is not None and table is not self.table:
            self._take_table(table)
        self.state.recall(self.known.kept)
        self._saver.save_soon()
        self._lines.tell_resume_code()

    def notice(self, sentence: str) -> None:
        """Show `sentence` until the next key, but not for long: it hides whose turn it is."""
        self.status = ""
        self._lines.show_notice(sentence)

    def _take_table(self, table: TableView) -> None:
        translator, old, before = self.look.translator, self.table, self.state.view
        if table.number != old.number or status_sentence(table, translator) != status_sentence(
            old, translator
        ):
            # They were about the old state.
            self.status = self.lead = self._unsaved = ""
        try:
            self.state.learn(table)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return
        self._clock_timer.show(clocks_of(table, self.context.now()))
        wanted, watchers = self.context.preferences.settings.motion, table.spectators
        seen = self.is_mounted and self.in_front and not self.quiet
        moves = seen and is_animated(self.app, wanted, watchers, plays=self.is_private)
        pictures = self.state.game_screen.pictures(before, self.state.view) if moves else 0
        self._animation.begin(before, pictures)

    def draw(self, look: Look) -> Frame:
        """Draw the game's frame with chat, status, clocks and hints."""
        table, game_screen = self.table, self.state.game_screen
        around = TableChrome(
            title=_title(table, game_screen.title_of(table.options, look.translator), look.translator),
            facts=table_facts(table, look, self.link_time),
            said=self._lines.format_chat_lines(),
            talks=others_here(table),
            status=self.status_text or status_sentence(table, look.translator) or self._lines.notice,
            lead=self.lead,
            asks=self.question is not None,
            hints=self.shown_hints(),
            alone=self.question is not None or table.paused,
            clocks=self._clock_timer.shown(),
        )
        self._lines.watch_expiry()
        before = self._animation.before
        if before is None:
            return self._frames.draw(self.state, look, around)
        return self._frames.draw_picture(self.state, look, around, before, self._animation.picture)

    @property
    def is_private(self) -> bool:
        """A player's table shows their hand."""
        return self.state.is_private

    def hints(self) -> HintRow:
        """Return the frame's keys that work now; where space is short, the first ones go."""
        table = self.table
        useful = useful_actions(table, self.context.preferences.settings) | {"actions", "help"}
        if table.state != "finished":
            useful.discard("results")
        hints = TABLE.hints(*(action for action in _HINTED if action in useful))
        vote = _vote_hint(table)
        return tuple((key, vote if vote and key == "p" else what) for key, what in hints)

    def can(self, action: str) -> bool:
        """Return whether `action` does something in this state of the game."""
        return self._actions.can(action)

    def game_keys(self) -> HintRow:
        """Return the game's keys that work now."""
        return tuple(self.state.game_screen.keys_now(self.table, self.state.view, self.state.pointer))

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Open the replay of the game that is over."""
        if isinstance(answer, ReplayView) and self._actions.replay_due:
            self._actions.replay_due = False
            open_replay(self, answer, together=True)
            return True
        return False

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Show the refusal, in the game's words for its own rules, and restore the selection."""
        translator = self.look.translator
        said = translator.render(refusal.words())
        if refusal.to == Act.__name__ and self.state.take_back():
            self._unsaved = said if refusal.reason == "not-saved" else ""
        illegal = refusal.reason == "illegal"
        self.status = self.state.game_screen.describe_refusal(refusal.detail, translator) if illegal else said
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

    def press(self, press: Press) -> None:
        """Let the game handle the key, or else the frame."""
        self._lines.notice = ""
        if not self.react(self.state.press(press.key, self.look)):
            self._actions.do(TABLE.action(press.key))

    def tap(self, tap: Tap) -> None:
        """Let the game handle the click."""
        self._lines.notice = ""
        self.react(self.state.click(self.look, tap.x, tap.y))

    def react(self, reaction: Reaction[Any]) -> bool:
        """Return whether the game took the input; send the move that it led to."""
        if reaction.move is not None and self.table.paused:
            self.status = paused_sentence(self.table, self.look.translator)
            return True
        if reaction.move is not None or reaction.pointer != self.state.pointer:
            self._unsaved = ""
        # The unsaved move explains why the game has no use for this key.
        self.status = (reaction.status and self._unsaved) or reaction.status
        act = self.state.react(reaction)
        if act is not None:
            self.send(act)
        else:
            self._saver.save_soon()
        return reaction.taken

    def unsaid(self) -> SaveSelection | None:
        """Return the selection, if the server doesn't have it."""
        return self.state.unsaved()

    def connection_lost(self) -> None:
        """Ignore the server's next copy: the selection here is newer. Show no clock, which nobody corrects now."""
        self._clock_timer.show(Clocks())
        self.state.selection.ignore_next_stored()

    def connection_restored(self) -> None:
        """Send the selection again."""
        self.state.selection.forget_stored()

    def _warn(self) -> None:
        """Warn once a turn that the player's time is nearly up; not for a claim, where no substitute plays."""
        if self.table.claim is None or not self.table.claim.stops:
            self.status = self._clock_timer.warning(self.table.you) or self.status

    # Called by Textual.

    def on_screen_resume(self) -> None:
        """Start the clocks."""
        self._clock_timer.wind()

    def on_screen_suspend(self) -> None:
        """Stop clocks and animation."""
        self._clock_timer.stop()
        self._animation.stop()

    def on_unmount(self) -> None:
        """Stop the animation, and wait for no notice to expire."""
        self._animation.stop()
        self._lines.stop()
