"""Limit what one person, or all guests and newcomers of one network, may send.

A guest is new with each connection and a key costs nothing, so both are counted by the network they come from until
the person has finished a game on an earlier day: a short game takes seconds.
"""

from collections.abc import Callable
from typing import Final

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
from cartino_protocol.deals import PlayDaily
from cartino_protocol.refusals import RefusalReason
from cartino_server.limits import ServerConfig
from cartino_server.rate_limit import Policy, RateLimiter
from cartino_server.store.moderation import GUEST_PREFIX, HOUR, MAX_REPORTS_PER_HOUR

NETWORK_FACTOR: Final = 3
"""How many people's limits a network's guests share, and its newcomers for chat."""
WRONG_CODES: Final = Policy("wrong-codes", 1 / 6, 20)
"""Codes of no table typed from one network."""
REPORTS: Final = Policy(
    "reports", NETWORK_FACTOR * MAX_REPORTS_PER_HOUR / HOUR, NETWORK_FACTOR * MAX_REPORTS_PER_HOUR
)
"""Reports of one network's guests; those of people with a key are counted in the store."""


class PersonLimit:
    """The limits of one person, or of all guests of a network; implements `RateLimit`.

    Chat of a newcomer counts for the network, too.
    """

    def __init__(self, limits: "RateLimits", person: str, network: str) -> None:
        """Count for `person`, or for the guests of `network` if `person` is ""."""
        self._limits = limits
        self._person = person
        self._network = network

    def now(self) -> float:
        """Return the time in monotonic seconds."""
        return self._limits.clock()

    def allows_frame(self, commands: int = 1) -> bool:
        """Count a command as `commands` of them; return whether it is allowed."""
        return self._take("commands", tokens=commands)

    def refuses(self, command: Command) -> RefusalReason | None:
        """Count `command` by its kind; return why it is refused, or None."""
        match command:
            case Say() | Invite():
                return None if self._take("chat") else "too-much-talk"
            case Sit() | Stand() | Rename() | Prefer() | Account() | DeleteAccount() | PlayDaily():
                return None if self._take("seats") else "busy"
            case Ignore() | Decline() | Report() | KeyCode() | AddKey() | DropKey() if self._person:
                # Written in the thread that logins wait for, too.
                return None if self._take("seats") else "busy"
            case Report():
                allowed = self._limits.limiter.take_tokens([(REPORTS, self._network)], self.now())
                return None if allowed else "too-many-reports"
            case _:
                return None

    def may_try_code(self) -> bool:
        """Return whether another code that may be wrong can be typed."""
        return self._limits.limiter.has(WRONG_CODES, self._network or self._person, self.now())

    def count_wrong_code(self) -> None:
        """Count a code of no table."""
        self._limits.limiter.take_tokens([(WRONG_CODES, self._network or self._person)], self.now())

    def _take(self, kind: str, tokens: int = 1) -> bool:
        limits, charges = self._limits, []
        if self._person:
            charges.append((limits.policies[kind], self._person))
        if not self._person or (kind == "chat" and self._network and not limits.is_known(self._person)):
            charges.append((limits.policies[f"network-{kind}"], self._network))
        return limits.limiter.take_tokens(charges, self.now(), tokens)


class RateLimits:
    """The limits of every person and network, whatever connections they use."""

    def __init__(
        self,
        config: ServerConfig,
        clock: Callable[[], float],
        is_known: Callable[[str], bool] = lambda _: False,
        network_of: Callable[[int], str] = lambda _: "",
    ) -> None:
        """Use `clock` (monotonic seconds); `is_known(person)`: they finished a game on an earlier day.

        `network_of(connection)` is the network of a connection, "" if it doesn't count.
        """
        self._network_of = network_of
        self.clock = clock
        self.limiter = RateLimiter()
        self.is_known = is_known
        self.configure(config)

    def configure(self, config: ServerConfig) -> None:
        """Apply `config`; all limits start again."""
        own = (
            Policy("commands", config.rate, config.burst),
            Policy("seats", config.seats_rate, config.seats_burst),
            Policy("chat", config.chat_lines / config.chat_seconds, config.chat_lines),
        )
        shared = [
            Policy(f"network-{each.name}", NETWORK_FACTOR * each.rate, NETWORK_FACTOR * each.burst)
            for each in own
        ]
        self.policies = {policy.name: policy for policy in (*own, *shared)}
        self.limiter.clear()

    def limits_of(self, person: str, connection: int = 0) -> PersonLimit:
        """Return the limits of `person`, who uses that connection."""
        network = self._network_of(connection)
        is_shared = network and person.startswith(GUEST_PREFIX)
        return PersonLimit(self, "" if is_shared else person, network)

    def of_shells(self, connection: int) -> PersonLimit | None:
        """Return the limits of all shell commands from the connection's network; None if it doesn't count.

        Keys are free, so many persons may be one.
        """
        network = self._network_of(connection)
        return PersonLimit(self, "", f"shells {network}") if network else None
