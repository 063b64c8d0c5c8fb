"""Tests are of the app in English, whatever language the terminal of whoever runs them speaks."""

import os

for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
    os.environ.pop(name, None)
