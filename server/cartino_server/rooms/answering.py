"""What a command said at a table means to its room."""

from cartino_protocol.commands import Act, Cut, Pause, Rematch, Say, Sit, Stand, Start
from cartino_protocol.refusals import Refusal
from cartino_server.rooms.chat import LONGEST
from cartino_server.rooms.room import Room

RoomCommand = Act | Say | Cut | Sit | Stand | Start | Rematch | Pause


def answer(
    room: Room, person: str, command: RoomCommand, longest: int = LONGEST, origin: str = ""
) -> Refusal | None:
    """Do what `person`, who is at the table, asks for; or say why not, with nothing changed.

    `longest` is how many characters a line of chat may have, `origin` where they came from (see Chat).
    """
    match command:
        case Act(number=number, move=move):
            return room.act(person, number, bytes(move))
        case Say(text=text):
            return room.say(person, text, longest, origin)
        case Cut(text=text):
            return room.cut(person, text)
        case Sit(seat=seat):
            return room.sit(person, seat)
        case Stand():
            return room.stand(person)
        case Start():
            return room.start(person)
        case Rematch():
            return room.rematch(person)
        case Pause(on=on):
            return room.vote(person, on)
