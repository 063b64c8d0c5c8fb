"""Plain mode: the lobby and the tables in lines of text, for screen readers and terminals without a cursor.

It shares ports, words and preferences with the screens, and doesn't import them.
The command line imports it; games don't.
"""
