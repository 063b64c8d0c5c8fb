"""What every game's screen and speech can use: parts of a table that are not the game's own."""
