"""The moves as running text: a turn a paragraph, a stone a chunk."""

from collections.abc import Iterator, Sequence

from cartino_games.cartino.screen.scene import Scene, running_turn, suit_of
from cartino_games.cartino.turn_log import turns_logged
from cartino_games.cartino.views import CartinoEvent
from cartino_games.kit.marks import signed
from cartino_games.kit.players import seat_sign, substitute
from cartino_games.kit.text import Chunk, Paragraph, Piece, inked, led, phrase
from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_tui.draw.theme import SEATS

_CLOSING = ("turn", "pass", "out")

_LAYS = {
    ("lay", "u"): N_("{stone} upper {points}"),
    ("lay", "l"): N_("{stone} lower {points}"),
    ("swap", "u"): N_("{stone} upper replacing a joker {points}"),
    ("swap", "l"): N_("{stone} lower replacing a joker {points}"),
}
"""A stone that was laid, by what it did and on which half."""


def turns(scene: Scene) -> Iterator[Paragraph]:
    """Yield all turns, a paragraph a turn, the newest first."""
    told: set[Seat] = set()
    for group in turns_of(scene):
        seat = group[0].seat
        yield _paragraph(scene, group, replaced=seat not in told and is_replaced(scene, seat))
        told.add(seat)


def turns_of(scene: Scene) -> list[Sequence[CartinoEvent]]:
    """Return the events of all turns, the newest turn first."""
    view = scene.view
    found: list[Sequence[CartinoEvent]] = []
    if running := running_turn(view):
        found.append(running)
    elif view.recent and view.recent[-1].kind == "out":
        found.append(view.recent[-1:])
    found += reversed(turns_logged(view.edition, view.log, len(view.scores)))
    return found


def since_turn(scene: Scene) -> list[Sequence[CartinoEvent]]:
    """Return the turns since the reader's last one, the newest first; none for spectators and right after it.

    If a substitute played that one, it is among them.
    """
    newest = [turn for turn in turns_of(scene) if turn[0].seat != scene.you or _closed(turn)]
    own = next((at for at, turn in enumerate(newest) if turn[0].seat == scene.you), 0)
    return newest[: own + (scene.you is not None and is_replaced(scene, scene.you))] if own else []


def is_replaced(scene: Scene, seat: Seat) -> bool:
    """Return whether a substitute made the last move of a player."""
    line = scene.seat(seat)
    return line is not None and line.substituted


def in_short(scene: Scene, *, named: bool = True) -> list[Chunk]:
    """Return what happened since the reader's turn, a player a chunk: `Since your turn: Bob +11, Ann +3`.

    Unless `named`, players are told by their signs.
    """
    turns = since_turn(scene)
    if not turns:
        return []
    chunks: list[Chunk] = [((scene.look.translator.gettext("Since your turn:"), "dim"),)]
    for number, turn in enumerate(reversed(turns), 1):
        seat, points = turn[0].seat, sum(event.points for event in turn if event.kind != "turn")
        comma = "," if number < len(turns) else ""
        name = scene.name(seat) if named else seat_sign(scene, seat)[0]
        name = substitute(scene) if seat == scene.you else name
        chunks.append(
            (
                (" " + name, SEATS[seat]),
                (f" {signed(points, scene.marks)}", "points"),
                (comma, "dim"),
            )
        )
    return chunks


def _closed(turn: Sequence[CartinoEvent]) -> bool:
    return turn[-1].kind in _CLOSING


def lays_in_short(scene: Scene, turn: Sequence[CartinoEvent]) -> list[Piece]:
    """Return the stones of a turn with their points, and the sum: `J♣ +3  Q♠ +8  = +11`."""
    lays = [event for event in turn if event.kind in {"lay", "swap", "five", "out"}]
    pieces: list[Piece] = []
    for event in lays:
        name = scene.marks.card(event.spot[:-1]) if event.spot else scene.look.translator.gettext("bonus")
        role = f"printed-{suit_of(event.spot[:-1])}" if event.spot else "dim"
        pieces += [(name, role), (signed(event.points, scene.marks), "dim")]
    if len(lays) > 1:
        pieces.append((f"= {signed(sum(event.points for event in lays), scene.marks)}", "points"))
    return pieces


def _paragraph(scene: Scene, group: Sequence[CartinoEvent], *, replaced: bool) -> list[Chunk]:
    """Return a turn in the reader's language, a chunk a stone; `replaced` by a substitute."""
    first, last, gettext = group[0], group[-1], scene.look.translator.gettext
    said = f"{scene.name(first.seat)} ({substitute(scene)})" if replaced else scene.name(first.seat)
    name: Piece = (said, SEATS[first.seat])
    if first.kind == "pass":
        return phrase(inked(gettext("{name} can't lay anything and passes"), "dim", name=(name,)))
    if first.kind == "out":
        points: Piece = (signed(first.points, scene.marks), "points")
        return phrase(
            inked(gettext("{name} is out of stones: {points}"), "dim", name=(name,), points=(points,))
        )
    lays = [event for event in group if event.kind != "turn"]
    before, _, after = gettext("{name} laid {stones}").partition("{stones}")
    chunks = [led(inked(before.rstrip(), "dim", name=(name,)))]
    chunks += [_lay(scene, event, comma=event is not lays[-1]) for event in lays]
    if after.strip():
        chunks += phrase(inked(after, "dim", name=(name,)))
    if last.kind == "turn" and len(lays) > 1:
        chunks.append(((" = ", "dim"), (signed(last.points, scene.marks), "points")))
    return chunks


def _lay(scene: Scene, event: CartinoEvent, comma: bool) -> Chunk:
    gettext, marks = scene.look.translator.gettext, scene.marks
    points: Piece = (signed(event.points, marks), "points")
    end: Chunk = ((",", "dim"),) if comma else ()
    if event.kind == "five":
        return (*led(inked(gettext("five stones {points}"), "dim", points=(points,))), *end)
    stone, card = event.stone, event.spot[:-1]
    what = marks.card(card) if stone == card else f"{marks.joker}{marks.card(card)}"
    said = gettext(_LAYS[event.kind, event.spot[-1]])
    # A diamond has a ground of its own in sixteen colours, on which no blank belongs.
    lay = inked(said, "dim", stone=((what, f"printed-{suit_of(card)}"),), points=(points,))
    return ((" ", "dim"), *lay, *end)
