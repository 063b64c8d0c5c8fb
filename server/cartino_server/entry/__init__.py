"""The command line: where rooms, bots, the SSH door and the app are put together, and nowhere else.

Each subcommand is a module with one `run`, imported only when it is asked for, so that `cartino verify` never
loads Textual and `cartino --version` loads nothing.
"""
