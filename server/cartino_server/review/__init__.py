"""Reviews of finished games: what each turn lost compared with the best one, judged by a bot and kept with the game.

Imports table and everything below it; the lobby answers with what it finds.
"""
