"""What all tables and people share: the server, who is online, names, invitations, history, ratings, moderation.

Imports table and everything below it. Only ssh, workers and the command line import it.
"""
