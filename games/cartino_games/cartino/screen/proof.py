"""The proof of the shuffle as rows: the promise, the seed, and whether they belong together."""

from collections.abc import Sequence
from typing import NamedTuple

from cartino_games.cartino.accounts import kept_promise
from cartino_games.cartino.screen.rows import Row, flowing, safe
from cartino_games.cartino.screen.scene import Scene
from cartino_tui.draw.text import clean


class Proof(NamedTuple):
    """What there is to prove: a sentence, and the promised hash and the seed with what they are."""

    verdict: str
    values: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, scene: Scene) -> "Proof":
        """The proof of a scene, empty as long as nobody knows the seed."""
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
        names = safe(scene, say("promised")), safe(scene, say("seed"))
        return cls(verdict, tuple(zip(names, (clean(room.commitment), clean(room.seed)), strict=True)))

    @property
    def label(self) -> int:
        """How many cells the names of the values take, with the gap behind them."""
        return max((len(name) for name, _ in self.values), default=0) + 2

    @property
    def width(self) -> int:
        """How many cells the values take behind their names."""
        return self.label + max((len(value) for _, value in self.values), default=0)


def proof_rows(scene: Scene, width: int) -> list[Row]:
    """The proof in so many cells: each value behind its name, or below it, in two halves where it has to be."""
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
