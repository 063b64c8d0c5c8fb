"""What finished games come to: scores and ratings, reviews and points lost, goals against bots, results not yet told.

The journal and `repair` count and read with it; it imports the rest of `store`.
"""
