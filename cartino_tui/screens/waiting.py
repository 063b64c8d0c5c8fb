"""The waiting room: the table before its game begins."""

from cartino_protocol.commands import Invite, Leave, Sit, Stand, Start
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import WAITING, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.clipboard import copied
from cartino_tui.screens.help import HelpScreen, waiting_help
from cartino_tui.screens.over import OVER_TABLES
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.shuffle import ask_for_cut
from cartino_tui.screens.talk import Heard, ask_to_say
from cartino_tui.screens.waiting_drawing import WaitingModel, draw_waiting, seat_at, waiting_hints
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

MOST_NAME = 16


class WaitingScreen(HouseScreen):
    """Seats to take and give back, a code to pass on, a shuffle to cut."""

    SHOWS_TALK = True

    def __init__(
        self, stage: Stage, known: Known, room: RoomView, plug: AnyScreen, begun: str | None = None
    ) -> None:
        """The waiting room of `room`, where `plug`'s game will be played; `begun` is a line half said."""
        super().__init__(stage, known)
        self.room = room
        self.plug = plug
        self._begun = begun
        free = (number for number, seat in enumerate(room.seats) if seat.kind == "empty")
        self.cursor = room.you if room.you is not None else next(free, 0)
        self._heard = Heard(newest=0)
        self._drawn: WaitingModel | None = None
        """What is seen: a click goes by it."""

    def on_mount(self) -> None:
        """Go on with what was half said."""
        if self._begun is not None:
            self.ask(ask_to_say(self, self.known.chat, self._begun))

    def learned(self) -> None:
        """The room is new."""
        room = self.known.room
        if room is not None:
            if (room.seats, room.owner) != (self.room.seats, self.room.owner):
                # It was about who sat here.
                self.status = ""
            self.room = room
            self.cursor = min(self.cursor, len(self.room.seats) - 1)

    def draw(self, look: Look) -> Frame:
        """The room as it is."""
        self._drawn = self._model(look)
        return draw_waiting(self._drawn, look)

    def _model(self, look: Look) -> WaitingModel:
        room, plug = self.room, self.plug
        game = plug.title_of(room.options, self.look.tongue)
        return WaitingModel(
            room=room,
            title=look.tongue.say("{game}: table {code}", game=game, code=room.code),
            cursor=self.cursor,
            said=self._heard.said(self.known.chat, look.tongue),
            status=self.news,
            lead=self.lead,
            door=self.stage.door,
            word=self.known.welcome.word if self.known.welcome else "",
            hints=self.shown_hints(),
            chance=plug.chance_of(room.options),
        )

    def keys(self) -> KeyTable:
        """The waiting room's keys."""
        return WAITING

    def hints(self) -> HintRow:
        """What this person can do here now."""
        return waiting_hints(self.room, sure=self.plug.chance_of(self.room.options) is None)

    def press(self, press: Press) -> None:
        """Choose a seat, take it, give it back, start, cut, talk, leave."""
        action = WAITING.action(press.key)
        match action:
            case "up":
                self.cursor = (self.cursor - 1) % len(self.room.seats)
            case "down":
                self.cursor = (self.cursor + 1) % len(self.room.seats)
            case "sit":
                self._sit(self.cursor)
            case "stand":
                self.wish(Stand())
            case "start":
                self.wish(Start())
            case "cut":
                self._ask_for_cut()
            case "invite" | "copy":
                self._call_friends(by_name=action == "invite")
            case "chat":
                self.ask(ask_to_say(self, self.known.chat))
            case "help":
                self._help()
            case str(over) if over in OVER_TABLES:
                self.app.push_screen(OVER_TABLES[over](self.stage, self.known))
            case "leave":
                self.wish(Leave())
            case "number":
                self._sit(int(press.key) - 1)

    def tap(self, tap: Tap) -> None:
        """A click marks a seat; a click on the marked one, or a double click, takes it."""
        seat = seat_at(self._drawn, self.look, tap.x, tap.y) if self._drawn is not None else None
        if seat is None:
            return
        if seat == self.cursor or tap.chain > 1:
            self._sit(seat)
        self.cursor = seat

    def _help(self) -> None:
        help = waiting_help(
            self.plug, self.room, self.known.welcome, self.stage.door, self.look.tongue, self.hints()
        )
        self.app.push_screen(HelpScreen(self.stage, self.known, help))

    def _call_friends(self, *, by_name: bool) -> None:
        """Ask whom to invite, or give what friends type to the clipboard."""
        tongue = self.look.tongue
        if by_name:
            self.ask(Ask(tongue.say("Whom to invite"), MOST_NAME, self._invite, to=(Invite.__name__,)))
        elif self.stage.door.words:
            self.status = copied(self.app, self.stage.door.join(self.room.code), tongue)
        else:
            self.status = tongue.say(
                "This table ends with this program: nobody can come to it from elsewhere."
            )

    def _invite(self, name: str) -> None:
        self.wish(Invite(name), awaited=False)

    def _sit(self, seat: int) -> None:
        tongue, seats = self.look.tongue, len(self.room.seats)
        if seat >= seats:
            self.status = tongue.count("This table has {n} seat.", "This table has {n} seats.", seats)
        elif seat == self.room.you:
            self.status = tongue.say("You sit there already.")
        elif self.room.you is not None:
            self.status = tongue.say("You have a seat already; u gives it back.")
        elif self.room.seats[seat].kind != "empty":
            self.status = tongue.say("That seat is taken; choose a free one.")
        else:
            self.cursor = seat
            self.wish(Sit(seat))

    def _ask_for_cut(self) -> None:
        tongue = self.look.tongue
        if self.room.you is None:
            self.status = tongue.say("Only those who sit here cut the shuffle; take a seat first.")
        else:
            self.ask(ask_for_cut(lambda cut: self.wish(cut, awaited=False), tongue))
