"""Screens of a finished game: its steps with the review below, the chart of its totals, and another turn tried."""
