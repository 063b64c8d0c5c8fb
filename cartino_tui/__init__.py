"""The table in a terminal: a Textual app that draws what a link shows it."""
