"""What happened since the reader's own turn, and whose move a line of the log tells of."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cartino_games.kit.players import substitute
from cartino_games.kit.scene import NAME_CELLS, TableScene
from cartino_games.kit.text import Chunk, Paragraph, Piece, inked, phrase, width
from cartino_protocol.base import Seat
from cartino_tui.draw.theme import SEATS

_SHORT: Final = (9, 6)
"""The cells of shortened names."""


def player(
    scene: TableScene, seat: Seat, *, newest: bool = False, cells: int = NAME_CELLS
) -> tuple[Piece, ...]:
    """Return a player's name, in at most `cells`, in their colour.

    Before their `newest` move with the word for a substitute that made it.
    """
    name: Piece = (scene.fit(scene.name(seat), cells), SEATS[seat % len(SEATS)])
    line = scene.seat(seat)
    if newest and line is not None and line.substituted:
        return name, (f" ({substitute(scene)})", "dim")
    return (name,)


def in_a_row(
    scene: TableScene, said: str, seat: Seat, cells: int, *, newest: bool = False, **places: Sequence[Piece]
) -> Chunk:
    """Return the sentence `said`, a template, with a player for its `{name}`: if need be a shorter name, to fit a row.

    So nothing moves in a log of which the first lines are forgotten.
    """
    sentences = [
        inked(said, "dim", name=player(scene, seat, newest=newest, cells=most), **places)
        for most in (NAME_CELLS, *_SHORT)
    ]
    return next((sentence for sentence in sentences if width(sentence) < cells), sentences[-1])


def with_player(scene: TableScene, said: str, seat: Seat | None, *, newest: bool = False) -> Chunk:
    """Return the sentence `said` with the name of `seat` in its colour (see `player`)."""
    name = "" if seat is None else scene.name(seat)
    if seat is None or name not in said:
        return ((said, "dim"),)
    before, _, after = said.partition(name)
    return tuple(
        piece for piece in ((before, "dim"), *player(scene, seat, newest=newest), (after, "dim")) if piece[0]
    )


def since_own(seats: Sequence[Seat | None], scene: TableScene) -> int:
    """Return how many of the last moves, by `seats`, the newest last, came after the reader's own last one.

    With that one, if a substitute made it. 0 for spectators, and where it isn't among them.
    """
    if scene.you is None or scene.you not in seats:
        return 0
    after = seats[::-1].index(scene.you)
    line = scene.seat(scene.you)
    return after + bool(line is not None and line.substituted)


def in_a_line(scene: TableScene, newest: Iterable[Paragraph], since: int) -> Iterator[Paragraph]:
    """Yield the log, `newest` first, with the last `since` entries as one behind "Since your turn:"."""
    turns = iter(newest)
    latest = [turn for _, turn in zip(range(since), turns, strict=False)]
    if latest:
        said: list[Chunk] = phrase(((scene.look.translator.gettext("Since your turn:"), "dim"),))
        yield [*said, *(chunk for turn in reversed(latest) for chunk in turn)]
    yield from turns
