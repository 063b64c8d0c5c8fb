"""A table in plain mode: the waiting room, and the game while it runs and after."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from cartino_protocol.commands import Act, Leave, Sit, Stand, Start
from cartino_protocol.deals import DealView
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import QueryAnswer, ReviewView, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.description import review_sentences
from cartino_tui.game_port.speech import AnySpeech, LineReaction
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.page import page_sentences
from cartino_tui.plain.menu import LineMenu, MenuChoice, PlainContext
from cartino_tui.plain.phrases import review_lines, seat_line, seat_name, table_heading
from cartino_tui.plain.table_commands import ChatReader, TableMenuCommands
from cartino_tui.time_control import clocks_of, time_control_text
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.messages import closed_deal_message, how_others_join
from cartino_tui.visit.state import ClientState


class _WrittenMove(NamedTuple):
    """A move, and the word that it was written in."""

    word: str
    move: msgspec.Struct


class _AnyTableMenu(LineMenu):
    """A menu at the table `table`; `talk` is how far its chat was told."""

    def __init__(self, context: PlainContext, table: TableView, talk: ChatReader) -> None:
        super().__init__(context)
        self.table = table
        self.clocks = clocks_of(table, context.now())
        self.talk = talk
        self._commands = TableMenuCommands(context, talk)

    def back_label(self) -> str:
        """To the lobby."""
        return self.translator.gettext("back to the lobby")

    def go_back(self) -> None:
        """Leave the table."""
        self.context.send(Leave())

    def free(self, text: str) -> bool:
        """Return what can be said at every table."""
        return self._commands.free(text, self.table)

    def state_changed(self, before: ClientState) -> None:
        """Write what was said, and what is new at the table."""
        self.talk.state_changed()
        table, old = self.context.client_state.table, self.table
        if table is not None and table is not old:
            self.table, self.clocks = table, clocks_of(table, self.context.now())
            self._table_changed(old)

    @abstractmethod
    def _table_changed(self, old: TableView) -> None:
        """Write what is new at the table, which was `old`."""


class TableMenu(_AnyTableMenu):
    """A game that runs or is over."""

    def __init__(self, context: PlainContext, table: TableView, talk: ChatReader, speech: AnySpeech) -> None:
        """The table `table`, which `speech` speaks of. Raises msgspec.DecodeError where it can't read the table."""
        super().__init__(context, table, talk)
        self._speech = speech
        self._view = speech.read(table.game_view)
        self._hold: msgspec.Struct = speech.fresh()
        self._then: tuple[_WrittenMove, ...] = ()
        """Moves that were typed in one line and are still to be made."""
        self._doing = ""
        """The move of such a line that is being made."""

    def opening(self) -> Sequence[str]:
        """Return the table, who plays, what lies, and what it waits for."""
        context, translator, table = self.context, self.translator, self.table
        title = context.title(table.game, table.options)
        return (
            table_heading(table, title, translator),
            *filter(None, (closed_deal_message(table, translator),)),
            *self._speech.describe_table(table, self._view, translator),
            *self._standing(),
        )

    def open(self) -> None:
        """Tell how it stands, or all of it to a newcomer."""
        self.context.tell(*self.opening())

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Tell the review of the game, or the results of its deal."""
        if isinstance(answer, ReviewView):
            self.context.tell(*review_lines(answer, self.table, self._speech, self.translator))
        elif isinstance(answer, DealView):
            self.context.tell(*page_sentences(DEAL_PAGE, answer, self.context.reader))
        return isinstance(answer, ReviewView | DealView)

    def go_back(self) -> None:
        """Leave the table; while a game runs, the seat is kept."""
        if self.table.state == "playing" and self.table.you is not None:
            welcome = self.context.client_state.welcome
            if welcome is not None and welcome.word:
                self.context.explain(N_("Your seat is kept. Resume code: {word}"), word=welcome.word)
            else:
                self.context.explain(N_("Your seat is kept."))
        super().go_back()

    def free(self, text: str) -> bool:
        """Try a line as the game's, then as the table's; an empty one describes the position."""
        if not text:
            self.context.tell(*self._standing())
            return True
        if self.table.state == "playing" and self.table.paused and self._would_move(text):
            self.context.explain(N_("The game is paused. Type pause to vote to resume."))
            return True
        if super().free(text):
            return True
        moves = self._written(text)
        if len(moves) > 1:
            self._make(moves)
            return True
        return self._do(text)

    def help(self) -> None:
        """Tell what can be typed at this table now."""
        self.context.tell(*self._speech.words(self.translator))
        self._commands.help(self.table)

    def _table_changed(self, old: TableView) -> None:
        """Write what was done since, and what the person has to do, if it is their turn."""
        table, view = self.table, self._view
        try:
            self._view = self._speech.read(table.game_view)
        except msgspec.DecodeError:
            self.table = old
            self.context.leave(UNREADABLE)
            return
        if old.state == "finished" and table.state == "playing":
            self._hold = self._speech.fresh()
            self.context.tell(self.translator.gettext("A new game begins."), *self.opening()[1:])
            return
        if (table.number, table.you) != (old.number, old.you):
            self._hold = self._speech.fresh()
        self.context.tell(*self._speech.describe_events(table, view, self._view, self.translator))
        if table.number == old.number or not self._goes_on(table):
            self._tell_changes(old, table)

    def handle_refusal(self, refusal: Refusal) -> None:
        """Tell why a command was refused, in the game's words if its rules refused a move."""
        doing, self._doing, self._then = self._doing, "", ()
        if refusal.reason != "illegal":
            super().handle_refusal(refusal)
            return
        why = self._speech.describe_refusal(refusal.detail, self.translator)
        self.context.tell(self.translator.gettext("{move}: {why}", move=doing, why=why) if doing else why)

    def _do(self, text: str) -> bool:
        """Have the game read `text`, and send the move that it is; False where it is none of the game's words."""
        self._doing, self._then = "", ()
        heard: LineReaction[Any] = self._speech.enter(
            self.table, self._view, self._hold, text, self.translator
        )
        if not heard.taken:
            if text == "0" and self.table.state == "playing" and self.table.you is not None:
                # What takes a choice back must not lead away from the table where there is none.
                self.context.explain(N_("Nothing is selected. Type leave to go back to the lobby."))
                return True
            return False
        self._hold = heard.hold
        self.context.tell(*heard.lines)
        if heard.move is not None:
            self.context.send(Act(self.table.number, encode_raw(heard.move)))
            self._then = ()
        return True

    def _written(self, text: str) -> tuple[_WrittenMove, ...]:
        """Return the moves of a line that holds nothing else, () for any other."""
        words = text.split()
        read = ((word, self._speech.typed_move(word, self._view, self.translator)) for word in words)
        moves = tuple(_WrittenMove(word, move) for word, move in read if move is not None)
        return moves if len(moves) == len(words) else ()

    def _make(self, moves: tuple[_WrittenMove, ...]) -> None:
        """Make the first of `moves`; the others follow as long as none is refused."""
        first, *others = moves
        self._hold = self._speech.fresh()
        if not self._do(first.word):
            self.context.send(Act(self.table.number, encode_raw(first.move)))
        if self.context.waiting:
            self._doing, self._then = first.word, tuple(others)

    def _goes_on(self, table: TableView) -> bool:
        """Make the next move of the line, if there is one. A turn that has ended by itself needs no end."""
        moves, self._then = self._then, ()
        if moves and table.state == "playing" and table.you in table.turn and not table.paused:
            self._make(moves)
            return True
        left = [each.word for each in moves if not self._speech.only_ends(each.move)]
        if left:
            self.context.explain(N_("Moves not made: {moves}."), moves=" ".join(left))
        return False

    def _tell_changes(self, old: TableView, table: TableView) -> None:
        if table.result is not None and old.state == "finished":
            known, now = (
                review_sentences(
                    each,
                    self.translator,
                    partial(self._speech.move_said, table=each, translator=self.translator),
                )
                for each in (old, table)
            )
            self.context.tell(*(line for line in now if line not in known))
        mine = table.you is not None and table.you in table.turn
        if table.state == "finished" and old.state != "finished":
            self.context.tell(*self._standing())
            if table.you is not None:
                again = N_("Type rematch to play again, or leave.")
                results = N_("Type results for the results of this deal, or leave.")
                self.context.explain(results if table.once else again)
            return
        self.context.tell(*self._votes(old, table))
        moved = table.number != old.number or table.you != old.you
        if mine and not table.paused and (moved or old.paused):
            self.context.tell(*self._standing())

    def _votes(self, old: TableView, table: TableView) -> Sequence[str]:
        """Return who wants a pause, or its end, or another game, and did not before."""
        translator = self.translator
        lines = []
        for seat in sorted(set(table.votes) - set(old.votes)):
            if seat == table.you:
                lines.append(translator.gettext("Vote counted. Waiting for the others."))
            elif table.paused:
                lines.append(
                    translator.gettext(
                        "{name} wants to resume. Type pause to agree.", name=table.seats[seat].name
                    )
                )
            else:
                lines.append(
                    translator.gettext(
                        "{name} wants to pause. Type pause to agree.", name=table.seats[seat].name
                    )
                )
        for seat in sorted(set(table.again) - set(old.again)):
            if seat == table.you:
                lines.append(translator.gettext("Rematch requested. Waiting for the others."))
            else:
                lines.append(
                    translator.gettext(
                        "{name} wants a rematch. Type rematch to join in.", name=table.seats[seat].name
                    )
                )
        return lines

    def _standing(self) -> Sequence[str]:
        """Return what the table waits for, with the time there is for it."""
        table, translator = self.table, self.translator
        if table.state == "playing" and table.paused:
            return (translator.gettext("The game is paused. Type pause to vote to resume."),)
        lines = list(self._speech.standing(table, self._view, translator))
        if table.state == "playing" and table.you in table.turn and not self.context.told_first_step:
            self.context.told_first_step = True
            lines.append(self._speech.first_step(translator))
        left = self.clocks.seconds(table.you, self.context.now())
        if left is not None and table.you in table.turn:
            seconds = max(1, left)
            if seconds > 3600:
                lines.append(
                    translator.ngettext("You have {n} hour.", "You have {n} hours.", seconds // 3600)
                )
            else:
                lines.append(translator.ngettext("You have {n} second.", "You have {n} seconds.", seconds))
        return lines

    def _would_move(self, text: str) -> bool:
        heard: LineReaction[Any] = self._speech.enter(
            self.table, self._view, self._hold, text, self.translator
        )
        return heard.taken and heard.move is not None


class WaitingMenu(_AnyTableMenu):
    """A table whose game has not begun."""

    def opening(self) -> Sequence[str]:
        """Return the table, its seats, its terms, and how a friend comes."""
        context, translator, table = self.context, self.translator, self.table
        lines = [
            translator.gettext(
                "Table {code}, {game}. The game hasn't started.",
                code=table.code,
                game=context.title(table.game, table.options),
            ),
            *self._seats(),
            time_control_text(table.clock, table.absence, translator),
        ]
        return [*lines, *filter(None, (how_others_join(table, context.shell_commands, translator),))]

    def choices(self) -> Sequence[MenuChoice]:
        """Return what this person can do here now."""
        translator, table = self.translator, self.table
        choices = []
        if table.you is None:
            choices += [
                MenuChoice(
                    translator.gettext("take seat {n}", n=seat + 1),
                    partial(self.context.send, Sit(seat)),
                    tuple(f"{word} {seat + 1}" for word in translator.command_words("sit")),
                )
                for seat in range(len(table.seats))
                if table.seats[seat].kind == "empty"
            ]
        else:
            if table.owner == table.you and sum(seat.kind != "empty" for seat in table.seats) > 1:
                start = translator.gettext("start the game with the seated players")
                choices.append(
                    MenuChoice(
                        start,
                        partial(self.context.send, Start()),
                        translator.command_words("start"),
                    )
                )
            stand = translator.gettext("give up your seat")
            choices.append(
                MenuChoice(
                    stand,
                    partial(self.context.send, Stand()),
                    translator.command_words("stand"),
                )
            )
        return choices

    def help(self) -> None:
        """Tell what can be typed."""
        self._commands.help(self.table)
        self.open()

    def _table_changed(self, old: TableView) -> None:
        """Write the choices again when they change; who came and went is in the notices."""
        table = self.table
        others = (table.you, table.owner) != (old.you, old.owner)
        if others and self.context.topics[-1] is self:
            self.context.tell(*self._seats())
            self.offer()
        elif self.context.topics[-1] is self:
            self._offered = tuple(self.choices())

    def _seats(self) -> Sequence[str]:
        translator, table = self.translator, self.table
        lines = [seat_line(table, seat, translator) for seat in range(len(table.seats))]
        if table.owner is not None and table.owner == table.you:
            lines[table.owner] = translator.gettext("Seat {n}: you, the owner.", n=table.owner + 1)
        elif table.owner is not None:
            name = seat_name(table.seats[table.owner], translator)
            lines[table.owner] = translator.gettext(
                "Seat {n}: {name}, the owner.", n=table.owner + 1, name=name
            )
        return lines
