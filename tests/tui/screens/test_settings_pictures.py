"""What the screens of the settings look like, at the smallest size and the usual one, and without more than ASCII."""

import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_tui.draw.canvas import row_width
from cartino_tui.game_port.screen import Look, all_samples
from tests.support.games import DARK, SCREENS
from tests.support.settings_screens import settings

LOOKS = [
    pytest.param(Look(60, 20), id="60x20"),
    pytest.param(Look(80, 24), id="80x24"),
    pytest.param(Look(80, 24, ascii=True), id="ascii"),
]


@pytest.mark.parametrize("look", LOOKS)
def test_the_settings(look: Look, snapshot: SnapshotAssertion) -> None:
    assert settings(look, 2).text() == snapshot


def test_cartinos_sample_has_every_state_of_a_card_in_its_role(snapshot: SnapshotAssertion) -> None:
    assert SCREENS["cartino"].sample(Look(60, 20)) == snapshot
    assert "A♠   K♥   D♦   B♣" in settings(Look(60, 20, letters="de"), 0).text()


def test_every_games_sample_fits_beside_the_others_and_is_made_of_its_roles() -> None:
    for look in (Look(60, 20), Look(60, 20, ascii=True)):
        for row in all_samples(SCREENS, look):
            assert row_width(row) <= 48
            assert {role for _, role in row} <= set(DARK.styles)
            assert not look.ascii or all(text.isascii() for text, _ in row)
