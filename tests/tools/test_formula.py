"""The Homebrew formula installs what the lock names, in the same versions and with hashes that the lock knows."""

import re
from pathlib import Path

from tools import formula

LOCK = (Path(formula.__file__).parents[1] / "requirements" / "run.lock").read_text()
TEXT = formula.FORMULA.read_text()
DIGEST = "0123456789abcdef" * 4


def resources(text: str) -> list[tuple[str, str, str]]:
    """Name, address and hash of each resource."""
    return re.findall(r'resource "([^"]+)" do\n    url "([^"]+)"\n    sha256 "(\w+)"\n  end', text)


def test_it_has_every_locked_package_in_its_version() -> None:
    locked = {}
    for package in re.split(r"^(?=\w)", LOCK, flags=re.MULTILINE)[1:]:
        name, _, rest = package.partition("==")
        locked[name] = (rest.split()[0], set(re.findall(r"sha256:(\w+)", rest)))
    found = resources(TEXT)
    assert {name for name, _, _ in found} == locked.keys() - formula.BREWED
    for name, url, digest in found:
        version, digests = locked[name]
        assert url.endswith(f"-{version}.tar.gz")
        assert digest in digests
    for name in formula.BREWED:
        assert f'  depends_on "{name}"\n' in TEXT


def test_another_lock_replaces_the_resources_and_nothing_else() -> None:
    pylock = f"""
        [[packages]]
        name = "rich"
        sdist = {{ url = "https://files.example/rich-1.tar.gz", hashes = {{ sha256 = "{DIGEST}" }} }}
        [[packages]]
        name = "cryptography"
    """
    text = formula.with_resources(TEXT, pylock)
    assert resources(text) == [("rich", "https://files.example/rich-1.tar.gz", DIGEST)]
    start, end = TEXT.index("  resource "), TEXT.index("  def install")
    assert text.startswith(TEXT[:start])
    assert text.endswith(TEXT[end:])


def test_a_release_takes_the_place_of_the_one_before() -> None:
    text = formula.with_release(TEXT, "cartino-1.0.tar.gz", DIGEST)
    assert f'/c/cartino/cartino-1.0.tar.gz"\n  sha256 "{DIGEST}"\n  license "MIT"\n' in text
    newer = formula.with_release(text, "cartino-1.1.tar.gz", DIGEST)
    assert newer == text.replace("cartino-1.0", "cartino-1.1")
    assert resources(newer) == resources(TEXT)
