"""Cartino's table on the screen: drawing, keys, clicks and motion.

It extends `kit` and draws with `cartino_tui.draw`; it never imports Textual.
Only this game imports it.
"""
