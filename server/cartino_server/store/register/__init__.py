"""What the house knows of people beyond their games: keys, names, bans, whom they ignore, what was reported.

It stands in a file of its own beside the journal: games are proved entry by entry and rebuilt from what is whole,
while this is small, changes seldom, and is either there or has to come out of a copy.
"""
