"""The client's state, without a screen: what it knows, where it is going, what it waits for.

`visit.Visit` takes events and returns effects; the app and plain mode perform them. It imports the protocol,
translations and preferences, and does no input or output.
"""
