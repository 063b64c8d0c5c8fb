"""What players at one table have in hand: their clients' own words, kept for them and shown to nobody else."""

from collections.abc import Mapping

MOST_KEPT = 256
"""Bytes of what a player has in hand."""


class InHand:
    """The newest memo of each player, by the person's id."""

    def __init__(self, memos: Mapping[str, bytes]) -> None:
        """Begin with `memos`."""
        self._memos = dict(memos)

    def keep(self, person: str, memo: bytes) -> bool:
        """Keep `memo` in place of the one before; False where it is too long, and nothing is changed."""
        if len(memo) > MOST_KEPT:
            return False
        self._memos = {**self._memos, person: memo}
        return True

    def forget(self, person: str) -> None:
        """Keep nothing of `person` any more."""
        self._memos = {who: memo for who, memo in self._memos.items() if who != person}

    def of(self, person: str) -> bytes | None:
        """What `person` has in hand; None where nothing was ever kept."""
        return self._memos.get(person)

    @property
    def memos(self) -> Mapping[str, bytes]:
        """Every memo, as it stands now for good: what is kept later is not in it."""
        return self._memos
