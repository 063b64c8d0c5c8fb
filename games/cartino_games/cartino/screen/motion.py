"""What was just laid, seen: a few pictures that lie over the last one, in which the table then stays.

The stone and those that it touches light up, its points float to the player's track, and the marker moves there.
A picture follows from the two views, the look and its number alone.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from cartino_games.cartino.board import TRACK_FIELDS
from cartino_games.cartino.screen.scene import Scene, is_free
from cartino_games.cartino.screen.seats import draw_players, field_of, place_of
from cartino_games.cartino.views import CartinoView, Event, Score
from cartino_games.kit import spoken
from cartino_games.kit.arrangement import Box
from cartino_games.kit.marks import signed
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas, Frame

PICTURES: Final = 5
"""Two in which the stones are lit and the points set out, two more on their way, one in which all has arrived."""
_MOST: Final = 5
"""More stones than a turn has are no news but a table that one comes back to."""
_FLIGHT: Final = 3
"""The number of the picture in which the points are at the track."""
_ON_BOARD: Final = ("lay", "swap")
_BONUSES: Final = ("five", "out")
_NAME: Final = 3
"""The cells of a card's name on a flat half, which points that set out there leave to be read."""


def news(before: CartinoView, view: CartinoView) -> tuple[Event, ...]:
    """What happened between two views, as far as the newer one still tells it."""
    found, missed = spoken.news(before.recent, view.recent)
    return () if missed else found


def lays(before: CartinoView, view: CartinoView) -> tuple[Event, ...]:
    """The stones that were laid between two views, if they are few enough to be followed."""
    if before.edition != view.edition or len(before.scores) != len(view.scores):
        return ()
    found = tuple(event for event in news(before, view) if event.kind in _ON_BOARD)
    return found if len(found) <= _MOST else ()


def still_running(before: CartinoView, view: CartinoView) -> CartinoView:
    """`view` as the board of a game that goes on: what ended it is seen before the end is."""
    if view.on_turn is not None:
        return view
    return msgspec.structs.replace(view, on_turn=before.on_turn, hands=(), bonus=(), penalty=())


def earlier(before: CartinoView, view: CartinoView, picture: int) -> CartinoView:
    """`view` with the scores that picture number `picture` shows: those of `before` until the points arrive."""
    movers = {event.seat for event in lays(before, view)}
    scores = tuple(
        _on_the_way(old, new, picture) if seat in movers else old
        for seat, (old, new) in enumerate(zip(before.scores, view.scores, strict=True))
    )
    return msgspec.structs.replace(view, scores=scores)


def _on_the_way(old: Score, new: Score, picture: int) -> Score:
    """The marker half way when the points arrive; where it wins a chip, at the end of the track."""
    if picture < _FLIGHT:
        return msgspec.structs.replace(new, total=old.total, chips=old.chips, field=old.field)
    if picture > _FLIGHT:
        return new
    field = (old.field + new.field) // 2 if old.chips == new.chips else TRACK_FIELDS
    return msgspec.structs.replace(new, chips=old.chips, field=field)


class _Flight(NamedTuple):
    """Points that fly from a spot to a seat's track; `number` counts those that set out from the same spot."""

    spot: int
    seat: Seat
    points: int
    number: int = 0


def _flights(scene: Scene, before: CartinoView) -> list[_Flight]:
    """The points of every stone, and of the bonuses, which set out from the stone before them."""
    found: list[_Flight] = []
    for event in news(before, scene.view):
        if event.kind in _ON_BOARD:
            found.append(_Flight(scene.board.spot_number[event.spot], event.seat, event.points))
        elif event.kind in _BONUSES and found:
            last = found[-1]
            found.append(_Flight(last.spot, event.seat, event.points, last.number + 1))
    return found


def draw_motion(still: Frame, scene: Scene, before: CartinoView, picture: int) -> Frame:
    """Picture number `picture`, from 0, of what led from `before` to the scene, which `still` shows."""
    canvas = Canvas.over(still)
    flights = _flights(scene, before)
    if picture <= _FLIGHT:
        _light(canvas, scene, [flight.spot for flight in flights], touched=picture < _FLIGHT)
    movers = sorted({flight.seat for flight in flights})
    for seat in movers:
        canvas.fill(*place_of(scene, seat), "ground")
    draw_players(canvas, msgspec.structs.replace(scene, view=earlier(before, scene.view, picture)))
    if picture <= _FLIGHT:
        arrived = earlier(before, scene.view, _FLIGHT)
        for flight in (each for each in flights if each.points):
            there = msgspec.structs.replace(scene, view=arrived)
            _float(canvas, scene, flight, field_of(there, flight.seat), picture)
        return canvas.frame()
    return canvas.frame()


def _light(canvas: Canvas, scene: Scene, spots: Sequence[int], *, touched: bool) -> None:
    """The stones in a light of their own, and those that they touch."""
    board, plan = scene.board, scene.layout
    near = {each for spot in spots for each in board.neighbours[spot] if not is_free(scene, each)}
    for each in near if touched else ():
        _paint(canvas, plan.spot_box(each), f"picked-{board.cards[each // 2][-1]}")
    for spot in spots:
        _paint(canvas, plan.spot_box(spot), f"cursor-{board.cards[spot // 2][-1]}")


def _paint(canvas: Canvas, box: Box, role: str) -> None:
    for y in range(box.y, box.y + box.height):
        canvas.paint(box.x, y, box.width, role)


def _float(canvas: Canvas, scene: Scene, flight: _Flight, home: tuple[int, int], picture: int) -> None:
    """Points on their way from the stone, whose name stays to be read, to the track."""
    text = signed(flight.points, scene.marks)
    box = scene.layout.spot_box(flight.spot)
    if box.height == 1:
        start = (box.x + _NAME, box.y + flight.number)
    else:
        start = (box.x + box.width - len(text), box.y + box.height - 1 + flight.number)
    text = text if picture == 0 else f" {text} "
    cells = len(text) * flight.number
    end = (home[0] + 1 + cells, home[1])
    x, y = (one + (other - one) * picture // _FLIGHT for one, other in zip(start, end, strict=True))
    canvas.put(max(0, min(x, canvas.width - len(text))), y, text, "fill-picked")
