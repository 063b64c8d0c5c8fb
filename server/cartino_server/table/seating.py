"""The seats of a table and its owner, and the order (`Create`) that a table is opened from."""

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace as _changed

from cartino_engine.bots import Bot
from cartino_engine.port import AnyGame
from cartino_protocol.base import Seat, SeatKind
from cartino_protocol.commands import Create
from cartino_protocol.notices import News, NoticeKind
from cartino_protocol.records import GameLine, NoteLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_server.store.port import DELETED_NAME
from cartino_server.table.time_control import TimeControl
from cartino_server.visitors import is_bot_person


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


def deleted_chair(chair: Chair) -> Chair:
    """Return `chair` without its player, whose account was deleted."""
    return Chair("human", DELETED_NAME, failed=chair.failed)


_SEAT_NOTES: Final[tuple[NoticeKind, ...]] = ("time-up", "away", "plays-again")
"""Notes in records that name the player of a seat."""
_NAME: Final = "<name>"


def without_name(line: RecordLine, seats: Collection[int]) -> RecordLine:
    """Return a line of a record without the names of the players of `seats`, whose accounts were deleted."""
    if isinstance(line, GameLine):
        names = tuple(DELETED_NAME if seat in seats else name for seat, name in enumerate(line.seats))
        return _changed(line, seats=names)
    if isinstance(line, NoteLine) and line.seat in seats:
        for kind in _SEAT_NOTES:
            before, _, after = str(News(kind, _NAME).words()).partition(_NAME)
            if line.text.startswith(before) and line.text.endswith(after):
                return _changed(line, text=f"{before}{DELETED_NAME}{after}")
    return line


class Seating(msgspec.Struct, frozen=True):
    """The chairs in seat order, and the owner's id ("" for none). Changes return a new value, and check no rule."""

    chairs: tuple[Chair, ...]
    owner_id: str = ""

    @property
    def owner(self) -> Seat | None:
        """The seat whose player may start the game; None while no human sits."""
        return self.seat_of(self.owner_id)

    def seat_of(self, person: str) -> Seat | None:
        """Return the seat of `person`, or None."""
        return next(
            (seat for seat, chair in enumerate(self.chairs) if person and chair.person == person), None
        )

    def first_free(self) -> Seat | None:
        """Return the first empty seat, or None."""
        return next((seat for seat, chair in enumerate(self.chairs) if chair.kind == "empty"), None)

    def is_free(self, seat: Seat) -> bool:
        """Return whether `seat` exists and is empty."""
        return seat < len(self.chairs) and self.chairs[seat].kind == "empty"

    def count_taken_seats(self) -> int:
        """Return how many seats are taken, bots included."""
        return sum(chair.kind != "empty" for chair in self.chairs)

    def persons(self) -> tuple[str, ...]:
        """Return the ids of the seated persons, in seat order."""
        return tuple(chair.person for chair in self.chairs if chair.person)

    @property
    def is_bots_only(self) -> bool:
        """Whether every seat is taken by a bot, one of them by a bot account."""
        accounts = [is_bot_person(chair.person) for chair in self.chairs]
        return any(accounts) and all(
            chair.kind == "bot" or account for chair, account in zip(self.chairs, accounts, strict=True)
        )

    def absent(self, present: Container[str]) -> tuple[Seat, ...]:
        """Return the human seats whose player is absent, including seats given up."""
        return tuple(
            seat
            for seat, chair in enumerate(self.chairs)
            if chair.kind == "human" and chair.person not in present
        )

    def sit(self, seat: Seat, person: str, name: str, guest: bool = False) -> "Seating":
        """Seat `person` on the free `seat`; they become the owner if there is none."""
        seating = self._with(seat, Chair("human", name, person, guest=guest))
        return _changed(seating, owner_id=person) if seating.owner is None else seating

    def rename(self, person: str, name: str) -> "Seating":
        """Show `name` on the person's seat, if they have one."""
        seat = self.seat_of(person)
        return self if seat is None else self._with(seat, _changed(self.chairs[seat], name=name))

    def cut(self, seat: Seat, text: str) -> "Seating":
        """Note the cut of the player on `seat`."""
        return self._with(seat, _changed(self.chairs[seat], cut=text))

    def failed(self, seat: Seat, bot: str) -> "Seating":
        """Note that `bot` can't go on playing for `seat`."""
        chair = self.chairs[seat]
        return self._with(seat, _changed(chair, failed=(*chair.failed, bot)))

    def free(self, seat: Seat) -> "Seating":
        """Empty `seat`."""
        return self._vacate(seat, EMPTY)

    def give_up(self, seat: Seat) -> "Seating":
        """Take the player off `seat` after a game; their name stays, with the result."""
        return self._vacate(seat, Chair("human", self.chairs[seat].name))

    def erase(self, seat: Seat) -> "Seating":
        """Remove the player of `seat`, whose account was deleted, and their name."""
        return self._vacate(seat, deleted_chair(self.chairs[seat]))

    def compact(self) -> "Seating":
        """Remove empty seats; the others move up."""
        return _changed(self, chairs=tuple(chair for chair in self.chairs if chair.kind != "empty"))

    def turn(self, present: Container[str]) -> "Seating":
        """Rotate for the next game: new seat i is old seat i+1. Seats of absent people become empty."""
        seating = self
        for seat in self.absent(present):
            seating = seating.free(seat)
        return _changed(seating, chairs=(*seating.chairs[1:], *seating.chairs[:1]))

    def dealt(self) -> "Seating":
        """Forget the cuts, which the deal has used, and which bots failed in the last game."""
        return _changed(self, chairs=tuple(_changed(chair, cut="", failed=()) for chair in self.chairs))

    def _with(self, seat: Seat, chair: Chair) -> "Seating":
        return _changed(self, chairs=(*self.chairs[:seat], chair, *self.chairs[seat + 1 :]))

    def _vacate(self, seat: Seat, chair: Chair) -> "Seating":
        seating = self._with(seat, chair)
        if seat != self.owner:
            return seating
        following = (*seating.chairs[seat + 1 :], *seating.chairs[:seat])
        owner = next((each.person for each in following if each.person), "")
        return _changed(seating, owner_id=owner)


