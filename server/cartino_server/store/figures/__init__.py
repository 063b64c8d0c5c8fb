"""What a person's finished games come to besides scores and ratings: goals against bots, and results not yet told.

Imports the rest of `store`; `profiles` counts with it.
"""
