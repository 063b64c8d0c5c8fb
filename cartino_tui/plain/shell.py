"""A table for the shell: printed once as text or JSON, or followed until the game is over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from cartino_protocol.commands import Command, Prefer, Watch
from cartino_protocol.exit_status import BROKEN_OFF, FAILURE, REFUSED, refusal_status
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.text import N_
from cartino_protocol.views import Answer, ChatView, Left, TableView
from cartino_tui.game_port.description import fields_of, to_json_value
from cartino_tui.game_port.speech import AnySpeech, turn_sentence
from cartino_tui.i18n import Translator
from cartino_tui.plain.line_handler import PlainSession
from cartino_tui.plain.phrases import printable_line, seat_name
from cartino_tui.plain.table_commands import ChatReader
from cartino_tui.preferences import Preferences
from cartino_tui.visit.events import AdminAnnounced, Effect, QuitRequest, Refused, Send, ShowLobby, ShowTable
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.messages import closed_deal_message, how_others_join, notice_line, shell_sentence
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.visit import Visit

_MAX_MOVES: Final = 12
"""Legal moves that are listed for people; programs get all."""
_CHAT_LINES: Final = 5
"""Lines of talk that stand below a table."""


def table_json(table: TableView, speech: AnySpeech | None) -> dict[str, Any]:
    """Return the table as its audience sees it: the fields of `TableView` by name, the game's own view as `table`.

    `moves` are those that are legal now, each with the points it scores; None as `table` where nothing was dealt, or
    where no `speech` can read it. `claim` is None or says which `seats` may answer the last move, how many seconds are
    `left` (None for no limit), and whether play `stops` for the answers.
    """
    view = read_view(table, speech)
    moves = () if view is None or speech is None else speech.legal(view)
    told = {name: to_json_value(field) for name, field in fields_of(table) if name != "table"}
    return {
        **told,
        "table": to_json_value(view),
        "moves": [{"move": move, "points": points} for move, points in moves],
    }


def read_view(table: TableView, speech: AnySpeech | None) -> msgspec.Struct | None:
    """Return the game's own view; None where nothing was dealt, or no `speech` can read it."""
    if speech is None or table.state == "open":
        return None
    try:
        view: msgspec.Struct = speech.read(table.game_view)
    except msgspec.DecodeError:
        return None
    return view


def table_lines(
    table: TableView, speech: AnySpeech | None, title: str, chat: ChatView, translator: Translator
) -> list[str]:
    """Return the table as text; `title` is the game with its options."""
    lines = [translator.gettext("Table {code}, {game}.", code=table.code, game=title)]
    view = read_view(table, speech)
    if view is None or speech is None:
        names = ", ".join(seat_name(seat, translator) for seat in table.seats)
        lines += [translator.gettext("The game hasn't started."), names]
    else:
        lines += [*speech.scores(table, view, translator), "", *speech.picture(table, view, translator), ""]
        lines += turn_lines(table, speech, view, translator)
    join = how_others_join(table, ShellCommands("ssh -t HOST"), translator) if table.once else ""
    lines += filter(None, (closed_deal_message(table, translator), join))
    if table.paused:
        lines.append(translator.gettext("The game is paused."))
    lines += [
        translator.gettext("{name}: {text}", name=line.name, text=line.text)
        for line in chat.lines[-_CHAT_LINES:]
        if line.name
    ]
    return [printable_line(line, ascii=False) for line in lines]


def turn_lines(
    table: TableView, speech: AnySpeech, view: msgspec.Struct, translator: Translator
) -> Sequence[str]:
    """Return whose turn it is; for a player also their own pieces and legal moves, as a command line has them."""
    if table.state == "finished":
        return speech.standing(table, view, translator)
    if table.you is not None and table.you in table.turn:
        lines = [translator.gettext("It's your turn.")]
    else:
        lines = [turn_sentence([table.seats[seat].name for seat in table.turn], translator)]
    lines += filter(
        None, (speech.describe_duty(table, view, translator), *speech.own(table, view, translator))
    )
    moves = [(speech.shown_move(word, translator), points) for word, points in speech.legal(view)]
    listed = ", ".join(
        translator.gettext("{move} ({points})", move=move, points=points) if points else move
        for move, points in moves[:_MAX_MOVES]
    )
    more = len(moves) - _MAX_MOVES
    if more > 0:
        lines.append(
            translator.ngettext(
                "Moves you can make, with their points: {moves}, and {n} more.",
                "Moves you can make, with their points: {moves}, and {n} more.",
                more,
                moves=listed,
            )
        )
    elif any(points for _, points in moves):
        lines.append(translator.gettext("Moves you can make, with their points: {moves}.", moves=listed))
    elif moves:
        lines.append(translator.gettext("Moves you can make: {moves}.", moves=listed))
    return lines


