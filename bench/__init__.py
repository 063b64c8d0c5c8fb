"""Measurements: what a lay, a session, a key and a broadcast cost. Never a test; `make bench` prints the table."""
