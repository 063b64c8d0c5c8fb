"""The plugs: one package a game, with the words that only this game's engine and table screen share."""