class TableFollower(PlainSession):
    """Writes what happens at the table `code` until its game is over.

    Who has a seat there comes to it, unless they have it at another terminal, where it stays.
    """

    waiting = True

    def __init__(
        self,
        send: Callable[[Command], None],
        preferences: Preferences,
        speeches: Mapping[str, AnySpeech],
        code: str,
        *,
        json: bool,
    ) -> None:
        """`send` sends a command to the server; `json` writes objects instead of sentences."""
        shell_commands = ShellCommands()
        visit = Visit(Watch(code, again=True), preferences, shell_commands, "cartino-lines")
        super().__init__(visit, send, shell_commands, speeches)
        self._talk = ChatReader(self.context)
        self._json = json
        self._table: TableView | None = None
        self._view: msgspec.Struct | None = None
        self._left = False
        """Whether the visit has ended as it should."""

    @property
    def farewell(self) -> Farewell | None:
        """How the visit has ended, once it has."""
        ended = self._visit.ended
        return ended if ended is None or self._left else msgspec.structs.replace(ended, code=BROKEN_OFF)

    def handle(self, said: Answer | ConnectionStatus) -> None:
        """Take in what the server says; a lost connection is not waited for."""
        if not isinstance(said, ConnectionStatus):
            self._handle(said)
            if not self._json:
                self._talk.state_changed()

    def enter(self, text: str) -> None:
        """Ignore input."""

    def leave(self) -> None:
        """Leave the table."""
        self._leave(Farewell())

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(command) if not isinstance(command, Prefer):
                    self._send(command)
                case ShowTable(table):
                    self._show(table)
                case ShowLobby(Left(why=why)):
                    self._leave(Farewell(code=REFUSED if why == "moved" else FAILURE))
                case Refused(refusal):
                    self._leave(Farewell(shell_sentence(refusal), refusal_status(refusal.reason)))
                case AdminAnnounced(notice) if not self._json:
                    self.context.tell(notice_line(notice, self.context.translator))

    def _leave(self, words: Farewell) -> None:
        if self._visit.ended is None:
            self._left = True
            self._handle(QuitRequest(words))

    def _last_words(self, sentence: str) -> list[str]:
        if sentence and self._json:
            return [self._object({"error": sentence})]
        return sentence.splitlines()

    def _finish(self, lines: list[str]) -> list[str]:
        return lines if self._json else super()._finish(lines)

    def _show(self, table: TableView) -> None:
        """Tell what is new; the end of the game is the end of this."""
        context, before, old = self.context, self._table, self._view
        speech = context.speeches.get(table.game)
        view = read_view(table, speech)
        self._table, self._view = table, view
        if self._json:
            if before is None or _comparable(before) != _comparable(table):
                context.tell(self._object(table_json(table, speech)))
        elif view is not None and speech is not None:
            if old is None:
                context.tell(
                    *speech.describe_table(table, view, context.translator),
                    *speech.standing(table, view, context.translator),
                )
            else:
                context.tell(*speech.describe_events(table, old, view, context.translator))
                if table.state == "finished":
                    context.tell(*speech.standing(table, view, context.translator))
        elif before is None:
            context.explain(N_("The game hasn't started."))
        if table.state == "finished":
            self._leave(Farewell())

    def _object(self, told: object) -> str:
        return msgspec.json.encode(told).decode()


def _comparable(table: TableView) -> tuple[object, ...]:
    """Return what of a table is news to a program, without its running clocks."""
    seats = tuple(msgspec.structs.replace(seat, left=None) for seat in table.seats)
    return table.number, table.state, table.paused, table.votes, table.again, seats, table.spectators