def seats_with_bots(seats: int, bots: Sequence[str]) -> Seating:
    """Return `seats` chairs, the last of them taken by `bots`, the others empty."""
    return Seating(
        (
            *(EMPTY for _ in range(seats - len(bots))),
            *(Chair("bot", numbered(bots, at), bot=bot) for at, bot in enumerate(bots)),
        )
    )


def numbered(bots: Sequence[str], at: int) -> str:
    """Return the name to show for the bot `at` that place: "greedy", the next of its kind "greedy 2"."""
    before = bots[:at].count(bots[at])
    return f"{bots[at]} {before + 1}" if before else bots[at]


PRACTICE_SUFFIX: Final = "-practice"
"""Ends the names of dailies for practice."""


class SharedDeal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The deal that several people play, each at a table of their own: its name, and until when it is secret.

    `closes` is Unix time. `daily`: it is a day's, else a duplicate match that is joined by its name.
    """

    name: str
    closes: int
    daily: bool = False

    @property
    def practice(self) -> bool:
        """Whether it is the daily of people who aren't ranked yet."""
        return self.daily and self.name.endswith(PRACTICE_SUFFIX)


class Order(msgspec.Struct, frozen=True):
    """A table that can be opened: `options` are all of the game's, `bots` take the last of `seats`.

    `hints`: people may have hints against each other, which no table that counts for ratings allows.
    `deal`: the table is one person's attempt at it.
    """

    game: AnyGame
    options: dict[str, str]
    seats: int
    bots: tuple[str, ...]
    open: bool
    time_control: TimeControl = TimeControl()
    hints: bool = False
    deal: SharedDeal | None = None


def order_of(
    create: Create, games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot]
) -> Order | Refusal:
    """Return the table that `create` asks for, or what is wrong with it."""
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
    time_control = TimeControl(create.clock, create.absence)
    hints = create.hints and not create.open
    return Order(game, options, create.seats, create.bots, create.open, time_control, hints)


def quick_order(
    games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot], wanted: str = "", bot: str = ""
) -> Order | Refusal:
    """Return a small table of the game `wanted`, or else the first one: one person, and `bot` or else the first one."""
    if not games:
        return Refusal("unknown-game", wanted)
    game = games.get(wanted) or next(iter(games.values()))
    if (game.name, bot) not in bots:
        bot = next((name for of, name in bots if of == game.name), "")
    seats = max(2, game.seats[0])
    return order_of(Create(game.name, seats=seats, bots=(bot,) * (seats - 1)), games, bots)
