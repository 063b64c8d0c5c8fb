"""A finished game in plain mode: its replay step by step, its review, and other turns that are tried."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from cartino_protocol.commands import PlayOn, Replay, Review, TryTurn
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import QueryAnswer, ReplayView, ReviewView, TrialView
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.speech import AnySpeech, LineReaction, find_word
from cartino_tui.game_port.turn_review import next_costly, trial_said, turn_said
from cartino_tui.plain.menu import LineMenu, MenuChoice, PlainContext
from cartino_tui.plain.phrases import review_lines, seat_name
from cartino_tui.visit.farewell import UNREADABLE


class ReplayMenu(LineMenu):
    """A game step by step: what was done, a line a step."""

    def __init__(self, context: PlainContext, view: ReplayView) -> None:
        super().__init__(context)
        self._view = view
        self._review: ReviewView | None = None

    def opening(self) -> Sequence[str]:
        """Return where this is, and the players' points there."""
        view = self._view
        here = self.translator.gettext(
            "{game}, step {step} of {steps}.", game=view.game, step=view.step, steps=view.steps
        )
        return (here, *self._told(), self._judged())

    def choices(self) -> Sequence[MenuChoice]:
        """Return where one can go from this step."""
        translator, step = self.translator, self._view.step
        return (
            MenuChoice(translator.gettext("next step"), partial(self._go, step + 1), ("next", "n")),
            MenuChoice(
                translator.gettext("previous step"), partial(self._go, max(0, step - 1)), ("previous", "p")
            ),
            MenuChoice(translator.gettext("the points at this step"), self._scores, ("scores",)),
            MenuChoice(translator.gettext("go to the end"), partial(self._go, self._view.steps), ("last",)),
            MenuChoice(
                translator.gettext("how many points short the turns were"),
                partial(self.context.send, Review(self._view.game)),
                translator.command_words("review"),
            ),
            MenuChoice(
                translator.gettext("try another turn from here"), self._try, translator.command_words("try")
            ),
            MenuChoice(
                translator.gettext("play on from here against bots"),
                partial(self.context.send, PlayOn(self._view.game, step)),
            ),
            *(
                [
                    MenuChoice(
                        translator.gettext("next mistake"),
                        self._next_costly,
                        translator.command_words("mistake"),
                    )
                ]
                if self._review is not None
                else []
            ),
        )

    def open(self) -> None:
        """Tell the step, and the choices only once."""
        if self._offered:
            self.context.tell(*self.opening())
            self._offered = tuple(self.choices())
        else:
            super().open()

    def free(self, text: str) -> bool:
        """Go on for an empty line, or to a step for `go 12`."""
        head, _, rest = text.partition(" ")
        if not text:
            self._go(self._view.step + 1)
            return True
        if find_word(self.translator.command_words("go"), head) is None or not rest.isdigit():
            return False
        self._go(int(rest[:6]))
        return True

    def help(self) -> None:
        """Tell the choices, and what an empty line does."""
        self.context.explain(N_("An empty line moves to the next step; go 12 jumps to step 12."))
        self.offer()

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Show the step that was asked for."""
        if isinstance(answer, ReplayView):
            self._view = answer
            self.open()
        elif isinstance(answer, ReviewView):
            self._review = answer
            table = self._view.table
            self.context.tell(
                *review_lines(answer, table, self.context.speeches.get(table.game), self.translator)
            )
            self.offer()
        return isinstance(answer, ReplayView | ReviewView)

    def _judged(self) -> str:
        """Return what the review says of the turn that ends here."""
        review, table = self._review, self._view.table
        number = None if review is None else review.turn_at(self._view.step)
        speech = self.context.speeches.get(table.game)
        if review is None or number is None or speech is None:
            return ""
        turn = review.turns[number]
        if turn.end != self._view.step:
            return ""
        name = seat_name(table.seats[turn.seat], self.translator)
        return turn_said(
            turn, name, lambda move: speech.move_said(move, table, self.translator), self.translator
        )

    def _try(self) -> None:
        speech = self.context.speeches.get(self._view.table.game)
        if speech is not None:
            self.context.push(TrialMenu(self.context, self._view.game, self._view.step, speech))

    def _next_costly(self) -> None:
        turn = None if self._review is None else next_costly(self._review, self._view.step)
        if turn is None:
            self.context.explain(N_("No costly turn after this one."))
        else:
            self._go(turn.end)

    def _told(self) -> Sequence[str]:
        table = self._view.table
        speech = self.context.speeches.get(table.game)
        if speech is None:
            return ()
        try:
            view = speech.read(table.game_view)
        except msgspec.DecodeError:
            return ()
        over = self._view.step == self._view.steps
        told = speech.describe_last_action(table, view, self.translator)
        return (told, *speech.standing(table, view, self.translator)) if over else (told,)

    def _scores(self) -> None:
        table = self._view.table
        speech = self.context.speeches.get(table.game)
        if speech is not None:
            self.context.tell(*speech.scores(table, speech.read(table.game_view), self.translator))

    def _go(self, step: int) -> None:
        if step > self._view.steps:
            self.context.explain(N_("This is the end of the game."))
        else:
            self.context.send(Replay(self._view.game, step))


class TrialMenu(LineMenu):
    """A turn that is tried from one step of a finished game; each request carries all its moves."""

    def __init__(self, context: PlainContext, game: str, step: int, speech: AnySpeech) -> None:
        super().__init__(context)
        self._game, self._step, self._speech = game, step, speech
        self._shown: tuple[TrialView, Any] | None = None
        """The last answer, and its table as the game reads it."""
        self._hold: msgspec.Struct = speech.fresh()
        self._moves: tuple[msgspec.Raw, ...] = ()
        """The moves so far; the last one may not be answered yet."""
        self._then: tuple[str, ...] = ()
        """Words of a line with several moves that are still to be read."""

    def open(self) -> None:
        """Ask for the table, without the moves made so far."""
        self._ask(())

    def offer(self) -> None:
        """Offer nothing: `help` tells the way back."""

    def help(self) -> None:
        """Tell the game's own words, and the ways out of the turn."""
        self.context.tell(*self._speech.words(self.translator))
        self.context.explain(N_("again: begin the turn again. Type 0 to go back to the replay."))

    def free(self, text: str) -> bool:
        """Read moves until the turn is over."""
        if find_word(self.translator.command_words("again"), text) is not None:
            self.open()
            return True
        if self._shown is None or self._shown[0].done:
            return False
        view, words = self._shown[1], text.split()
        if len(words) > 1 and all(self._speech.typed_move(word, view, self.translator) for word in words):
            self._then = tuple(words)
            self._go_on()
            return True
        return self._do(text) if text else False

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Tell what the moves have led to."""
        if not isinstance(answer, TrialView):
            return False
        before, table, translator = self._shown, answer.table, self.translator
        try:
            view = self._speech.read(table.game_view)
        except msgspec.DecodeError:
            self.context.leave(UNREADABLE)
            return True
        self._shown, self._hold = (answer, view), self._speech.fresh()
        if before is None or not self._moves:
            self.context.explain(N_("Try another turn. Type again to begin it again, or 0 to go back."))
        else:
            self.context.tell(*self._speech.describe_events(table, before[1], view, translator))
        if answer.done:
            self._then = ()
            self.context.tell(
                trial_said(answer, lambda move: self._speech.move_said(move, table, translator), translator)
            )
        elif self._then:
            self._go_on()
        else:
            self.context.tell(*self._speech.standing(table, view, translator))
        return True

    def handle_refusal(self, refusal: Refusal) -> None:
        """Take the last move back; the game has the sentence for its own rules."""
        self._moves, self._then = self._moves[:-1], ()
        if refusal.reason == "illegal":
            self.context.tell(self._speech.describe_refusal(refusal.detail, self.translator))
        else:
            super().handle_refusal(refusal)

    def _go_on(self) -> None:
        """Make the next move of a line."""
        word, *rest = self._then
        self._then = tuple(rest)
        if self._shown is not None:
            move = self._speech.typed_move(word, self._shown[1], self.translator)
            if move is not None:
                self._ask((*self._moves, encode_raw(move)))

    def _do(self, text: str) -> bool:
        """Have the game read `text`, and try the move that it is; False where it is none of the game's words."""
        if self._shown is None:
            return False
        answer, view = self._shown
        heard: LineReaction[Any] = self._speech.enter(answer.table, view, self._hold, text, self.translator)
        if heard.taken:
            self._hold = heard.hold
            self.context.tell(*heard.lines)
            if heard.move is not None:
                self._ask((*self._moves, encode_raw(heard.move)))
        return heard.taken

    def _ask(self, moves: tuple[msgspec.Raw, ...]) -> None:
        self._moves = moves
        self.context.send(TryTurn(self._game, self._step, moves))
