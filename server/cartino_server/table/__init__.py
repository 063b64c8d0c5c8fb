"""What one table is and does: its state, seats, clock, chat, bots, views, and the task that runs it.

Imports engine, bots, store and protocol. Never imports lobby, ssh, workers or the command line.
"""
