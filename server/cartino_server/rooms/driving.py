"""The bots at a table: who of them is asked when, and what becomes of their answers."""

import structlog

from cartino_protocol.ids import Seat
from cartino_server.rooms.room import Room
from cartino_server.rooms.show import table_view
from cartino_server.rooms.thinking import Thinker, Thought

_log = structlog.get_logger(__name__)


class BotDriver:
    """Asks every bot that could do something, once a state.

    Several may think at once. Whoever answers first moves the state on; the others' answers are out of date then,
    and they are asked again. Who is on turn has to answer, who only might interfere may let it be.
    """

    def __init__(self, room: Room, thinker: Thinker, pause: float) -> None:
        """The bots that sit at `room`; `pause` in seconds before a move in turn.

        What `thinker` comes to is to be brought to `act` by the room's task.
        """
        self._room = room
        self._thinker = thinker
        self._pause = pause
        self._asked: dict[Seat, int] = {}
        self._rested: set[Seat] = set()

    def wake(self) -> None:
        """Ask whoever was not asked about the state as it is."""
        play = self._room.play
        if self._room.state != "playing" or play is None:
            return
        on_turn = play.on_turn()
        self._rested.intersection_update(on_turn)
        for seat in play.may_act():
            chair = self._room.seating.chairs[seat]
            if chair.kind != "bot" or self._thinker.busy(seat) or self._asked.get(seat) == play.number:
                continue
            self._asked[seat] = play.number
            self._thinker.begin(
                chair.bot, seat, play.number, table_view(play, seat), self._rest(seat, on_turn)
            )

    def act(self, thought: Thought) -> None:
        """Make the move that a bot came to. Raises RuntimeError where the game waits for a seat that has no move."""
        room, seat, number = self._room, thought.seat, thought.number
        if number != room.number or room.state != "playing" or room.play is None:
            return
        on_turn = seat in room.play.on_turn()
        if thought.move is None and not on_turn:
            return
        self._rested.discard(seat)
        refusal = None
        if thought.move is not None:
            refusal = room.act_for(seat, number, thought.move)
            if refusal is None:
                return
        _log.warning("bot_refused", code=room.code, seat=seat, reason=refusal and refusal.reason)
        if on_turn:
            move = room.first_legal(seat)
            if move is None or room.act_for(seat, number, move) is not None:
                raise RuntimeError(f"the game waits for seat {seat} and takes no move from it")

    def stop(self) -> None:
        """The table is closed."""
        self._thinker.stop()

    def _rest(self, seat: Seat, on_turn: tuple[Seat, ...]) -> float:
        """The pause before a move. Whose answer was overtaken had theirs: else the quick would always be first."""
        if seat not in on_turn or seat in self._rested:
            return 0
        self._rested.add(seat)
        return self._pause
