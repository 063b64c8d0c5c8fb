"""What was just laid, seen: a few pictures that lie over the last one, in which the table then stays.

The stone and those that it touches light up, with its points in the place of its value, and the marker moves there.
A picture follows from the two views, the look and its number alone.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_games.cartino.board import TRACK_FIELDS
from cartino_games.cartino.screen.board import draw_spot
from cartino_games.cartino.screen.scene import Scene, is_free
from cartino_games.cartino.screen.seats import draw_players, place_of
from cartino_games.cartino.views import CartinoEvent, CartinoView, Score
from cartino_games.kit import spoken
from cartino_tui.draw.canvas import Canvas, Frame

PICTURES: Final = 3
"""One in which the stones are lit, one with the marker half way, one in which all has arrived."""
_MOST: Final = 5
"""More stones than a turn has are no news but a table that one comes back to."""
_HALF_WAY: Final = 1
"""The number of the picture in which the marker is on its way."""
_ON_BOARD: Final = ("lay", "swap")


def events_between(before: CartinoView, view: CartinoView) -> tuple[CartinoEvent, ...]:
    """Return what happened between two views, as far as the newer one still tells it."""
    found, missed = spoken.find_new_events(before.recent, view.recent)
    return () if missed else found


def lays(before: CartinoView, view: CartinoView) -> tuple[CartinoEvent, ...]:
    """Return the stones that were laid between two views, if they are few enough to be followed."""
    if before.edition != view.edition or len(before.scores) != len(view.scores):
        return ()
    found = tuple(event for event in events_between(before, view) if event.kind in _ON_BOARD)
    return found if len(found) <= _MOST else ()


def still_running(before: CartinoView, view: CartinoView) -> CartinoView:
    """Return `view` as the board of a game that goes on: what ended it is seen before the end is."""
    if view.on_turn is not None:
        return view
    return msgspec.structs.replace(view, on_turn=before.on_turn, hands=(), bonus=(), penalty=())


def earlier(before: CartinoView, view: CartinoView, picture: int) -> CartinoView:
    """Return `view` with the scores that picture number `picture` shows: those of `before` until the marker moves."""
    movers = {event.seat for event in lays(before, view)}
    scores = tuple(
        _on_the_way(old, new, picture) if seat in movers else old
        for seat, (old, new) in enumerate(zip(before.scores, view.scores, strict=True))
    )
    return msgspec.structs.replace(view, scores=scores)


def _on_the_way(old: Score, new: Score, picture: int) -> Score:
    """Return the marker half way; where it wins a chip, at the end of the track."""
    if picture < _HALF_WAY:
        return msgspec.structs.replace(new, total=old.total, chips=old.chips, field=old.field)
    if picture > _HALF_WAY:
        return new
    field = (old.field + new.field) // 2 if old.chips == new.chips else TRACK_FIELDS
    return msgspec.structs.replace(new, chips=old.chips, field=field)


def draw_motion(still: Frame, scene: Scene, before: CartinoView, picture: int) -> Frame:
    """Picture number `picture`, from 0, of what led from `before` to the scene, which `still` shows."""
    canvas = Canvas.from_frame(still)
    events = lays(before, scene.view)
    if picture <= _HALF_WAY:
        _light(canvas, scene, events, touched=picture < _HALF_WAY)
    for seat in {event.seat for event in events}:
        canvas.fill(*place_of(scene, seat), "ground")
    draw_players(canvas, msgspec.structs.replace(scene, view=earlier(before, scene.view, picture)))
    return canvas.frame()


def _light(canvas: Canvas, scene: Scene, events: Sequence[CartinoEvent], *, touched: bool) -> None:
    """Draw the stones in a light of their own, each with its points, and those that they touch."""
    board = scene.board
    points = {board.spot_number[event.spot]: event.points for event in events}
    near = {each for spot in points for each in board.neighbours[spot] if not is_free(scene, each)}
    lit = frozenset(near - set(points)) if touched else frozenset()
    for spot in (*lit, *points):
        at = spot if spot in points else None
        draw_spot(canvas, msgspec.structs.replace(scene, cursor=at, open_spots=points, touched=lit), spot)
