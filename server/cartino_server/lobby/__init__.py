"""What all tables and people share: lobby, log-ins, moderation, queries, and opening tables.

`people` has who is online and called what, `finished` the finished games. Imports table and everything below it. Only
`services`, commands and what is above them import it.
"""
