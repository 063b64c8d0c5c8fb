"""Plain mode: a visit in lines of text, for screen readers, pipes and terminals that cannot draw.

`line_handler` carries bytes, `conversation` and the menus turn views into sentences. No Textual here.
Only the command line imports it.
"""
