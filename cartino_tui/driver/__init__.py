"""The terminal side of a session: the Textual driver on a byte channel, colour depth, Textual's private names.

The app, its screens, plain mode and the command line import it.
Games don't: they draw frames and read keys.
"""
