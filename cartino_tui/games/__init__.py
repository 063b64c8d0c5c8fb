"""The plugs: one package a game, with its table screen's drawing, its keys and its rules text."""
