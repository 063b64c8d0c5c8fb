"""Cartino's rules, pure: stones and spots are numbers in here and names everywhere else.

`tables` is the board in numbers, `state` one moment of a game, `laying` and `turning` the rules, `view` what may be
seen, `game` the port's side.
"""
