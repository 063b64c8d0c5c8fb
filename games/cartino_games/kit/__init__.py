"""What every game's screen and speech can use: parts of a table that are not the game's own.

Start at `screen` (the base of a game's screen) and `scene`. `boards`, `hands` and `declared` are whole bases for three
kinds of game. The kit knows no game by name.
"""
