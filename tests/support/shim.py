"""The shim in the place of the C library's clock and syncing: `shim.c`, loaded before it."""

import subprocess
import sys
from pathlib import Path
from shutil import which

SOURCE = Path(__file__).with_suffix(".c")
CAN_SHIM = sys.platform == "linux" and which("cc") is not None
"""Whether this machine can build and load it."""


def compiled_shim(folder: Path) -> Path:
    """Return the shim as a library in `folder`; compile it if it isn't there."""
    library = folder / "shim.so"
    if not library.exists():
        options = ("-shared", "-fPIC", "-O1", "-Wall", "-Werror")
        subprocess.run(["cc", *options, "-o", library, SOURCE, "-ldl"], check=True)
    return library
