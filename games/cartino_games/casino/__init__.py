"""Casino, the Danish card game (kortspil). Only its entry point names it, as `game.PACKAGE`."""
