"""Lists as data: rows, columns and actions declared once for screens, plain mode, the shell and JSON.

They import the protocol, `game_port` and the translator; never Textual, a screen, plain mode or the server.
"""
