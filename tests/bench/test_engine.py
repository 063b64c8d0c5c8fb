"""A lay is timed when the engine sees it for the first time, and only where it is taken."""

from typing import Any

import pytest

from bench import engine
from bench.server import BenchError
from cartino_games.cartino.moves import Lay
from cartino_protocol.refusals import Refusal
from tests.support.games import GAMES


def test_no_lay_is_applied_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    game, options = GAMES["cartino"], {"edition": "1974"}
    apply, seen = game.apply, []

    def note(state: Any, seat: int, move: Any) -> Any:
        if isinstance(move, Lay):
            seen.append((state, move))
        return apply(state, seat, move)

    monkeypatch.setattr(type(game), "apply", lambda _game, *lay: note(*lay))
    assert engine._moves_a_second(game, options, 3) > 0
    # The states are held, so none has the place of another.
    assert len({id(state) for state, _ in seen}) == len(seen) > 50


def test_a_refused_lay_does_not_count() -> None:
    game = engine._Game(GAMES["cartino"], {"edition": "1974"}, 1)
    with pytest.raises(BenchError, match="refused"):
        game.go_on(Refusal("not-your-turn"))
