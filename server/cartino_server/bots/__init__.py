"""Bots by anybody: pair bot accounts, play a link in JSON lines (`ssh HOST bot`), run a program as a bot offline.

May import `table` and what lies below it, and of the client its plain mode. The lobby asks the `Matchmaker`.
"""
