"""A table told as it goes on, to somebody who types nothing: in sentences, or as JSON, a line a state."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from cartino_protocol import __version__
from cartino_protocol.commands import Command, Hello, Watch
from cartino_protocol.hosts_words import Announced
from cartino_protocol.line import LineNews
from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.marking import Sentence
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, Left, RoomView, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui import farewell
from cartino_tui.door import Door
from cartino_tui.farewell import Farewell
from cartino_tui.games.speech import AnySpeech
from cartino_tui.hosts_words import line_of
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.speech import speakable
from cartino_tui.plain.state import as_json, read
from cartino_tui.plain.talk import Talk
from cartino_tui.preferences import Preferences

FAILED: Final = 1
REFUSED: Final = 3
NO_TABLE: Final = 4


class Follower:
    """Follows the table `code` until its game is over; a `Speaker` as `face.PlainFace` needs one.

    Who has a seat there comes to it, unless they have it at another terminal, where it stays.
    """

    waiting = True

    def __init__(
        self,
        send: Callable[[Command], None],
        preferences: Preferences,
        voices: Mapping[str, AnySpeech],
        code: str,
        *,
        json: bool,
    ) -> None:
        """`send` says a command to the house, `voices` are the games' own; `json` instead of sentences."""
        self._floor = Floor(send, preferences, Door(), Door(), voices)
        self._talk = Talk(self._floor)
        self._send = send
        self._code = code
        self._json = json
        self._room: RoomView | None = None
        self._view: msgspec.Struct | None = None
        self._said_farewell = False

    @property
    def farewell(self) -> Farewell | None:
        """See Speaker."""
        return self._floor.farewell

    def begin(self) -> None:
        """See Speaker."""
        self._send(Hello(VERSION, f"cartino-lines {__version__}"))

    def hear(self, said: Answer | LineNews) -> None:
        """See Speaker."""
        if isinstance(said, LineNews):
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
                floor.tell(line_of(said, floor.tongue))
            case Left():
                floor.leave(Farewell(Sentence(""), REFUSED if said.why == "moved" else FAILED))
            case Bye():
                self._broken_off(farewell.farewell(said, floor.known, floor.own_door))
        if not self._json:
            self._talk.learned()

    def enter(self, text: str) -> None:
        """See Speaker: nothing is typed here."""

    def leave(self) -> None:
        """See Speaker."""
        self._floor.leave(Farewell())

    def closed(self) -> None:
        """See Speaker."""
        self._broken_off(farewell.closed(self._floor.known, self._floor.own_door))

    def ended(self, why: Sentence) -> None:
        """See Speaker."""
        self._broken_off(Farewell(why))

    def take(self) -> list[str]:
        """See Speaker."""
        floor = self._floor
        told, floor.told = floor.told, []
        if floor.farewell is not None and not self._said_farewell:
            self._said_farewell = True
            last = floor.tongue.tell(floor.farewell.sentence)
            if last:
                told += [self._object({"error": last})] if self._json else last.splitlines()
        return told if self._json else [speakable(line, ascii=floor.preferences.ascii) for line in told]

    def _show(self, room: RoomView) -> None:
        """Tell what is new; the end of the game is the end of this."""
        floor, before, old = self._floor, self._room, self._view
        voice = floor.voices.get(room.game)
        view = read(room, voice)
        self._room, self._view = room, view
        if self._json:
            if before is None or _shown(before) != _shown(room):
                floor.tell(self._object(as_json(room, voice)))
        elif view is not None and voice is not None:
            if old is None:
                floor.tell(
                    *voice.arrived(room, view, floor.tongue), *voice.standing(room, view, floor.tongue)
                )
            else:
                floor.tell(*voice.happened(room, old, view, floor.tongue))
                if room.state == "finished":
                    floor.tell(*voice.standing(room, view, floor.tongue))
        elif before is None:
            floor.tell(floor.tongue.say("The game has not begun."))
        if room.state == "finished":
            floor.leave(Farewell())

    def _broken_off(self, end: Farewell) -> None:
        self._floor.leave(msgspec.structs.replace(end, code=BROKEN_OFF))

    def _refused(self, refusal: Refusal) -> None:
        code = NO_TABLE if refusal.reason in {"unknown-code", "set-aside", "game-missing"} else REFUSED
        self._floor.leave(Farewell(refusal.words(), code))

    def _object(self, told: object) -> str:
        return msgspec.json.encode(told).decode()


def _shown(room: RoomView) -> tuple[object, ...]:
    """What of a table is news to a program: clocks that have gone on are none."""
    seats = tuple(msgspec.structs.replace(seat, left=None) for seat in room.seats)
    return room.number, room.state, room.paused, room.votes, room.again, seats, room.spectators
