"""Reviews of finished games: what each turn lost beside the best one, judged by a bot and kept with the record.

Imports table and everything below it; the lobby answers with what it finds.
"""
