"""The games: one folder each, with its rules, screen, speech, bots, lessons and words.

`kit` is what games share; `registry` finds the installed games by their entry points. Nothing below the command line
imports this package: the server and the app are handed the games they offer.
"""
