"""The client: a Textual app and a plain text mode, drawn from the views that a link delivers.

It imports `cartino_protocol`, never the server or a game; games reach it through the ports in `games`.
The command line and the games import it.
"""
