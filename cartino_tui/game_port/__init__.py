"""What a game gives the client: `GameDescription`, `GameScreen` and `GameSpeech`.

Games implement these classes; the screens, plain mode and the command line call them and name no game.
It imports `draw`, keymap, preferences and the translator, never Textual, a screen or a game.
"""
