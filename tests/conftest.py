"""Tests are of the app in English, whatever language the terminal of whoever runs them speaks, with no settings."""

import os
import tempfile

for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
    os.environ.pop(name, None)

_settings = tempfile.TemporaryDirectory(prefix="cartino-tests-")
os.environ["XDG_CONFIG_HOME"] = _settings.name
