"""Frames of text with roles, and the bytes that show them: canvas, chart, themes, frame differences.

Pure functions and values; no Textual, no asyncio, nothing of the server. The screens, games and `terminal` import it.
"""
