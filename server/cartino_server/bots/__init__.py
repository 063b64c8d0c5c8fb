"""Players that see what a seat sees and answer with a command."""
