"""Whatever can be shown on a screen can be spoken of in lines, by the same name."""

from tests.support.games import GAMES, SCREENS, SPEECHES


def test_every_game_has_a_voice() -> None:
    assert set(SPEECHES) == set(SCREENS) == set(GAMES)
    assert all(speech.name == name for name, speech in SPEECHES.items())
