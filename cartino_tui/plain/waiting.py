"""The waiting room in lines: who sits where, seats to take and give back, a code to pass on, a shuffle to cut."""

from collections.abc import Sequence
from functools import partial

from cartino_protocol.commands import Leave, Sit, Stand, Start
from cartino_protocol.ids import Seat
from cartino_protocol.views import RoomView
from cartino_tui.known import Known
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.listing import seat_name
from cartino_tui.plain.manners import Manners
from cartino_tui.plain.talk import Talk
from cartino_tui.plain.topic import Choice, Topic
from cartino_tui.terms import terms


class Waiting(Topic):
    """A table whose game has not begun."""

    def __init__(self, floor: Floor, room: RoomView, talk: Talk) -> None:
        """The table `room`, of whose `talk` so much was told."""
        super().__init__(floor)
        self.room = room
        self.talk = talk
        self._manners = Manners(floor, talk)

    def opening(self) -> Sequence[str]:
        """The table, its seats, its terms, and how a friend comes."""
        floor, tongue, room = self.floor, self.tongue, self.room
        lines = [
            tongue.say(
                "Table {code}, {game}. The game has not begun.",
                code=room.code,
                game=floor.title(room.game, room.options),
            ),
            *(self._seat(seat) for seat in range(len(room.seats))),
            terms(room.clock, room.absence, tongue),
        ]
        if floor.door.words:
            lines.append(tongue.say("A friend comes with: {command}", command=floor.door.join(room.code)))
        return lines

    def choices(self) -> Sequence[Choice]:
        """What this person can do here now."""
        tongue, room = self.tongue, self.room
        choices = []
        if room.you is None:
            choices += [
                Choice(
                    tongue.say("take seat {n}", n=seat + 1),
                    partial(self.floor.say, Sit(seat)),
                    (f"sit {seat + 1}", f"{tongue.say_in('command', 'sit')} {seat + 1}"),
                )
                for seat in range(len(room.seats))
                if room.seats[seat].kind == "empty"
            ]
        else:
            if room.owner == room.you and sum(seat.kind != "empty" for seat in room.seats) > 1:
                start = tongue.say("start the game with those who sit")
                choices.append(
                    Choice(
                        start, partial(self.floor.say, Start()), ("start", tongue.say_in("command", "start"))
                    )
                )
            stand = tongue.say("give your seat back")
            choices.append(
                Choice(stand, partial(self.floor.say, Stand()), ("stand", tongue.say_in("command", "stand")))
            )
        return choices

    def back(self) -> str:
        """To the lobby."""
        return self.tongue.say("back to the lobby")

    def go_back(self) -> None:
        """Leave the table."""
        self.floor.say(Leave())

    def free(self, text: str) -> bool:
        """What can be said at every table."""
        return self._manners.free(text, self.room)

    def help(self) -> None:
        """What can be typed."""
        self._manners.help(self.room)
        self.open()

    def learned(self, before: Known) -> None:
        """Who came and went is in the notices; the choices are told anew when they are others."""
        self.talk.learned()
        room = self.floor.known.room
        if room is None or room is self.room:
            return
        others = (room.you, room.owner) != (self.room.you, self.room.owner)
        self.room = room
        if others and self.floor.topics[-1] is self:
            self.floor.tell(*(self._seat(seat) for seat in range(len(room.seats))))
            self.offer()
        elif self.floor.topics[-1] is self:
            self._offered = tuple(self.choices())

    def _seat(self, seat: Seat) -> str:
        tongue, room = self.tongue, self.room
        name = seat_name(room.seats[seat], tongue)
        if seat == room.you and seat == room.owner:
            return tongue.say("Seat {n}: you, the owner.", n=seat + 1)
        if seat == room.you:
            return tongue.say("Seat {n}: you.", n=seat + 1)
        if seat == room.owner:
            return tongue.say("Seat {n}: {name}, the owner.", n=seat + 1, name=name)
        if not room.seats[seat].here:
            return tongue.say("Seat {n}: {name}, away.", n=seat + 1, name=name)
        return tongue.say("Seat {n}: {name}.", n=seat + 1, name=name)
