"""The Textual widget that shows frames.

Only screens import it.
"""
