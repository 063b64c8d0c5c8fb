"""People online and seated: what they may be called, who owns which name, where they are, what they set.

Imports table and everything below it, and nothing else of the lobby.
"""
