"""The ports by which games are drawn and spoken: `GameDescription`, `GameScreen`, `GameSpeech`."""
