"""The server: engine, bots, store, rooms, the SSH door and the command line."""
