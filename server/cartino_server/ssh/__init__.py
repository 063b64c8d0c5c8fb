"""SSH: the listener, admission and rate limits, login, and sessions with their input and output.

It is handed a request handler and never looks inside an app: it imports neither Textual nor the rooms.
Only `entry` imports it.
"""
