"""What all tables and people share: the server, its lobby, log-ins, moderation, queries, and opening tables.

`people` has who is online and called what, `finished` the finished games. Imports table and everything below it. Only
ssh, workers and the command line import it.
"""
