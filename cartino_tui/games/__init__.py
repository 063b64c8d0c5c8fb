"""The ports that draw and speak a game: `GameDescription`, `GameScreen`, `GameSpeech`.

Games implement them; app, screens, plain mode and the command line call them and know no game by name.
"""
