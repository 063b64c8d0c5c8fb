"""What a player's command makes of a table; no event loop, no I/O."""

from cartino_protocol.commands import Act, Cut, Pause, Rematch, Say, Sit, Stand, Start
from cartino_protocol.refusals import Refusal
from cartino_server.table.chat import LONGEST
from cartino_server.table.state import TableState

TableCommand = Act | Say | Cut | Sit | Stand | Start | Rematch | Pause


def apply(
    table: TableState, person: str, command: TableCommand, longest: int = LONGEST, origin: str = ""
) -> TableState | Refusal:
    """Return `table` after the command of `person`, who is at it, or why it is refused.

    `longest` is how many characters a line of chat may have, `origin` the network that they came from.
    """
    match command:
        case Act(number=number, move=move):
            running, seat = table.running, table.seating.seat_of(person)
            if running is None:
                return Refusal("not-playing")
            if seat is None:
                return Refusal("not-seated")
            if running.lost_turn(seat):
                return Refusal("timed-out")
            return table.played(running.act(table.seating, table.ports, seat, number, bytes(move)))
        case Say(text=text):
            return table.say(person, text, longest, origin)
        case Cut(text=text):
            return table.cut(person, text)
        case Sit(seat=seat):
            return table.sit(person, seat)
        case Stand():
            return table.stand(person)
        case Start():
            return table.start(person)
        case Rematch():
            return table.rematch(person)
        case Pause(on=on):
            return table.vote(person, on)
