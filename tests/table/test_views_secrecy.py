"""What a table sends and hands out while its game runs does not depend, by a single byte, on what is hidden."""

from random import Random

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.rules.bag import bag_of
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.base import Audience
from cartino_protocol.records import RecordLine
from cartino_protocol.wire import encode
from cartino_server.table.seating import Order
from cartino_server.table.views import table_line, table_view
from tests.support.cartino import GAME
from tests.support.game_server import World
from tests.support.live_table import LiveTable

MOMENTS = given(
    chance=st.randoms(use_true_random=False, note_method_calls=False),
    seed=st.binary(min_size=32, max_size=32),
    edition=st.sampled_from(["1974", "1969"]),
    seats=st.integers(2, 4),
    moves=st.integers(0, 40),
)


def a_moment(chance: Random, seed: bytes, edition: str, seats: int, moves: int) -> LiveTable:
    """A table, with a spectator, after so many legal moves, its game still running."""
    order = Order(GAME, {"edition": edition}, seats, (), True)
    table = LiveTable("AAAA", order, seed, World().ports())
    table.watch("eve", "eve")
    for number in range(seats):
        table.join(f"p{number}", f"name{number}")
    for _ in range(moves):
        if table.state == "playing":
            play = table.match
            (seat,) = play.on_turn()
            assert (
                table.act_for(seat, table.number, encode(chance.choice(list(GAME.legal(play.state, seat)))))
                is None
            )
    assume(table.state == "playing")
    return table


def otherwise(state: CartinoState, audience: Audience, chance: Random) -> CartinoState:
    """A state that `audience` can't tell from `state`: hidden hands and the bag mixed anew."""
    hidden = [seat for seat in range(len(state.hands)) if seat != audience]
    pool = [stone for seat in hidden for stone in state.hands[seat]] + list(state.bag.remaining_stones())
    chance.shuffle(pool)
    hands = list(state.hands)
    for seat in hidden:
        hands[seat] = tuple(sorted(pool.pop() for _ in state.hands[seat]))
    return msgspec.structs.replace(state, hands=tuple(hands), bag=bag_of(pool))


@MOMENTS
@settings(max_examples=60, deadline=None)
def test_a_table_s_views_hold_no_hidden_stone(
    chance: Random, seed: bytes, edition: str, seats: int, moves: int
) -> None:
    table = a_moment(chance, seed, edition, seats, moves)
    game_table, truth = table.table, table.match.state
    line = encode(table_line(table.table))
    for audience in (None, *range(seats)):
        shown = encode(table_view(table.table, audience))
        match = msgspec.structs.replace(table.match, state=otherwise(truth, audience, chance))
        other = msgspec.structs.replace(game_table, match=match)
        assert encode(table_view(other, audience)) == shown
        assert encode(table_line(other)) == line


@MOMENTS
@settings(max_examples=60, deadline=None)
def test_the_record_of_a_running_game_tells_no_draw(
    chance: Random, seed: bytes, edition: str, seats: int, moves: int
) -> None:
    play = a_moment(chance, seed, edition, seats, moves).table.match
    assert play is not None
    exported = play.export()
    names = play.state.tables.board.stone_names
    drawn = [line for line in play.lines if isinstance(line, DrawLine)]

    def redrawn(line: RecordLine) -> RecordLine:
        if not isinstance(line, DrawLine):
            return line
        return DrawLine(line.seat, tuple(chance.choice(names) for _ in line.stones))

    assert drawn, "nothing was hidden"
    other = msgspec.structs.replace(
        play,
        lines=tuple(redrawn(line) for line in play.lines),
        state=otherwise(play.state, None, chance),
        seed=bytes(32),
    )
    assert other.export() == exported
