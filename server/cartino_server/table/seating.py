"""The seats of a table and its owner, and the order (`Create`) that a table is opened from."""

from collections.abc import Container, Mapping, Sequence

import msgspec

from cartino_protocol.base import Seat, SeatKind
from cartino_protocol.commands import Create
from cartino_protocol.records import DELETED_NAME
from cartino_protocol.refusals import Refusal
from cartino_server.engine.bots import Bot
from cartino_server.engine.port import AnyGame
from cartino_server.table.time_control import TimeControl


class Chair(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One seat: what sits there, the name shown, the person's id ("" for a bot, or one who gave the seat up).

    `bot` is which bot it is, where it is one: several of a kind are shown under numbered names. `guest`: the person
    has no key. `failed` are the bots that could not go on here, in this game.
    """

    kind: SeatKind = "empty"
    name: str = ""
    person: str = ""
    cut: str = ""
    bot: str = ""
    guest: bool = False
    failed: tuple[str, ...] = ()

    @property
    def record_name(self) -> str:
        """The name in a record's first line."""
        return f"bot:{self.bot}" if self.kind == "bot" else self.name


EMPTY = Chair()


class Seating:
    """The chairs in seat order and the table's owner. It holds no rule about when somebody may move."""

    def __init__(self, seats: int, bots: Sequence[str]) -> None:
        """`seats` chairs, the last of them taken by `bots`, the others empty."""
        self.chairs: tuple[Chair, ...] = (
            *(EMPTY for _ in range(seats - len(bots))),
            *(Chair("bot", numbered(bots, at), bot=bot) for at, bot in enumerate(bots)),
        )
        self._owner = ""

    @property
    def owner(self) -> Seat | None:
        """The seat whose player may start the game; None while no human sits."""
        return self.seat_of(self._owner)

    def seat_of(self, person: str) -> Seat | None:
        """The seat of `person`, or None."""
        return next(
            (seat for seat, chair in enumerate(self.chairs) if person and chair.person == person), None
        )

    def first_free(self) -> Seat | None:
        """The first empty seat, or None."""
        return next((seat for seat, chair in enumerate(self.chairs) if chair.kind == "empty"), None)

    def is_free(self, seat: Seat) -> bool:
        """Whether there is a seat of that number and nobody on it."""
        return seat < len(self.chairs) and self.chairs[seat].kind == "empty"

    def taken(self) -> int:
        """How many seats are taken, by bots too."""
        return sum(chair.kind != "empty" for chair in self.chairs)

    def persons(self) -> tuple[str, ...]:
        """The ids of the seated persons, in seat order."""
        return tuple(chair.person for chair in self.chairs if chair.person)

    def sit(self, seat: Seat, person: str, name: str, guest: bool = False) -> None:
        """`person` takes the free `seat`, and the table where nobody owns it."""
        self._set(seat, Chair("human", name, person, guest=guest))
        if self.owner is None:
            self._owner = person

    def rename(self, person: str, name: str) -> None:
        """Show `name` on the person's seat, where they have one."""
        seat = self.seat_of(person)
        if seat is not None:
            self._set(seat, msgspec.structs.replace(self.chairs[seat], name=name))

    def cut(self, seat: Seat, text: str) -> None:
        """Note the cut of whoever sits on `seat`."""
        self._set(seat, msgspec.structs.replace(self.chairs[seat], cut=text))

    def failed(self, seat: Seat, bot: str) -> None:
        """The `bot` that played for `seat` can't go on there."""
        chair = self.chairs[seat]
        self._set(seat, msgspec.structs.replace(chair, failed=(*chair.failed, bot)))

    def absent(self, present: Container[str]) -> tuple[Seat, ...]:
        """The seats of people who are not `present`; who gave a seat up counts among them."""
        return tuple(
            seat
            for seat, chair in enumerate(self.chairs)
            if chair.kind == "human" and chair.person not in present
        )

    def free(self, seat: Seat) -> None:
        """Nobody sits on `seat` any more."""
        self._vacate(seat, EMPTY)

    def give_up(self, seat: Seat) -> None:
        """The player of a game that is over leaves `seat` for good; the name stays, the result is theirs."""
        self._vacate(seat, Chair("human", self.chairs[seat].name))

    def erase(self, seat: Seat) -> None:
        """The player of `seat` has deleted their account: nobody knows who sat there."""
        self._vacate(seat, Chair("human", DELETED_NAME, failed=self.chairs[seat].failed))

    def compact(self) -> None:
        """Empty seats vanish, the others move up."""
        self.chairs = tuple(chair for chair in self.chairs if chair.kind != "empty")

    def turn(self, present: Container[str]) -> None:
        """Make ready for another game: new seat i is old seat i+1, absent humans' seats are empty."""
        for seat, chair in enumerate(self.chairs):
            if chair.kind == "human" and chair.person not in present:
                self.free(seat)
        self.chairs = (*self.chairs[1:], *self.chairs[:1])

    def dealt(self) -> None:
        """The cuts have gone into a deal, and what bots did in the game before is forgotten."""
        self.chairs = tuple(msgspec.structs.replace(chair, cut="", failed=()) for chair in self.chairs)

    def mark(self) -> tuple[tuple[Chair, ...], str]:
        """The chairs and the owner's id, to come back to, and to keep."""
        return self.chairs, self._owner

    def back_to(self, mark: tuple[tuple[Chair, ...], str]) -> None:
        """Everything is as it was at `mark`."""
        self.chairs, self._owner = mark

    def _set(self, seat: Seat, chair: Chair) -> None:
        self.chairs = (*self.chairs[:seat], chair, *self.chairs[seat + 1 :])

    def _vacate(self, seat: Seat, chair: Chair) -> None:
        was_owner = seat == self.owner
        self._set(seat, chair)
        if was_owner:
            following = (*self.chairs[seat + 1 :], *self.chairs[:seat])
            self._owner = next((each.person for each in following if each.person), "")


def numbered(bots: Sequence[str], at: int) -> str:
    """The name to show for the bot `at` that place: "greedy", the next of its kind "greedy 2"."""
    before = bots[:at].count(bots[at])
    return f"{bots[at]} {before + 1}" if before else bots[at]


class Order(msgspec.Struct, frozen=True):
    """A table that can be opened: `options` are all of the game's, `bots` take the last of `seats`.

    `patience` is what time people have there.
    """

    game: AnyGame
    options: dict[str, str]
    seats: int
    bots: tuple[str, ...]
    open: bool
    patience: TimeControl = TimeControl()


def order_of(
    create: Create, games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot]
) -> Order | Refusal:
    """The table that `create` asks for, or what is wrong with it."""
    game = games.get(create.game)
    if game is None:
        return Refusal("unknown-game", create.game)
    options = game.read_options(create.options)
    if isinstance(options, Refusal):
        return options
    least, most = game.seats
    if not least <= create.seats <= most or len(create.bots) >= create.seats:
        return Refusal("bad-seats", f"{least}-{most}")
    unknown = next((name for name in create.bots if (game.name, name) not in bots), None)
    if unknown is not None:
        return Refusal("unknown-bot", unknown)
    patience = TimeControl(create.clock, create.absence)
    return Order(game, options, create.seats, create.bots, create.open, patience)


def quick_order(
    games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot], wanted: str = ""
) -> Order | Refusal:
    """Return a table of the game `wanted`, or else of the first one, with its least players: one person and bots.

    The bots are the game's first one.
    """
    if not games:
        return Refusal("unknown-game", wanted)
    game = games.get(wanted) or next(iter(games.values()))
    bot = next((name for of, name in bots if of == game.name), "")
    seats = max(2, game.seats[0])
    return order_of(Create(game.name, seats=seats, bots=(bot,) * (seats - 1)), games, bots)
