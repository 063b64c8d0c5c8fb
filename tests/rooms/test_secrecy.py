"""What a room sends and hands out while its game runs does not depend, by a single byte, on what is hidden."""

from random import Random

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.rules.state import State
from cartino_protocol.base import Audience
from cartino_protocol.records import RecordLine
from cartino_protocol.wire import encode
from cartino_server.table.play import Play
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState
from cartino_server.table.views import room_line, room_view
from tests.support.cartino import GAME
from tests.support.house import World

MOMENTS = given(
    chance=st.randoms(use_true_random=False, note_method_calls=False),
    seed=st.binary(min_size=32, max_size=32),
    edition=st.sampled_from(["1974", "1969"]),
    seats=st.integers(2, 4),
    moves=st.integers(0, 40),
)


def a_moment(chance: Random, seed: bytes, edition: str, seats: int, moves: int) -> tuple[TableState, Play]:
    """A room, with a spectator, after so many legal moves, its game still running."""
    order = Order(GAME, {"edition": edition}, seats, (), True)
    room = TableState("AAAA", order, seed, World().ports())
    room.watch("eve", "eve")
    for number in range(seats):
        room.join(f"p{number}", f"name{number}")
    play = room.play
    assert play is not None
    for _ in range(moves):
        if room.state == "playing":
            (seat,) = play.on_turn()
            assert (
                room.act_for(seat, room.number, encode(chance.choice(list(GAME.legal(play.state, seat)))))
                is None
            )
    assume(room.state == "playing")
    return room, play


def otherwise(state: State, audience: Audience, chance: Random) -> State:
    """A state that `audience` can't tell from `state`: hidden hands and the bag mixed anew."""
    hidden = [seat for seat in range(len(state.hands)) if seat != audience]
    pool = [stone for seat in hidden for stone in state.hands[seat]] + list(state.order[state.drawn :])
    chance.shuffle(pool)
    hands = list(state.hands)
    for seat in hidden:
        hands[seat] = tuple(sorted(pool.pop() for _ in state.hands[seat]))
    return msgspec.structs.replace(state, hands=tuple(hands), order=(*state.order[: state.drawn], *pool))


@MOMENTS
@settings(max_examples=60, deadline=None)
def test_a_room_s_views_hold_no_hidden_stone(
    chance: Random, seed: bytes, edition: str, seats: int, moves: int
) -> None:
    room, play = a_moment(chance, seed, edition, seats, moves)
    truth = play.state
    line = encode(room_line(room))
    for audience in (None, *range(seats)):
        shown = encode(room_view(room, audience))
        play.state = otherwise(truth, audience, chance)
        assert encode(room_view(room, audience)) == shown
        assert encode(room_line(room)) == line
        play.state = truth


@MOMENTS
@settings(max_examples=60, deadline=None)
def test_the_record_of_a_running_game_tells_no_draw(
    chance: Random, seed: bytes, edition: str, seats: int, moves: int
) -> None:
    _, play = a_moment(chance, seed, edition, seats, moves)
    exported = play.export()
    names = play.state.tables.board.stone_names
    drawn = [line for line in play.lines if isinstance(line, DrawLine)]

    def redrawn(line: RecordLine) -> RecordLine:
        if not isinstance(line, DrawLine):
            return line
        return DrawLine(line.seat, tuple(chance.choice(names) for _ in line.stones))

    assert drawn, "nothing was hidden"
    play.lines = [redrawn(line) for line in play.lines]
    play.state = otherwise(play.state, None, chance)
    play.seed = bytes(32)
    assert play.export() == exported
