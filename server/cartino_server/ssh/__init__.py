"""SSH: the listener, admission and rate limits, login, and sessions with their input and output.

It is handed a request handler and never looks inside an app: of the client it imports the terminal's ports alone, and
neither Textual nor the lobby. `app` assembles it; `cli` opens its sockets.
"""
