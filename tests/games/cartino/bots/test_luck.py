"""The luck of a draw: nothing on average, more for a better stone, and the winner had more of it."""

from collections import Counter
from collections.abc import Iterator
from math import fsum
from random import Random

import msgspec
import pytest

from cartino_engine.bots import CantChoose
from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.bots.evaluation import read_known
from cartino_games.cartino.bots.levels import CartinoCareful
from cartino_games.cartino.bots.reading import read_view
from cartino_games.casino.bots import CasinoCareful
from cartino_protocol.wire import encode
from tests.support.cartino import GAME, all_options, names

BOT = CartinoCareful()


def turns(seed: int, edition: Edition = "1974") -> Iterator[tuple[int, bytes, tuple[bytes, ...], bytes, int]]:
    """Each turn of a game among careful bots: its seat, view, moves, the view after it, and the seat's lead then."""
    chance = Random(seed)
    shuffle = SeedChance(chance.randbytes(32), ("", ""))
    state = GAME.start(all_options(edition), names(2), shuffle).state
    while state.settlement is None:
        seat, view = state.seat, encode(GAME.view(state, state.seat))
        moves = BOT.plan(view, chance)
        for move in moves:
            step = GAME.apply(state, seat, move)
            assert isinstance(step, Step)
            state = step.state
        lead = 2 * state.totals[seat] - sum(state.totals)
        yield seat, view, tuple(map(encode, moves)), encode(GAME.view(state, seat)), lead


def drawn(view: bytes, after: bytes) -> int:
    return read_view(view).bag - read_view(after).bag


@pytest.mark.parametrize("edition", ["1974", pytest.param("1969", marks=pytest.mark.soak)])
def test_all_stones_that_could_be_drawn_are_together_worth_nothing(edition: Edition) -> None:
    """A joker is good luck while the bag is full."""
    looked_at = 0
    for _, view, moves, after, _ in turns(3, edition):
        seen, known = read_view(after), read_known(read_view(view))
        laid = Counter(str(msgspec.msgpack.decode(move).get("stone", "")) for move in moves)
        kept = tuple((Counter(read_view(view).hand) - laid).elements())
        # Else a joker was taken out, or several stones were drawn.
        if drawn(view, after) != 1 or laid["*"] or laid[""] > 1 or len(kept) + 1 != len(seen.hand):
            continue
        board = known.position.ground.board
        unseen = Counter({board.cards[card]: count for card, count in known.unseen.cards})
        unseen["*"] = known.unseen.jokers
        luck = {
            stone: BOT.luck(view, moves, encode(msgspec.structs.replace(seen, hand=(*kept, stone))))
            for stone in unseen
            if unseen[stone]
        }
        assert fsum(unseen[stone] * value for stone, value in luck.items()) == pytest.approx(0, abs=1e-6)
        assert max(luck.values()) > 0 > min(luck.values())
        assert read_view(view).bag <= 60 or luck.get("*", 4) > 3
        looked_at += 1
    assert looked_at > 2


def test_a_turn_without_a_draw_has_no_luck() -> None:
    found = [BOT.luck(view, moves, after) for _, view, moves, after, _ in turns(5) if drawn(view, after) == 0]
    assert found
    assert set(found) == {0.0}


def test_of_careful_players_the_lucky_one_wins() -> None:
    agrees = 0
    for seed in range(8):
        luck, lead = [0.0, 0.0], 0
        for seat, view, moves, after, ahead in turns(seed):
            luck[seat] += BOT.luck(view, moves, after)
            lead = ahead if seat == 0 else -ahead
        agrees += (luck[0] > luck[1]) == (lead > 0)
    assert agrees >= 6


def test_a_bot_that_can_t_tell_says_so() -> None:
    with pytest.raises(CantChoose):
        CasinoCareful().luck(b"", (), b"")
