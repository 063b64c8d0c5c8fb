"""Assemble the server and run it: start-up, shutdown, workers, SSH requests, monitoring.

May import everything except `cli`. Only this package knows both the SSH layer and the Textual app.
"""
