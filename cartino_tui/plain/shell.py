"""A table for the shell: printed once as text or JSON, or followed until the game is over."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from cartino_protocol import __version__
from cartino_protocol.commands import Command, Hello, Watch
from cartino_protocol.link import BROKEN_OFF, ConnectionStatus
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Bye, ChatView, Left, RoomView, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui.game_port.description import to_json_value
from cartino_tui.game_port.speech import AnySpeech, turn_sentence
from cartino_tui.i18n import Translator
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.phrases import printable_line, seat_name
from cartino_tui.plain.table_commands import ChatReader
from cartino_tui.preferences import Preferences
from cartino_tui.visit import farewell
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.messages import notice_line
from cartino_tui.visit.routes import ShellCommands

_MAX_MOVES: Final = 12
"""Legal moves that are listed for people; programs get all."""
_CHAT_LINES: Final = 5
"""Lines of talk that stand below a table."""


def table_json(room: RoomView, speech: AnySpeech | None) -> dict[str, Any]:
    """The table as its audience sees it: the fields of `RoomView` by name, the game's own view as `table`.

    `moves` are those that are legal now, each with the points it brings; None as `table` where nothing was dealt, or
    where no `speech` can read it. `claim` is None or says which `seats` may answer the last move, how many seconds are
    `left` (None for no limit), and whether play `stops` for the answers.
    """
    view = read_view(room, speech)
    moves = () if view is None or speech is None else speech.legal(view)
    told = {name: to_json_value(getattr(room, name)) for name in room.__struct_fields__ if name != "table"}
    return {
        **told,
        "table": to_json_value(view),
        "moves": [{"move": move, "points": points} for move, points in moves],
    }


def read_view(room: RoomView, speech: AnySpeech | None) -> msgspec.Struct | None:
    """The game's own view; None where nothing was dealt, or no `speech` can read it."""
    if speech is None or room.state == "open":
        return None
    try:
        view: msgspec.Struct = speech.read(room.table)
    except msgspec.DecodeError:
        return None
    return view


def table_lines(
    room: RoomView, speech: AnySpeech | None, title: str, chat: ChatView, translator: Translator
) -> list[str]:
    """The table as text; `title` is the game with its options."""
    lines = [translator.gettext("Table {code}, {game}.", code=room.code, game=title)]
    view = read_view(room, speech)
    if view is None or speech is None:
        names = ", ".join(seat_name(seat, translator) for seat in room.seats)
        lines += [translator.gettext("The game has not begun."), names]
    else:
        lines += [*speech.scores(room, view, translator), "", *speech.picture(room, view, translator), ""]
        lines += turn_lines(room, speech, view, translator)
    if room.paused:
        lines.append(translator.gettext("The game is paused."))
    lines += [
        translator.gettext("{name}: {text}", name=line.name, text=line.text)
        for line in chat.lines[-_CHAT_LINES:]
        if line.name
    ]
    return [printable_line(line, ascii=False) for line in lines]


def turn_lines(
    room: RoomView, speech: AnySpeech, view: msgspec.Struct, translator: Translator
) -> Sequence[str]:
    """Return whose turn it is; for a player also their own pieces and legal moves, as a command line has them."""
    if room.state == "finished":
        return speech.standing(room, view, translator)
    if room.you is not None and room.you in room.turn:
        lines = [translator.gettext("It is your turn.")]
    else:
        lines = [turn_sentence([room.seats[seat].name for seat in room.turn], translator)]
    lines += filter(None, (speech.asked(room, view, translator), *speech.own(room, view, translator)))
    moves = speech.legal(view)
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


EXIT_FAILED: Final = 1
EXIT_REFUSED: Final = 3
EXIT_NO_TABLE: Final = 4


