"""The terminal side of a session: our Textual driver on a byte channel, colour depth, what Textual keeps inside."""
