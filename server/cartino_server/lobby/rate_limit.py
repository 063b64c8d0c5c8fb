"""Limit how fast one person, or one network of guests and newcomers, may send commands and chat.

A guest is new with each connection and a key costs nothing, so both are counted by the network they come from until
the person has finished a game.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode
from cartino_protocol.commands import (
    Command,
    Decline,
    Ignore,
    Invite,
    Prefer,
    Rename,
    Report,
    Say,
    Sit,
    Stand,
)
from cartino_protocol.refusals import RefusalReason
from cartino_server.limits import ServerConfig
from cartino_server.store.moderation import GUEST_PREFIX, HOUR, MAX_REPORTS_PER_HOUR
from cartino_server.table.link import RateLimit


class TokenBucket:
    """Holds at most `burst` tokens and gains `rate` a second; full at first."""

    def __init__(self, burst: int, rate: float, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that only rise."""
        self._burst = float(burst)
        self._rate = rate
        self._clock = clock
        self._tokens = float(burst)
        self._seen = clock()

    def has(self, tokens: int) -> bool:
        """Whether there are so many tokens."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._seen) * self._rate)
        self._seen = now
        return self._tokens >= tokens

    def take(self, tokens: int = 1) -> bool:
        """Whether there were so many tokens; they are gone now."""
        if not self.has(tokens):
            return False
        self._tokens -= tokens
        return True


MAX_REMEMBERED_PEOPLE: Final = 512
"""Persons who have gone and whose pace is still known, so that coming again is no new start."""
NETWORK_FACTOR: Final = 3
"""Persons' measures that all guests of one network have, and strangers with keys for what they say."""
WRONG_CODES: Final = 20
"""Codes that no table has, typed from one network at once, before it has to wait; then one every `CODE_SECONDS`."""
CODE_SECONDS: Final = 6.0
_FROM: Final = "from "
_SHELLS_FROM: Final = "shells from "
"""Before a network, among the ids of persons."""


class PersonLimit:
    """One person's measure, or that of all guests of a network."""

    def __init__(self, config: ServerConfig, clock: Callable[[], float], network: str = "") -> None:
        """As `config` has it; `clock` gives seconds that only rise.

        `network`: whose guests share it, "" for nobody's.
        """
        self._network = network
        self._clock = clock
        self._talked: deque[float] = deque()
        self._reported: deque[float] = deque()
        self.wrong_codes = TokenBucket(WRONG_CODES, 1 / CODE_SECONDS, clock)
        """The codes that no table has which may still be typed."""
        self.configure(config)

    def configure(self, config: ServerConfig) -> None:
        """Go by `config` from now on."""
        times = NETWORK_FACTOR if self._network else 1
        self._all = TokenBucket(times * config.burst, times * config.rate, self._clock)
        self._seats = TokenBucket(times * config.seats_burst, times * config.seats_rate, self._clock)
        self._lines, self._seconds = times * config.chat_lines, config.chat_seconds

    def now(self) -> float:
        """Seconds that only rise."""
        return self._clock()

    def allows_frame(self, commands: int = 1) -> bool:
        """Whether one more command may come at all; it counts, as so many where it is more work."""
        return self._all.take(commands)

    def refuses(self, command: Command, together: "PersonLimit | None" = None) -> RefusalReason | None:
        """See Measure. What others hear of counts `together` with that of others too."""
        match command:
            case Say() | Invite():
                rate_limits = (self,) if together is None else (self, together)
                # Who is refused takes nothing of what either has.
                if not all(pace.may_talk() for pace in rate_limits):
                    return "too-much-talk"
                for pace in rate_limits:
                    pace.talked()
                return None
            case Sit() | Stand() | Rename() | Prefer() | Account() | DeleteAccount():
                return None if self._seats.take() else "busy"
            case Ignore() | Decline() | Report() | KeyCode() | AddKey() | DropKey() if not self._network:
                # It is written in one thread, for which whoever logs in waits too. Of guests there are only reports.
                return None if self._seats.take() else "busy"
            case Report():
                # Those of a person are counted where they are kept.
                if not self._may_be_more(self._reported, NETWORK_FACTOR * MAX_REPORTS_PER_HOUR, HOUR):
                    return "too-many-reports"
                self._reported.append(self._clock())
                return None
            case _:
                return None

    def may_talk(self) -> bool:
        """Whether one more line may be said by this measure."""
        return self._may_be_more(self._talked, self._lines, self._seconds)

    def talked(self) -> None:
        """One was said."""
        self._talked.append(self._clock())

    def _may_be_more(self, times: deque[float], most: int, seconds: float) -> bool:
        """Whether there may be one more of what was done at `times`: in no span of so many `seconds` there are more."""
        now = self._clock()
        while times and times[0] + seconds <= now:
            times.popleft()
        return len(times) < most


