"""Whatever can be shown on a screen can be spoken of in lines, by the same name."""

from cartino_server.engine.registry import GAMES
from cartino_tui.games.registry import PLUGS
from cartino_tui.games.voices import VOICES


def test_every_game_has_a_voice() -> None:
    assert set(VOICES) == set(PLUGS) == set(GAMES)
    assert all(voice.name == name for name, voice in VOICES.items())
