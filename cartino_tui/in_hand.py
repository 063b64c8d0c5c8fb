"""What somebody has in hand, as the house keeps it for them: said when it changes, and taken up again once."""

import msgspec

from cartino_protocol.commands import Keep
from cartino_protocol.views import Kept

_Held = tuple[int, msgspec.Raw]
"""The state of the table in which it was in hand, and the plug's words for it."""

_reader: msgspec.msgpack.Decoder[_Held] = msgspec.msgpack.Decoder(_Held)


class InHand:
    """What the house keeps for one person at one table.

    It counts in the state of the table alone in which it was kept, so that a move needs no word about what it took.
    """

    def __init__(self) -> None:
        """The house keeps nothing."""
        self._held: tuple[int, bytes] | None = None
        self._seen: Kept | None = None
        self._deaf = False

    def hold_on(self) -> None:
        """What the house tells next that it keeps is older than what is in hand here."""
        self._deaf = True

    def tell_anew(self) -> None:
        """Nobody knows what the house keeps."""
        self._held = None

    def is_news(self, number: int, memo: bytes) -> bool:
        """Whether the house does not know yet that `memo` is in hand (b"": nothing) in the state `number`."""
        held = (number, memo) if memo else None
        return held != self._held and (held is not None or self._held is None or self._held[0] == number)

    def keep(self, number: int, memo: bytes) -> Keep | None:
        """What to say when `memo` is in hand (b"": nothing) in the state `number`; None where the house knows it."""
        news = self.is_news(number, memo)
        self._held = (number, memo) if memo else None
        if not news:
            return None
        held = None if self._held is None else (number, msgspec.Raw(memo))
        return Keep(msgspec.Raw(msgspec.msgpack.encode(held)))

    def recall(self, number: int, kept: Kept | None) -> msgspec.Raw | None:
        """The plug's words in `kept`, once, if they are of the state `number`."""
        if kept is None or kept is self._seen:
            return None
        self._seen = kept
        if self._deaf:
            self._deaf = False
            return None
        try:
            state, memo = _reader.decode(kept.memo)
        except msgspec.DecodeError:
            return None
        if state != number:
            return None
        self._held = (state, bytes(memo))
        return memo
