"""Tables found by the codes that people type; whoever types too many that no table has is slowed down.

A private table is open to whoever knows its code, so codes must not be found by trying. All who come from one network
are counted together, for a key is made in a moment. Tables of the lobby's list are found at any time, and so is
one's own.
"""

from collections.abc import Callable

from cartino_protocol.ids import read_code
from cartino_server.rooms.bucket import TokenBucket
from cartino_server.rooms.building import Building
from cartino_server.rooms.runner import RoomRunner


class TooManyCodes(Exception):
    """So many wrong codes came from there that no more are answered for the moment."""


class Codes:
    """The tables by their codes."""

    def __init__(
        self,
        building: Building,
        wrong_codes_of: Callable[[str, int], TokenBucket],
        is_expected: Callable[[str, str], bool],
    ) -> None:
        """`wrong_codes_of(person, connection)`: the wrong codes that may still be typed there.

        `is_expected(person, code)`: whether the person sits or is invited at that table.
        """
        self._building = building
        self._wrong_codes_of = wrong_codes_of
        self._is_expected = is_expected

    def find(self, typed: str, person: str, connection: int = 0) -> RoomRunner | None:
        """The table that `person` means, None where there is none. Raises TooManyCodes."""
        code = read_code(typed)
        runner = self._building.get(code)
        if runner is not None and (runner.room.order.open or self._is_expected(person, runner.room.code)):
            return runner
        self.may_try(person, connection)
        if runner is None:
            self.was_wrong(person, connection)
        return runner

    def may_try(self, person: str, connection: int) -> None:
        """Look whether `person` may name what is not listed. Raises TooManyCodes."""
        if not self._wrong_codes_of(person, connection).has(1):
            raise TooManyCodes

    def was_wrong(self, person: str, connection: int) -> None:
        """What `person` named is nowhere."""
        self._wrong_codes_of(person, connection).take()
