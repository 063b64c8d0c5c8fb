"""Tests are of the app in English, whatever language the terminal of whoever runs them speaks, with no settings.

Examples are the same in each run of the same tests, so that what passed once passes for everybody; new ones are looked
for with `--hypothesis-profile=default`. No example has a deadline, because a busy machine misses any.
"""

import os
import tempfile

from hypothesis import settings

for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
    os.environ.pop(name, None)

_settings = tempfile.TemporaryDirectory(prefix="cartino-tests-")
os.environ["XDG_CONFIG_HOME"] = _settings.name

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")
