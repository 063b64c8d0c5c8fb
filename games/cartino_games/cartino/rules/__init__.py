"""Cartino's rules, pure: stones and spots are numbers in here and names everywhere else.

`tables` is the board in numbers, `state` one moment of a game, `laying` and `turning` the rules, `view` what may be
seen, `game` implements the port. The modules of this game import them; they import no screen and no bot.
"""
