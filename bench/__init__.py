"""Benchmarks of moves, sessions, keys and broadcasts. Never a test; `make bench` prints the table."""