class NewcomerLimit:
    """The measure of somebody with a key whom the house may not know yet: what they say counts with others', too."""

    def __init__(self, own: PersonLimit, together: PersonLimit, is_known: Callable[[], bool]) -> None:
        """`together`: that of all whom nobody knows where they come from; `is_known()`: that is not theirs any more."""
        self._own = own
        self._together = together
        self._is_known = is_known

    def now(self) -> float:
        """See Measure."""
        return self._own.now()

    def allows_frame(self, commands: int = 1) -> bool:
        """See Measure."""
        return self._own.allows_frame(commands)

    def refuses(self, command: Command) -> RefusalReason | None:
        """See Measure."""
        return self._own.refuses(command, None if self._is_known() else self._together)


class RateLimits:
    """The pace of each person; all links of a person have the same, and so have those that come right after."""

    def __init__(
        self,
        config: ServerConfig,
        clock: Callable[[], float],
        is_known: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """As `config` has it; `clock` gives seconds that only rise.

        `is_known(person)`: whether the person of that id, who has a key, has played a game to its end.
        """
        self.network_of: Callable[[int], str] = lambda _: ""
        """The network that a connection of the door came from, "" where nobody is counted by it; to be replaced."""
        self.origin_of: Callable[[int], str] = lambda _: ""
        """The wider network around that, which one customer may have; "" and to be replaced as well."""
        self._config = config
        self._clock = clock
        self._is_known = is_known
        self._used: WeakValueDictionary[str, PersonLimit] = WeakValueDictionary()
        self._last: OrderedDict[str, PersonLimit] = OrderedDict()

    def configure(self, config: ServerConfig) -> None:
        """Everybody goes by `config` from now on."""
        self._config = config
        for pace in self._used.values():
            pace.configure(config)

    def of(self, person: str, connection: int = 0) -> RateLimit:
        """The pace of the person of that id, who came by that connection."""
        network = self.network_of(connection)
        if not network:
            return self._pace(person)
        together = self._pace(f"{_FROM}{network}", network)
        if person.startswith(GUEST_PREFIX):
            return together
        return NewcomerLimit(self._pace(person), together, lambda: self._is_known(person))

    def of_shells(self, connection: int) -> PersonLimit | None:
        """That of all who ask from shells where the connection comes from; None where they aren't counted by it.

        A key is made in a moment, so that many persons may be but one.
        """
        network = self.network_of(connection)
        return self._pace(f"{_SHELLS_FROM}{network}", network) if network else None

    def wrong_codes_of(self, person: str, connection: int = 0) -> TokenBucket:
        """The wrong codes left to all who come from where `person` does, or to them where nobody is counted so."""
        network = self.network_of(connection)
        return (self._pace(f"{_FROM}{network}", network) if network else self._pace(person)).wrong_codes

    def _pace(self, who: str, network: str = "") -> PersonLimit:
        pace = self._used.get(who) or PersonLimit(self._config, self._clock, network)
        self._used[who] = self._last[who] = pace
        self._last.move_to_end(who)
        if len(self._last) > MAX_REMEMBERED_PEOPLE:
            self._last.popitem(last=False)
        return pace
