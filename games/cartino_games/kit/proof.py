"""The proof of the shuffle as rows: the promised hash, the seed, and whether they belong together."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Row, flowing
from cartino_protocol.views import RoomView
from cartino_tui.draw.text import clean


def kept_promise(room: RoomView) -> bool | None:
    """Return whether the seed has the hash that was shown before the deal; None while the seed is unknown."""
    if not room.seed:
        return None
    try:
        seed = bytes.fromhex(room.seed)
    except ValueError:
        return False
    return hashlib.sha256(seed).hexdigest() == room.commitment.lower()


class Proof(NamedTuple):
    """What there is to prove: a sentence, and the promised hash and the seed with what they are."""

    verdict: str
    values: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, scene: TableScene) -> "Proof":
        """Return the proof of a scene, empty while the seed is unknown."""
        say, room, kept = scene.look.tongue.say, scene.room, kept_promise(scene.room)
        if kept is None:
            return cls("", ())
        verdict = (
            say("The shuffle was as promised: the seed has the SHA-256 that was shown before the deal.")
            if kept
            else say(
                "The seed does not have the SHA-256 that was shown before the deal: this was another shuffle."
            )
        )
        names = scene.safe(say("promised")), scene.safe(say("seed"))
        return cls(verdict, tuple(zip(names, (clean(room.commitment), clean(room.seed)), strict=True)))

    @property
    def label(self) -> int:
        """How many cells the names of the values take, with the gap behind them."""
        return max((len(name) for name, _ in self.values), default=0) + 2

    @property
    def width(self) -> int:
        """How many cells the values take behind their names."""
        return self.label + max((len(value) for _, value in self.values), default=0)


def proof_rows(scene: TableScene, width: int) -> list[Row]:
    """Return the proof in `width` cells: each value behind its name, or below it, in two halves where it has to be."""
    proof = Proof.of(scene)
    rows = flowing(scene, proof.verdict, width, "text")
    for name, value in proof.values:
        if proof.width <= width:
            rows.append(((0, name, "dim"), (proof.label, value, "facts")))
            continue
        half = len(value) // 2
        halves = [value] if len(value) <= width else [value[:half], value[half:]]
        rows += [((0, name, "dim"),), *(((2 * (len(halves) > 1), half, "facts"),) for half in halves)]
    return rows
