"""Cartino, by Alex Randolph (as D. F. Oudolf), in its editions of 1974 and 1969.

`rules` are pure and know the server's game port only; `screen` draws and reads keys, `speech` does the same in
sentences; `views`, `moves`, `lines` and `board` are what they share. `game` puts them together as `PACKAGE`, which an
entry point names. Nothing outside this folder imports it.
"""
