"""Try another turn in a finished game: with the game's own screen and keys, then what it would have lost.

The server keeps no state for it: each request carries all moves of the turn.
"""

import msgspec

from cartino_protocol.commands import TryTurn
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import QueryAnswer, TrialView
from cartino_protocol.wire import encode_raw
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import AnyScreen, Look, TableChrome
from cartino_tui.game_port.turn_review import trial_said
from cartino_tui.keys import TRIAL
from cartino_tui.screens.table_state import GameScreenBase
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import HintRow
from cartino_tui.widgets.layout import footer


class TrialScreen(GameScreenBase):
    """A turn that is tried from one step of a finished game."""

    KEYS = TRIAL

    def __init__(
        self,
        context: AppContext,
        known: ClientState,
        game_screen: AnyScreen,
        title: str,
        game: str,
        step: int,
    ) -> None:
        """Try the turn that begins at `step` of `game`."""
        super().__init__(context, known)
        self.game_screen = game_screen
        self.view: TrialView | None = None
        self._title = title
        self._game, self._step = game, step
        self._moves: tuple[msgspec.Raw, ...] = ()
        """The moves so far; the last one may not be answered yet."""

    def on_mount(self) -> None:
        """Ask for the table."""
        self._ask(())

    def draw(self, look: Look) -> Frame:
        """Draw the table, and once the turn is over what it lost."""
        view, state, translator = self.view, self.state, look.translator
        if view is None or state is None:
            canvas = Canvas(look.width, look.height)
            footer(canvas, look, self.status_text, self.shown_hints())
            return canvas.frame()
        around = TableChrome(
            title=translator.gettext("{title} · another turn", title=self._title),
            status=self.status_text or (self._verdict(view, look) if view.done else ""),
            hints=self.shown_hints(),
            alone=view.done or self.question is not None,
            lead="" if view.done else translator.gettext("Try another turn."),
        )
        return self.game_screen.draw(state.table, state.view, state.pointer, look, around)

    def hints(self) -> HintRow:
        """Return the way back, and to the beginning of the turn once there is a move."""
        return TRIAL.hints(*(("again",) if self._moves else ()), "quit")

    def can(self, action: str) -> bool:
        """Return whether `action` does something now."""
        return action != "again" or bool(self._moves)

    def press(self, press: Press) -> None:
        """Let the game handle the key until the turn is over."""
        state = self.state
        if state is not None and self._is_open and self.react(state.press(press.key, self.look)):
            return
        match TRIAL.action(press.key):
            case "again" if self._moves:
                self._ask(())
            case "quit":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Let the game handle the click until the turn is over."""
        if self.state is not None and self._is_open:
            self.react(self.state.click(self.look, tap.x, tap.y))

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Show the table after the moves."""
        if not isinstance(answer, TrialView):
            return False
        if self.read_table(answer.table, self.game_screen):
            self.view = answer
        self.redraw()
        return True

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Take the last move back; the game has the sentence for its own rules."""
        if refusal.to != TryTurn.__name__:
            return super().handle_refusal(refusal)
        self._moves = self._moves[:-1]
        if refusal.reason != "illegal":
            return super().handle_refusal(refusal)
        self.status = self.game_screen.describe_refusal(refusal.detail, self.look.translator)
        self.redraw()
        return True

    @property
    def _is_open(self) -> bool:
        return self.view is not None and not self.view.done

    def make_move(self, move: msgspec.Struct) -> None:
        """Ask for the table after one more move."""
        self._ask((*self._moves, encode_raw(move)))

    def _ask(self, moves: tuple[msgspec.Raw, ...]) -> None:
        self._moves = moves
        self.send(TryTurn(self._game, self._step, moves))

    def _verdict(self, view: TrialView, look: Look) -> str:
        """Return what the turn that was tried would have lost."""
        return trial_said(
            view, lambda move: self.game_screen.move_shown(move, view.table, look), look.translator
        )
