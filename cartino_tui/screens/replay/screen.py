"""Replay a finished game step by step, with a review of its turns.

Keys move the wanted step at once; the server is asked for one step at a time, and a busy server again after a pause.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from cartino_protocol.base import turn_address
from cartino_protocol.commands import Course, PlayOn, Replay, Review, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import CourseTurn, CourseView, QueryAnswer, ReplayView, ReviewView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import AnyScreen, Look, TableChrome
from cartino_tui.game_port.turn_review import next_costly
from cartino_tui.keys import REPLAY, REPLAY_FROM_LIST, KeyTable
from cartino_tui.screens.replay.review_panel import PanelModel, ReviewPanel
from cartino_tui.screens.replay.totals import TotalsModel, TotalsScreen, moved_to, turn_of, turn_prompt
from cartino_tui.screens.replay.trial import TrialScreen
from cartino_tui.screens.shared_review import SharedReview
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.replay_cursor import ReplayCursor, ServerReplayCursor
from cartino_tui.visit.state import ClientState, state_key
from cartino_tui.widgets.app_screen import AppScreen, HintRow, Quit
from cartino_tui.widgets.help import HelpScreen, replay_help
from cartino_tui.widgets.layout import glyphs

MIN_RETRY_SECONDS: Final = 0.5
MAX_RETRY_SECONDS: Final = 4.0
"""Seconds, at least and at most, before a busy server is asked again."""


class ReplayScreen(AppScreen):
    """One step of a finished game, drawn by the game screen."""

    def __init__(
        self,
        context: AppContext,
        known: ClientState,
        cursor: ReplayCursor,
        game_screen: AnyScreen,
        *,
        together: bool = False,
    ) -> None:
        """Start where `cursor` is, `together` with the others at the table. Raises msgspec.DecodeError.

        That is if the game screen can't read the table.
        """
        super().__init__(context, known)
        self.shared = SharedReview(self.send if together else None)
        self.cursor = cursor
        self.game_screen = game_screen
        self.view: msgspec.Struct = game_screen.read(cursor.current_step.view.game_view)
        self._pointer = game_screen.fresh()
        """The page of the end that is open."""
        self.turns: tuple[CourseTurn, ...] = cursor.turns
        """The totals, () until the server has sent them."""
        self._then: Callable[[], None] | None = None
        """Called once they are here."""
        self.review: ReviewView | None = None
        """The review, None until the server has sent it."""
        self._shows_review = True
        self._review_due = False
        self._pause = 0.0
        """Seconds before a busy server is asked again, 0 if it isn't busy."""

    def on_mount(self) -> None:
        """Ask for the review; the reader steps on meanwhile."""
        if not self._alone:
            self._review_due = True
            self.send(Review(self.cursor.name), awaited=False)
        self.state_changed()

    def state_changed(self) -> None:
        """Follow who leads the review."""
        step = self.shared.update(self.known.table)
        if step is not None:
            self._go(step)
            self.redraw()

    def draw(self, look: Look) -> Frame:
        """Draw the table at the current step, and the review above the hints."""
        cursor, game_screen, step = self.cursor, self.game_screen, self.cursor.current_step
        waits = cursor.due is not None or self._pause > 0
        panel = self._panel(look)
        height = panel.height if panel is not None else 0
        said = panel.sentence() if panel is not None and not height and self.review is not None else ""
        around = TableChrome(
            title=self._title,
            facts=self._where(look) + (glyphs(look).ellipsis if waits else ""),
            status=self.status_text or said or self._done(look),
            hints=self.shown_hints(),
            alone=True,
        )
        inner = msgspec.structs.replace(look, height=look.height - height)
        frame = game_screen.draw(step.view, self.view, self._pointer, inner, around)
        if panel is None or not height:
            return frame
        *table, hints = frame.rows
        return Frame(look.width, look.height, (*table, *panel.rows(), hints))

    def _panel(self, look: Look) -> ReviewPanel | None:
        """Return the review to draw, None where it is hidden or there is none."""
        if not self._shows_review or not (self.review or self._review_due):
            return None
        waiting = look.translator.gettext("Reviewing this game…")
        model = PanelModel(self.cursor.current_step.view, self.review, self.cursor.wanted, waiting)
        return ReviewPanel(model, self.game_screen, look)

    def _where(self, look: Look) -> str:
        """Return the step, and the turn if known."""
        cursor = self.cursor
        step = f"{cursor.wanted + 1}/{cursor.last + 1}"
        turn = (
            look.translator.gettext("turn {n}", n=turn_of(self.turns, cursor.wanted) + 1)
            if self.turns
            else ""
        )
        said = (self.shared.describe_leader(self.known.table, look.translator), turn, step)
        return f" {glyphs(look).dot} ".join(filter(None, said))

    def _done(self, look: Look) -> str:
        """Return the action of this step in the game's words."""
        step = self.cursor.current_step
        deal = "" if step.view.number else look.translator.gettext("The deal")
        return self.game_screen.describe_last_action(step.view, self.view, look.translator) or deal

    def keys(self) -> KeyTable:
        """Return the replay's keys."""
        return REPLAY if self._alone else REPLAY_FROM_LIST

    def hints(self) -> HintRow:
        """Return the replay's hints."""
        costly = ("costly",) if self.review else ()
        lead = ("lead",) if self.can("lead") else ()
        more = () if self._alone else ("try", "play-on")
        return self.keys().hints("back", "course", "on", *costly, *more, *lead, "actions", "help", "quit")

    def can(self, action: str) -> bool:
        """Return whether `action` does something: a record from a file has no review."""
        if action in {"address", "play-on", "try"}:
            return not self._alone
        if action == "lead":
            return self.shared.is_open(self.known.table)
        return self.review is not None or action not in {"costly", "costly-back", "review"}

    def press(self, press: Press) -> None:  # noqa: PLR0912 - one case an action
        """Handle a key."""
        action = REPLAY.action(press.key)
        step = moved_to(action, self.cursor.wanted, self.cursor.last)
        if step is not None:
            self._step(step)
        elif press.key == "tab":
            here = self.cursor.current_step.view
            self._pointer = self.game_screen.key(here, self.view, self._pointer, press.key, self.look).pointer
        match action:
            case "costly" | "costly-back":
                self._go_to_costly(back=action == "costly-back")
            case "address" if not self._alone:
                self._with_turns(self._tell_address)
            case "try" if not self._alone:
                self._try_turn()
            case "lead" if self.can("lead"):
                followed = self.shared.toggle(self.known.table, self.cursor.wanted)
                if followed is not None:
                    self._go(followed)
            case "play-on" if not self._alone:
                self.send(PlayOn(self.cursor.name, self.cursor.wanted))
            case "review":
                self._shows_review = not self._shows_review
            case "course":
                self._with_turns(self._open_course)
            case "turn":
                self._with_turns(lambda: self._ask_for_turn(press.key))
            case "help":
                model = replay_help(
                    self.game_screen, self.cursor.current_step.view, self.keys(), self.look.translator
                )
                self.app.push_screen(HelpScreen(self.context, self.known, model))
            case "quit":
                self._leave()

    def tap(self, tap: Tap) -> None:
        """Go to a turn by its bar; ignore clicks on the table."""
        panel = self._panel(self.look)
        if panel is not None and panel.height:
            turn = panel.turn_at(tap.x, tap.y - (self.look.height - panel.height - 1))
            if turn is not None:
                self._step(turn.end)

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Show the requested step or totals."""
        if isinstance(answer, CourseView) and self._then is not None:
            then, self._then = self._then, None
            self.turns = answer.turns
            self._do_with_turns(then)
            return True
        if isinstance(answer, ReviewView) and self._review_due:
            self.review, self._review_due = answer, False
            self.redraw()
            return True
        if not isinstance(answer, ReplayView) or self.cursor.due is None:
            return False
        self._pause = 0.0
        self._ask(self.cursor.handle(answer))
        self._show()
        return True

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Stay at the current step and say why; ask a busy server again in a moment."""
        due = self.cursor.due
        if refusal.to == Course.__name__:
            self._then = None
        if refusal.to == Review.__name__:
            self._review_due = False
        if due is not None and refusal.to in {"", tag_of(due)}:
            if refusal.reason == "busy":
                self._ask_later()
                return True
            self._pause = 0.0
            self.cursor.give_up()
        return super().handle_refusal(refusal)

    def connection_lost(self) -> None:
        """Give up: the requested step will not come."""
        self._pause = 0.0
        self._then = None
        self.cursor.give_up()

    def connection_restored(self) -> None:
        """Ask again for a review that didn't come."""
        if self._review_due:
            self.send(Review(self.cursor.name), awaited=False)

    def _tell_address(self) -> None:
        address = turn_address(self.cursor.name, turn_of(self.turns, self.cursor.wanted) + 1)
        self.status = self.look.translator.gettext(
            "This turn is {address}; others can type that in the lobby (c).", address=address
        )

    def _try_turn(self) -> None:
        step, review = self.cursor.wanted, self.review
        number = None if review is None else review.turn_at(step)
        if review is not None and number is not None:
            step = review.turns[number].start
        title = self._title
        self.app.push_screen(
            TrialScreen(self.context, self.known, self.game_screen, title, self.cursor.name, step)
        )

    def _go_to_costly(self, *, back: bool) -> None:
        if self.review is None:
            return
        turn = next_costly(self.review, self.cursor.wanted, back=back)
        if turn is None:
            gettext = self.look.translator.gettext
            self.status = (
                gettext("No costly turn before this one.")
                if back
                else gettext("No costly turn after this one.")
            )
        else:
            self._step(turn.end)

    def _with_turns(self, then: Callable[[], None]) -> None:
        """Call `then` once the turns are known."""
        if self.turns or self._alone:
            self._do_with_turns(then)
        else:
            self._then = then
            self.send(Course(self.cursor.name))

    def _do_with_turns(self, then: Callable[[], None]) -> None:
        if self.turns:
            then()
        else:
            self.status = self.look.translator.gettext("Nobody took a turn in this game.")

    def _open_course(self) -> None:
        table = self.cursor.current_step.view
        model = TotalsModel(table, self._title, self.turns, turn_of(self.turns, self.cursor.wanted))
        self.app.push_screen(TotalsScreen(self.context, self.known, model, self._step))

    def _ask_for_turn(self, key: str) -> None:
        turns = self.turns
        self.ask(turn_prompt(self.look.translator, len(turns), key, lambda at: self._step(turns[at].step)))

    @property
    def _title(self) -> str:
        translator, options = self.look.translator, self.cursor.current_step.view.options
        return f"{self.game_screen.title_of(options, translator)} · {translator.gettext(self.cursor.name)}"

    def _ask_later(self) -> None:
        """Ask again after a pause, longer each time."""
        self.cursor.put_off()
        self._pause = min(max(2 * self._pause, MIN_RETRY_SECONDS), MAX_RETRY_SECONDS)
        self.set_timer(self._pause, self._ask_again)

    def _ask_again(self) -> None:
        following = self.cursor.go_on()
        if following is None:
            self._pause = 0.0
        self._ask(following)
        self.redraw()

    def _step(self, step: int) -> None:
        """Go to a step that the reader has chosen."""
        self.shared.break_free()
        self._go(step)

    def _go(self, step: int) -> None:
        self._ask(self.cursor.want(step))
        self._show()

    def _show(self) -> None:
        """Read the current step."""
        if self.cursor.due is None:
            self.shared.share_step(self.known.table, self.cursor.wanted)
        self._pointer = self.game_screen.fresh()
        try:
            self.view = self.game_screen.read(self.cursor.current_step.view.game_view)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))

    def _ask(self, command: Replay | None) -> None:
        """Send a request. Input doesn't wait for it: keys change the wanted step."""
        if command is not None:
            self.send(command, awaited=False)

    @property
    def _alone(self) -> bool:
        """Whether this is the bottom screen, so leaving ends the visit."""
        return self.app.screen_stack[0] is self

    def _leave(self) -> None:
        """Close the screen, or end the visit if it is the only one."""
        if self._alone:
            self.post_message(Quit())
            return
        self.shared.stop()
        if self.cursor.due is not None:
            # The pending answer must not be taken for that to the next command of the screen below.
            self.context.typeahead.record_command(state_key(self.known), self.cursor.due)
        self.app.pop_screen()


def open_replay(opener: AppScreen, view: ReplayView, *, together: bool = False) -> None:
    """Show the game of `view` over `opener`; `together` with the others at the table where it was played."""
    game = view.table.game
    screen = opener.context.game_screens.get(game)
    if screen is None:
        opener.status = opener.look.translator.gettext(
            "This program is too old to show a game of {game}. Please update it.", game=game
        )
        return
    try:
        cursor = ServerReplayCursor(view)
        opener.app.push_screen(ReplayScreen(opener.context, opener.known, cursor, screen, together=together))
    except msgspec.DecodeError:
        opener.post_message(Quit(UNREADABLE))
