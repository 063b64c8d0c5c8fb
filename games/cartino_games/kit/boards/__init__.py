"""Games in which pieces are laid on a board that grows and nothing is hidden.

Bases to extend: rules (`game`), the view, the bots, the screen and the speech. Games import them.
"""
