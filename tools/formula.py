"""Write the Homebrew formula: `python tools/formula.py PYLOCK`, or `--release SDIST` to name a published release.

PYLOCK (PEP 751) has the address and hash of each source that an install takes; `make lock` makes one and calls this.
"""

import argparse
import hashlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Final

FORMULA: Final = Path(__file__).parent.parent / "packaging" / "homebrew" / "cartino.rb"
BREWED: Final = frozenset({"cffi", "cryptography", "pycparser"})
"""What the formula takes from other formulae instead, because building it takes long."""

_INDEX: Final = "https://files.pythonhosted.org/packages/source/c/cartino/{name}"
_RELEASE: Final = re.compile(
    r'(  url "[^"\n]*cartino-[^"\n]*"\n  sha256 "[0-9a-f]{64}"\n)?(  license "MIT"\n)'
)
_RESOURCES: Final = re.compile(
    r'(  resource "[^"]+" do\n    url "[^"]+"\n    sha256 "[0-9a-f]{64}"\n  end\n\n)+'
)


def with_resources(formula: str, pylock: str) -> str:
    """Return the formula with the sources that `pylock` names. Raises KeyError for a package without a source."""
    packages = [each for each in tomllib.loads(pylock)["packages"] if each["name"] not in BREWED]
    resources = "".join(
        f'  resource "{each["name"]}" do\n    url "{each["sdist"]["url"]}"\n'
        f'    sha256 "{each["sdist"]["hashes"]["sha256"]}"\n  end\n\n'
        for each in packages
    )
    return _RESOURCES.sub(lambda _: resources, formula, count=1)


def with_release(formula: str, name: str, digest: str) -> str:
    """Return the formula that installs the source distribution called `name`, whose SHA-256 is `digest` in hex."""
    url = f'  url "{_INDEX.format(name=name)}"\n  sha256 "{digest}"\n'
    return _RELEASE.sub(lambda found: url + found[2], formula, count=1)


def main(words: list[str] | None = None) -> int:
    """Write the formula."""
    parser = argparse.ArgumentParser(
        prog="python tools/formula.py", description=(__doc__ or "").split("\n")[0]
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("pylock", nargs="?", type=Path, metavar="PYLOCK", help="where the sources are listed")
    what.add_argument(
        "--release", type=Path, metavar="SDIST", help="the source distribution that was published"
    )
    wanted = parser.parse_args(words)
    formula = FORMULA.read_text()
    if wanted.release:
        digest = hashlib.sha256(wanted.release.read_bytes()).hexdigest()
        formula = with_release(formula, wanted.release.name, digest)
    else:
        formula = with_resources(formula, wanted.pylock.read_text())
    FORMULA.write_text(formula)
    return 0


if __name__ == "__main__":
    sys.exit(main())
