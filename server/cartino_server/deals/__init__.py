"""Shared deals: daily games, duplicate matches and leagues.

An attempt is an ordinary private table whose game is dealt from the shared seed. Knows tables and the stores below it;
the lobby hands in what it needs of the lobby.
"""
