"""Pure drawing: what a screen shows as rows of text with roles, known to nothing of Textual and tested as text."""
