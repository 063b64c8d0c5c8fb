"""Rooms: who sits where, and the one task that runs each table."""
