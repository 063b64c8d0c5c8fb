"""The table, pure: what people may do at it and what becomes of it. No loop, no clock, no chance of its own.

A room knows persons by an id and never by a link; somebody is present once, however many links they have.
Every command gives None when it was done, or the Refusal when nothing was changed. What the engine raises
comes through: whoever runs the room closes it.
"""

from collections.abc import Callable, Mapping, Sequence

from cartino_protocol.commands import Channel
from cartino_protocol.ids import RoomState, Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView
from cartino_protocol.wire import encode
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.engine.port import AnyGame
from cartino_server.rooms.chat import LONGEST, Chat
from cartino_server.rooms.play import Play
from cartino_server.rooms.seating import Seating, turned
from cartino_server.rooms.text import clean_text

LONGEST_CUT = 100


class Room:
    """One table and the game at it, if any.

    `version` rises with whatever a RoomView shows, `chat_version` with the chat.
    """

    def __init__(
        self,
        code: str,
        game: AnyGame,
        options: Mapping[str, str],
        seats: int,
        bots: Sequence[str],
        open_to_all: bool,
        seed: bytes,
        entropy: Callable[[int], bytes],
        now: Callable[[], str],
    ) -> None:
        """An empty table with `bots` on the last of `seats`; `options` are all of the game's.

        The first deal is from `seed`, which whoever opens the table was promised; further ones from `entropy`.
        """
        self.code = code
        self.game = game
        self.options = self._ordered = dict(options)
        self.open_to_all = open_to_all
        self.seating = Seating(seats, bots)
        self.present: dict[str, str] = {}
        """Names of the persons at the table, by id, in the order they came."""
        self.play: Play | None = None
        """The game that runs or ran last; kept while the table is open again, for its record."""
        self.wants_again: set[str] = set()
        self.state: RoomState = "open"
        self.version = 0
        self.chat_version = 0
        self._chat = Chat()
        self._entropy = entropy
        self._now = now
        self._seed = self._next_seed = seed

    @property
    def commitment(self) -> str:
        """The promise of the seed that the shown game was or the next one will be dealt from."""
        return commitment(self._seed)

    @property
    def seed(self) -> str:
        """The seed in hex once its game is over, else ""."""
        return self._seed.hex() if self.state == "finished" else ""

    @property
    def next_commitment(self) -> str:
        """The promise for the rematch, which is dealt as soon as everybody wants it; "" before a game is over."""
        return commitment(self._next_seed) if self.state == "finished" else ""

    @property
    def number(self) -> int:
        """The number of the state that a move has to answer. It never falls, not even for the next game."""
        return self.play.number if self.play is not None else 0

    @property
    def spectators(self) -> tuple[str, ...]:
        """Names of those who are here without a seat, in the order they came."""
        return tuple(name for person, name in self.present.items() if self.seating.seat_of(person) is None)

    def join(self, person: str, name: str) -> Refusal | None:
        """Come to the table and to a seat: one's own, else the first that is free."""
        seat = self.seating.seat_of(person)
        if seat is None:
            free = self.seating.first_free()
            if self.state != "open" or free is None:
                return Refusal("full")
            self.present[person] = name
            self._seat(free, person)
        else:
            self._arrive(person, name)
        return None

    def watch(self, person: str, name: str) -> Refusal | None:
        """Come to the table to watch, which nobody is refused; who has a seat here comes back to it."""
        self._arrive(person, name)
        return None

    def leave(self, person: str) -> None:
        """Go. A seat at an open table becomes free; in a game that was dealt it stays the player's."""
        name = self.present.pop(person, None)
        if name is None:
            return
        seat = self.seating.seat_of(person)
        if seat is not None and self.state == "open":
            self.seating.free(seat)
        self.wants_again.discard(person)
        self._changed(f"{name} left")
        self._agree()

    def rename(self, person: str, name: str) -> None:
        """Somebody who is here, or whose seat is, is called `name` now."""
        old = self.present.get(person)
        self.seating.rename(person, name)
        if old is not None:
            self.present[person] = name
        self._changed(f"{old} is now {name}" if old not in {None, name} else "")

    def sit(self, person: str, seat: Seat) -> Refusal | None:
        """Take the free `seat`."""
        if self.state != "open":
            return Refusal("not-open")
        if self.seating.seat_of(person) is not None:
            return Refusal("seated")
        if not self.seating.is_free(seat):
            return Refusal("seat-taken")
        self._seat(seat, person)
        return None

    def stand(self, person: str) -> Refusal | None:
        """Give the seat back and watch, while no game runs."""
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        if self.state == "playing":
            return Refusal("not-open")
        if self.state == "open":
            self.seating.free(seat)
        else:
            self.seating.give_up(seat)
        self.wants_again.discard(person)
        self._changed(f"{self.present[person]} stands up")
        self._agree()
        return None

    def start(self, person: str) -> Refusal | None:
        """The owner starts with the seats that are taken."""
        if self.state != "open":
            return Refusal("not-open")
        seat = self.seating.seat_of(person)
        if seat is None or seat != self.seating.owner:
            return Refusal("not-owner")
        least = max(2, self.game.seats[0])
        if self.seating.taken() < least:
            return Refusal("too-few", str(least))
        self.seating.compact()
        self._deal()
        self._changed()
        return None

    def cut(self, person: str, text: str) -> Refusal | None:
        """Note a player's cut for the next deal, the rematch's too; the last one before it counts."""
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        if self.state == "playing":
            return Refusal("not-open")
        cleaned = clean_text(text, LONGEST_CUT)
        if cleaned is None:
            return Refusal("bad-text")
        self.seating.cut(seat, cleaned)
        self._changed()
        return None

    def act(self, person: str, number: int, move: bytes) -> Refusal | None:
        """A person's move, as an answer to the state `number`."""
        if self.state != "playing":
            return Refusal("not-playing")
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        return self.act_for(seat, number, move)

    def act_for(self, seat: Seat, number: int, move: bytes) -> Refusal | None:
        """The move of whoever sits on `seat`. Whether it is their turn is for the game to say."""
        if self.state != "playing" or self.play is None:
            return Refusal("not-playing")
        refusal = self.play.act(seat, number, move)
        if refusal is None:
            self._settle()
            self._changed()
        return refusal

    def first_legal(self, seat: Seat) -> bytes | None:
        """The first of the game's legal moves for `seat`, encoded; None where there is none."""
        if self.state != "playing" or self.play is None:
            return None
        return next((encode(move) for move in self.game.legal(self.play.state, seat)), None)

    def say(self, person: str, text: str) -> Refusal | None:
        """A line of chat from somebody who is here."""
        cleaned = clean_text(text, LONGEST)
        if cleaned is None:
            return Refusal("bad-text")
        self._chat.say(self.present[person], cleaned, self._channel(self.seating.seat_of(person) is None))
        self.chat_version += 1
        return None

    def rematch(self, person: str) -> Refusal | None:
        """A player wants another game; it comes once every player who is here wants it."""
        if self.seating.seat_of(person) is None:
            return Refusal("not-seated")
        if self.state != "finished":
            return Refusal("not-finished")
        self.wants_again.add(person)
        self._changed()
        self._agree()
        return None

    def abandon(self) -> None:
        """The table is closed; the record of a game that runs gets its end."""
        if self.state == "playing" and self.play is not None:
            self.play.abandon()
            self._settle()
            self._changed()

    def chat(self, spectator: bool) -> ChatView:
        """The chat as players or spectators may read it."""
        return self._chat.view(spectator, self._channel(spectator))

    def _arrive(self, person: str, name: str) -> None:
        new = person not in self.present
        self.present[person] = name
        self.seating.rename(person, name)
        back = self.seating.seat_of(person) is not None
        self._changed(f"{name} is {'back' if back else 'watching'}" if new else "")

    def _seat(self, seat: Seat, person: str) -> None:
        name = self.present[person]
        self.seating.sit(seat, person, name)
        self._changed(f"{name} sits down")
        if self.seating.first_free() is None:
            self._deal()

    def _deal(self) -> None:
        chairs = self.seating.chairs
        names = [chair.record_name for chair in chairs]
        cuts = [chair.cut for chair in chairs]
        self.play = Play(self.game, self.options, names, cuts, self._seed, self.number + 1, self._now)
        self.seating.forget_cuts()
        self.state = "playing"
        # The spectators' words go elsewhere from now on, which their chat view has to say.
        self.chat_version += 1
        self._settle()

    def _settle(self) -> None:
        if self.play is not None and self.play.result is not None:
            self.state = "finished"
            self._next_seed = self._entropy(SEED_BYTES)
            self._chat.reveal()
            self.chat_version += 1

    def _agree(self) -> None:
        here = [person for person in self.seating.persons() if person in self.present]
        if self.state != "finished" or not here or not self.wants_again.issuperset(here):
            return
        self.wants_again.clear()
        self.seating.turn(self.present)
        self._seed = self._next_seed
        self.state = "open"
        self.options = dict(self._ordered)
        if self.seating.first_free() is None:
            # The same players go on: what the last game hands to the next (who begins) is theirs.
            if self.play is not None and self.play.result is not None:
                self.options = self.game.again(self._ordered, turned(self.play.result))
            self._deal()
        self._changed()

    def _channel(self, spectator: bool) -> Channel:
        return "watchers" if spectator and self.state == "playing" else "table"

    def _changed(self, notice: str = "") -> None:
        self.version += 1
        if notice:
            self._chat.notice(notice)
            self.chat_version += 1
