"""The game port, chance, replay and the bot port: pure code without clock, I/O or randomness of its own.

Games import `port`, `chance` and `bots`; rules must not import `bots`. May import `cartino_protocol` only.
"""
