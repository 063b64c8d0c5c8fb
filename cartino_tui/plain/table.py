"""The table in lines while a game runs and after it: the game's voice speaks and reads, the frame has what is left."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from cartino_protocol.commands import Act, Leave
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import RoomView
from cartino_protocol.wire import raw
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.speech import AnySpeech, Heard
from cartino_tui.known import Known
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.manners import Manners
from cartino_tui.plain.talk import Talk
from cartino_tui.plain.topic import Topic


class _Written(NamedTuple):
    """A move, and the word that it was written in."""

    word: str
    move: msgspec.Struct


class Table(Topic):
    """A game that runs or is over. `hold` is the voice's own: what is chosen so far."""

    def __init__(self, floor: Floor, room: RoomView, talk: Talk, voice: AnySpeech) -> None:
        """The table `room`, which `voice` speaks of. Raises msgspec.DecodeError where it can't read the table."""
        super().__init__(floor)
        self.room = room
        self.talk = talk
        self._voice = voice
        self._view = voice.read(room.table)
        self._hold: msgspec.Struct = voice.fresh()
        self._manners = Manners(floor, talk)
        self._then: tuple[_Written, ...] = ()
        """Moves that were typed in one line and are still to be made."""
        self._doing = ""
        """The move of such a line that is being made."""

    def opening(self) -> Sequence[str]:
        """The table, who plays, what lies, and what it waits for."""
        floor, tongue, room = self.floor, self.tongue, self.room
        title = floor.title(room.game, room.options)
        watching = room.you is None
        return (
            tongue.say("Table {code}, {game}; you are watching.", code=room.code, game=title)
            if watching
            else tongue.say("Table {code}, {game}.", code=room.code, game=title),
            *self._voice.arrived(room, self._view, tongue),
            *self._standing(),
        )

    def open(self) -> None:
        """An empty line tells how it stands; who has just come hears all of it."""
        self.floor.tell(*self.opening())

    def back(self) -> str:
        """To the lobby."""
        return self.tongue.say("back to the lobby")

    def go_back(self) -> None:
        """Leave the table; the seat stays one's own while a game runs."""
        if self.room.state == "playing" and self.room.you is not None:
            welcome = self.floor.known.welcome
            if welcome is not None and welcome.word:
                self.floor.tell(self.tongue.say("Your seat is kept; to come back: {word}", word=welcome.word))
            else:
                self.floor.tell(self.tongue.say("Your seat stays yours."))
        self.floor.say(Leave())

    def free(self, text: str) -> bool:
        """A line is the game's first, then the frame's; an empty one tells how it stands."""
        if not text:
            self.floor.tell(*self._standing())
            return True
        if self.room.state == "playing" and self.room.paused and self._would_move(text):
            self.floor.tell(self.tongue.say("The game is paused; pause votes to go on."))
            return True
        if self._manners.free(text, self.room):
            return True
        moves = self._written(text)
        if len(moves) > 1:
            self._make(moves)
            return True
        return self._do(text)

    def help(self) -> None:
        """What can be typed at this table now."""
        self.floor.tell(*self._voice.words(self.tongue))
        self._manners.help(self.room)

    def learned(self, before: Known) -> None:
        """Tell what was said and done since, and what the table waits for, where that is oneself."""
        self.talk.learned()
        room = self.floor.known.room
        if room is None or room is self.room:
            return
        old, view = self.room, self._view
        try:
            self._view = self._voice.read(room.table)
        except msgspec.DecodeError:
            self.floor.leave(UNREADABLE)
            return
        self.room = room
        if old.state == "finished" and room.state == "playing":
            self._hold = self._voice.fresh()
            self.floor.tell(self.tongue.say("A new game begins."), *self.opening()[1:])
            return
        if (room.number, room.you) != (old.number, old.you):
            self._hold = self._voice.fresh()
        self.floor.tell(*self._voice.happened(room, view, self._view, self.tongue))
        if room.number == old.number or not self._goes_on(room):
            self._tell_changes(old, room)

    def refused(self, refusal: Refusal) -> None:
        """Why not; where the game's own rule refused a move, in the game's own words."""
        doing, self._doing, self._then = self._doing, "", ()
        if refusal.reason != "illegal":
            super().refused(refusal)
            return
        why = self._voice.refused(refusal.detail, self.tongue)
        self.floor.tell(self.tongue.say("{move}: {why}", move=doing, why=why) if doing else why)

    def _do(self, text: str) -> bool:
        """Have the voice read `text`, and send the move that it is; False where it is none of the game's words."""
        self._doing, self._then = "", ()
        heard: Heard[Any] = self._voice.enter(self.room, self._view, self._hold, text, self.tongue)
        if not heard.taken:
            if text == "0" and self.room.state == "playing" and self.room.you is not None:
                # What takes a choice back must not lead away from the table where there is none.
                self.floor.tell(self.tongue.say("Nothing is chosen; leave goes back to the lobby."))
                return True
            return False
        self._hold = heard.hold
        self.floor.tell(*heard.lines)
        if heard.move is not None:
            self.floor.say(Act(self.room.number, raw(heard.move)))
            self._then = ()
        return True

    def _written(self, text: str) -> tuple[_Written, ...]:
        """The moves of a line that holds nothing else, () for any other."""
        words = text.split()
        read = ((word, self._voice.move(word, self._view)) for word in words)
        moves = tuple(_Written(word, move) for word, move in read if move is not None)
        return moves if len(moves) == len(words) else ()

    def _make(self, moves: tuple[_Written, ...]) -> None:
        """Make the first of `moves`; the others follow as long as none is refused."""
        first, *others = moves
        self._hold = self._voice.fresh()
        if not self._do(first.word):
            self.floor.say(Act(self.room.number, raw(first.move)))
        if self.floor.waiting:
            self._doing, self._then = first.word, tuple(others)

    def _goes_on(self, room: RoomView) -> bool:
        """Make the next move of the line, if there is one. A turn that has ended by itself needs no end."""
        moves, self._then = self._then, ()
        if moves and room.state == "playing" and room.you in room.turn and not room.paused:
            self._make(moves)
            return True
        left = [each.word for each in moves if not self._voice.only_ends(each.move)]
        if left:
            self.floor.tell(self.tongue.say("This was not done any more: {moves}.", moves=" ".join(left)))
        return False

    def _tell_changes(self, old: RoomView, room: RoomView) -> None:
        tongue = self.tongue
        mine = room.you is not None and room.you in room.turn
        if room.state == "finished" and old.state != "finished":
            self.floor.tell(*self._standing())
            if room.you is not None:
                self.floor.tell(tongue.say("Type rematch for another game, or leave."))
            return
        self.floor.tell(*self._votes(old, room))
        moved = room.number != old.number or room.you != old.you
        if mine and not room.paused and (moved or old.paused):
            self.floor.tell(*self._standing())

    def _votes(self, old: RoomView, room: RoomView) -> Sequence[str]:
        """Who wants a pause, or its end, or another game, and did not before."""
        tongue = self.tongue
        lines = []
        for seat in sorted(set(room.votes) - set(old.votes)):
            if seat == room.you:
                lines.append(tongue.say("You have voted; it counts when the others agree."))
            elif room.paused:
                lines.append(tongue.say("{name} would go on; pause agrees.", name=room.seats[seat].name))
            else:
                lines.append(tongue.say("{name} would pause; pause agrees.", name=room.seats[seat].name))
        for seat in sorted(set(room.again) - set(old.again)):
            if seat == room.you:
                lines.append(tongue.say("You want another game; it begins when the others want it too."))
            else:
                lines.append(
                    tongue.say("{name} would play again; rematch joins in.", name=room.seats[seat].name)
                )
        return lines

    def _standing(self) -> Sequence[str]:
        """What the table waits for, with the time there is for it."""
        room, tongue = self.room, self.tongue
        if room.state == "playing" and room.paused:
            return (tongue.say("The game is paused; pause votes to go on."),)
        lines = list(self._voice.standing(room, self._view, tongue))
        if room.state == "playing" and room.you in room.turn and not self.floor.knows_how:
            self.floor.knows_how = True
            lines.append(self._voice.first_step(tongue))
        left = None if room.you is None else room.seats[room.you].left
        if left is not None and room.state == "playing" and room.you in room.turn:
            seconds = max(1, round(left))
            if seconds > 3600:
                lines.append(tongue.count("You have {n} hour.", "You have {n} hours.", seconds // 3600))
            else:
                lines.append(tongue.count("You have {n} second.", "You have {n} seconds.", seconds))
        return lines

    def _would_move(self, text: str) -> bool:
        heard: Heard[Any] = self._voice.enter(self.room, self._view, self._hold, text, self.tongue)
        return heard.taken and heard.move is not None
