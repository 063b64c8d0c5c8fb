"""Games played with a hand of cards and cards on the table: a view, a screen and a speech to extend.

Games import them.
"""
