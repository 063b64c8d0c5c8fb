"""Cartino's words: the printed board, the view of a table, a seat's moves, the record's own lines."""
