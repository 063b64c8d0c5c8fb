"""A room as an audience sees it: the one place where a room becomes what travels."""

import msgspec
from msgspec import structs

from cartino_protocol.ids import Audience, Seat
from cartino_protocol.views import ClaimView, ResultView, RoomLine, RoomView, SeatLine, SeatView
from cartino_protocol.wire import MOST_VIEW_BYTES, encode
from cartino_server.rooms.play import Play
from cartino_server.rooms.room import Room
from cartino_server.rooms.seating import Chair

NAMED_WATCHERS = 5
"""How many spectators a view names; the others are only counted."""


class ViewTooLarge(Exception):
    """A game's view that no client would take, which is the game's defect."""


def table_view(play: Play, audience: Audience) -> bytes:
    """The game as `audience` sees it, encoded: all that a bot gets to see. Raises ViewTooLarge."""
    view = encode(play.game.view(play.state, audience))
    if len(view) > MOST_VIEW_BYTES:
        raise ViewTooLarge(f"{len(view)} bytes")
    return view


def room_view(room: Room, audience: Audience) -> RoomView:
    """The table as the player on seat `audience` sees it, or as spectators do (None)."""
    watchers = room.spectators
    view = RoomView(
        code=room.code,
        game=room.order.game.name,
        options=room.rounds.options,
        state=room.state,
        number=room.number,
        seats=tuple(_seat_view(room, seat, chair) for seat, chair in enumerate(room.seating.chairs)),
        owner=room.seating.owner,
        you=audience,
        spectators=len(watchers),
        watchers=watchers[:NAMED_WATCHERS],
        commitment=room.rounds.commitment,
        open=room.order.open,
        clock=room.order.patience.clock,
        absence=room.order.patience.absence,
    )
    return view if room.state == "open" or room.play is None else _with_game(view, room, room.play)


def room_line(room: Room) -> RoomLine:
    """The table as lists show it."""
    return RoomLine(
        code=room.code,
        game=room.order.game.name,
        options=room.rounds.options,
        seats=tuple(SeatLine(chair.name, chair.kind) for chair in room.seating.chairs),
        spectators=len(room.spectators),
        state=room.state,
        turn=room.play.on_turn() if room.state == "playing" and room.play is not None else (),
        commitment=room.rounds.commitment,
        clock=room.order.patience.clock,
        paused=room.rounds.match_is_paused,
    )


def _with_game(view: RoomView, room: Room, play: Play) -> RoomView:
    result = play.result
    return structs.replace(
        view,
        turn=play.on_turn(),
        table=msgspec.Raw(table_view(play, view.you)),
        again=tuple(
            seat for seat, chair in enumerate(room.seating.chairs) if chair.person in room.wants_again
        ),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
        seed=room.rounds.seed,
        next_commitment=room.rounds.next_commitment,
        paused=room.rounds.match_is_paused,
        votes=_votes(room),
        claim=_claim(room),
    )


def _seat_view(room: Room, seat: Seat, chair: Chair) -> SeatView:
    here = chair.kind != "human" or chair.person in room.present
    match = room.rounds.running
    if match is None:
        return SeatView(chair.name, chair.kind, here, chair.cut != "")
    left = _rounded(match.left(seat))
    return SeatView(chair.name, chair.kind, here, stand_in=match.stand_in(seat), left=left)


def _claim(room: Room) -> ClaimView | None:
    match = room.rounds.running
    claim = None if match is None else match.window.claim
    if match is None or claim is None:
        return None
    return ClaimView(claim.seats, _rounded(match.left_to_answer()), claim.silence is not None)


def _rounded(left: float | None) -> float | None:
    return None if left is None else round(left, 1)


def _votes(room: Room) -> tuple[Seat, ...]:
    match = room.rounds.running
    wanting = frozenset() if match is None else match.wants_pause
    return tuple(seat for seat, chair in enumerate(room.seating.chairs) if chair.person in wanting)
