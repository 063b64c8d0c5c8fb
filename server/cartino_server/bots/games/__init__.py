"""The bots, one package a game."""
