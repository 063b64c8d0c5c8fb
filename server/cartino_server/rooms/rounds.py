"""The games at one table, one after the other: what is promised, dealt, played, and dealt again."""

from collections.abc import Callable, Sequence

import msgspec

from cartino_protocol.ids import RoomState
from cartino_protocol.notices import News
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.rooms.match import Match, MatchMark
from cartino_server.rooms.opening import Order
from cartino_server.rooms.play import Play, deal
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.seating import Seating


class RoundsMark(msgspec.Struct, frozen=True):
    """Where the rounds stood (see `Rounds.mark`)."""

    state: RoomState
    count: int
    options: dict[str, str]
    seeds: tuple[bytes, bytes]
    match: Match | None
    played: MatchMark | None


class Rounds:
    """The rounds of a table as `order` has it, played by those on `seating`, which is the table's own."""

    def __init__(
        self,
        order: Order,
        seating: Seating,
        seed: bytes,
        ports: Ports,
        stand_ins: Sequence[str],
        announce: Callable[[News], None],
    ) -> None:
        """Nothing is dealt yet; the first deal will be from `seed`, further ones from the ports' entropy.

        `stand_ins` are the bots that may play for people; what happens to a game is told to `announce`.
        """
        self.state: RoomState = "open"
        self.count = 0
        """Which round it is, counted from the agreement on it."""
        self.options = dict(order.options)
        self.seeds = (seed, seed)
        """That of the shown game, and the next one's."""
        self.match: Match | None = None
        """The game that runs or ran last; kept while the table is open again, for its record."""
        self.first_number = 0
        """What the numbers of states begin after."""
        self._order = order
        self._seating = seating
        self._ports = ports
        self._stand_ins = stand_ins
        self._announce = announce
        self.now = ports.now
        """The time of day, for records."""

    @property
    def play(self) -> Play | None:
        """The game that runs or ran last."""
        return None if self.match is None else self.match.play

    @property
    def running(self) -> Match | None:
        """The match, while it runs."""
        return self.match if self.state == "playing" else None

    @property
    def match_is_paused(self) -> bool:
        """Whether a game runs, and stands still."""
        return self.running is not None and self.running.waiting.paused

    @property
    def number(self) -> int:
        """The number of the state that a move has to answer. It never falls, not even for the next game."""
        return self.first_number if self.match is None else self.match.play.number

    @property
    def commitment(self) -> str:
        """The promise of the seed that the shown game was or the next one will be dealt from."""
        return commitment(self.seeds[0])

    @property
    def seed(self) -> str:
        """The seed in hex once its game is over, else ""."""
        return self.seeds[0].hex() if self.state == "finished" else ""

    @property
    def next_commitment(self) -> str:
        """The promise for the rematch, which is dealt as soon as everybody wants it; "" before a game is over."""
        return commitment(self.seeds[1]) if self.state == "finished" else ""

    def deal(self, present: dict[str, str]) -> None:
        """Deal to all seats, of whose people those in `present` are here."""
        chairs = self._seating.chairs
        names = [chair.record_name for chair in chairs]
        cuts = [chair.cut for chair in chairs]
        game, number = self._order.game, self.number + 1
        match = self.match_of(deal(game, self.options, names, cuts, self.seeds[0], number, self.now))
        self._seating.dealt()
        self.match, self.state = match, "playing"
        match.look_round(present)
        match.wait_for_turn()

    def match_of(self, play: Play) -> Match:
        """`play` as a match at this table, with nobody there yet."""
        clock = self._ports.clock
        return Match(play, self._seating, self._order.patience, self._stand_ins, clock, self._announce)

    def settle(self) -> bool:
        """Whether the running game is over; then the next one's seed is drawn."""
        if self.running is None or self.running.play.result is None:
            return False
        self.state = "finished"
        self.seeds = (self.seeds[0], self._ports.entropy(SEED_BYTES))
        return True

    def again(self, present: dict[str, str]) -> None:
        """Another round: the seats turn, and it is dealt at once if nobody on them is missing in `present`."""
        self._seating.turn(present)
        self.seeds = (self.seeds[1], self.seeds[1])
        self.count += 1
        self.state = "open"
        self.options = dict(self._order.options)
        if self._seating.first_free() is not None:
            return
        self.deal(present)

    def mark(self) -> RoundsMark:
        """Where everything stands, to come back to."""
        match = self.match
        played = None if match is None else match.mark()
        return RoundsMark(self.state, self.count, self.options, self.seeds, match, played)

    def back_to(self, mark: RoundsMark) -> None:
        """Nothing of what came after `mark` has happened."""
        self.state, self.count, self.options, self.seeds = mark.state, mark.count, mark.options, mark.seeds
        self.match = mark.match
        if mark.match is not None and mark.played is not None:
            mark.match.back_to(mark.played)