class TableFollower:
    """Follows the table `code` until its game is over; a `Speaker` as `face.PlainFace` needs one.

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
        """`send` says a command to the house, `speeches` are the games' own; `json` instead of sentences."""
        self._floor = PlainContext(send, preferences, ShellCommands(), ShellCommands(), speeches)
        self._talk = ChatReader(self._floor)
        self._send = send
        self._code = code
        self._json = json
        self._room: RoomView | None = None
        self._view: msgspec.Struct | None = None
        self._farewell_sent = False

    @property
    def farewell(self) -> Farewell | None:
        """See Speaker."""
        return self._floor.farewell

    def begin(self) -> None:
        """See Speaker."""
        self._send(Hello(VERSION, f"cartino-lines {__version__}"))

    def hear(self, said: Answer | ConnectionStatus) -> None:
        """See Speaker."""
        if isinstance(said, ConnectionStatus):
            return
        floor = self._floor
        first = floor.known.welcome is None
        floor.known = floor.known.learn(said)
        match said:
            case Welcome() if first:
                self._send(Watch(self._code, again=True))
            case RoomView():
                self._show(said)
            case Refusal():
                self._refused(said)
            case Announced() if not self._json:
                floor.tell(notice_line(said, floor.translator))
            case Left():
                floor.leave(Farewell(LazyMessage(""), EXIT_REFUSED if said.why == "moved" else EXIT_FAILED))
            case Bye():
                self._broken_off(farewell.server_farewell(said, floor.known, floor.own_shell_commands))
        if not self._json:
            self._talk.state_changed()

    def enter(self, text: str) -> None:
        """See Speaker: nothing is typed here."""

    def leave(self) -> None:
        """See Speaker."""
        self._floor.leave(Farewell())

    def closed(self) -> None:
        """See Speaker."""
        self._broken_off(farewell.connection_lost(self._floor.known, self._floor.own_shell_commands))

    def ended(self, why: LazyMessage) -> None:
        """See Speaker."""
        self._broken_off(Farewell(why))

    def take(self) -> list[str]:
        """See Speaker."""
        floor = self._floor
        told, floor.told = floor.told, []
        if floor.farewell is not None and not self._farewell_sent:
            self._farewell_sent = True
            last = floor.translator.render(floor.farewell.sentence)
            if last:
                told += [self._object({"error": last})] if self._json else last.splitlines()
        return told if self._json else [printable_line(line, ascii=floor.preferences.ascii) for line in told]

    def _show(self, room: RoomView) -> None:
        """Tell what is new; the end of the game is the end of this."""
        floor, before, old = self._floor, self._room, self._view
        speech = floor.speeches.get(room.game)
        view = read_view(room, speech)
        self._room, self._view = room, view
        if self._json:
            if before is None or _comparable(before) != _comparable(room):
                floor.tell(self._object(table_json(room, speech)))
        elif view is not None and speech is not None:
            if old is None:
                floor.tell(
                    *speech.arrived(room, view, floor.translator),
                    *speech.standing(room, view, floor.translator),
                )
            else:
                floor.tell(*speech.happened(room, old, view, floor.translator))
                if room.state == "finished":
                    floor.tell(*speech.standing(room, view, floor.translator))
        elif before is None:
            floor.tell(floor.translator.gettext("The game has not begun."))
        if room.state == "finished":
            floor.leave(Farewell())

    def _broken_off(self, end: Farewell) -> None:
        self._floor.leave(msgspec.structs.replace(end, code=BROKEN_OFF))

    def _refused(self, refusal: Refusal) -> None:
        code = (
            EXIT_NO_TABLE if refusal.reason in {"unknown-code", "set-aside", "game-missing"} else EXIT_REFUSED
        )
        self._floor.leave(Farewell(refusal.words(), code))

    def _object(self, told: object) -> str:
        return msgspec.json.encode(told).decode()


def _comparable(room: RoomView) -> tuple[object, ...]:
    """What of a table is news to a program: clocks that have gone on are none."""
    seats = tuple(msgspec.structs.replace(seat, left=None) for seat in room.seats)
    return room.number, room.state, room.paused, room.votes, room.again, seats, room.spectators
