"""Worker processes: they speak SSH and draw, while tables, engine and journal stay in the server process.

The server accepts each connection and passes it to the worker with the fewest, so one place counts and limits
connections, and a dead worker takes only its own connections along. Each view is encoded once per audience and sent
once per worker, whatever the number of viewers. May import the protocol and `metrics`, never `lobby` or `ssh`.
"""
