"""The keys that choose a half, as the hints name them."""

import pytest

from cartino_games.cartino.marks import halves
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import Settings, keymap_of


@pytest.mark.parametrize(
    ("settings", "shown", "plain"),
    [
        (Settings(), "↑↓", "up/dn"),
        (Settings(keymap="vi"), "kj", "kj"),
        (Settings(keymap="own", own_keys={"up": "w", "down": "s"}), "ws", "ws"),
        (Settings(keymap="own", own_keys={"up": "n"}), "n↓", "nv"),
    ],
)
def test_in_every_keymap_and_with_ascii_alone(settings: Settings, shown: str, plain: str) -> None:
    keymap = keymap_of(settings)
    assert halves(Look(80, 24, keymap=keymap)) == shown
    assert halves(Look(80, 24, ascii=True, keymap=keymap)) == plain
