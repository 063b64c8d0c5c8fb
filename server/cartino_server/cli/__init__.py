"""The `cartino` command: one module for each subcommand or closely related pair.

The top layer: it may import everything, and nothing imports it. `main` loads a subcommand's module only when it is run,
so `cartino verify` never loads Textual.
"""
