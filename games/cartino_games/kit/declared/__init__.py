"""Games that describe in data what lies on the table: a base for their rules, and a screen and speech for all of them.

Games import it, also those of other packages. The command line uses its screen for games that a client lacks.
"""
