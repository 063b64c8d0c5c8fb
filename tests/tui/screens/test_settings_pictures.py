"""What the screens of the settings look like, at the smallest size and the usual one, and without more than ASCII."""

import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_tui.games.screen import Look
from cartino_tui.preferences import Preferences
from cartino_tui.screens import cards
from cartino_tui.screens.settings_drawing import SettingsModel, draw_settings, scrolled
from tests.support.settings_screens import card, key_test, settings

LOOKS = [
    pytest.param(Look(60, 20), id="60x20"),
    pytest.param(Look(80, 24), id="80x24"),
    pytest.param(Look(80, 24, ascii=True), id="ascii"),
]


@pytest.mark.parametrize("look", LOOKS)
def test_the_settings(look: Look, snapshot: SnapshotAssertion) -> None:
    assert settings(look, 2).text() == snapshot


@pytest.mark.parametrize("look", LOOKS)
def test_the_card(look: Look, snapshot: SnapshotAssertion) -> None:
    assert card(look).text() == snapshot


@pytest.mark.parametrize("look", LOOKS)
def test_the_key_test(look: Look, snapshot: SnapshotAssertion) -> None:
    assert key_test(look, "enter").text() == snapshot


def test_the_sample_has_every_state_of_a_card_in_its_role(snapshot: SnapshotAssertion) -> None:
    look = Look(60, 20)
    assert [cards.printed(look), cards.stones(look), cards.states(look)] == snapshot
    wanted = Preferences("de")
    german = Look(60, 20, letters=wanted.letters)
    shown = draw_settings(scrolled(SettingsModel(), german, wanted), german, wanted, ())
    assert "A♠   K♥   D♦   B♣" in shown.text()
