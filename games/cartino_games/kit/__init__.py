"""What every game's screen and speech can use: the parts of a table that are not the game's own.

A screen is a `GameTableScreen` (`screen`) whose scene extends `TableScene` (`scene`) and draws in the boxes of
`arrange` (`arrangement`): `players`, a `grid` of cells, rows of `cards`, moves and talk (`text`). Title, hints and
status (`bars`) and the pages of the end (`result`) draw themselves. `marks` are the characters, `spoken` has words for
cards and points in plain mode. `declared` draws and speaks whole games that only have rules. Games import the kit, and
it imports none of them.
"""
