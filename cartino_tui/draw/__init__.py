"""Pure drawing: frames of text with roles, canvas, theme, layout.

Nothing here imports Textual, so drawing is tested as text.
Screens, plain mode, games and the command line import it.
"""
