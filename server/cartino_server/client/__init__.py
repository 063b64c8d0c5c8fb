"""The native client: a reconnecting link to a remote server through an SSH subsystem.

May import the protocol and nothing else of the server; `cli` uses it.
"""
