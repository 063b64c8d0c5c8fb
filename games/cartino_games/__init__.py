"""The games: one folder each, with its rules, screen, speech, bots, lessons and words.

`kit` is what games share; `registry` finds the installed games by their entry points. Only the command line imports
this package, and passes the games to the server and the app.
"""
