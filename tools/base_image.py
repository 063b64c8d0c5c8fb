"""Pin the base images of the Containerfile: `python -m tools.base_image`; --check only compares.

A tag is another image tomorrow; behind a digest it is the one that was looked up. The registry is asked, so this needs
the net; --check does not. Exit status 0: every base is pinned; 1: one isn't, or the registry can't be asked.
"""

import argparse
import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Final

CONTAINERFILE: Final = Path(__file__).parent.parent / "Containerfile"
TIME_LIMIT: Final = 20.0
"""Seconds."""

_FROM: Final = re.compile(
    r"^(FROM docker\.io/)([\w./-]+):([\w.-]+)(@sha256:[0-9a-f]{64})?(?=\s|$)", re.MULTILINE
)
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_TOKEN: Final = "https://auth.docker.io/token?service=registry.docker.io&scope=repository:{name}:pull"
_MANIFEST: Final = "https://registry-1.docker.io/v2/{name}/manifests/{tag}"
_INDEXES: Final = (
    "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json"
)


def unpinned(text: str) -> list[str]:
    """Return the bases in the Containerfile `text` that have no digest; other stages of it are none."""
    stages = set(re.findall(r"^FROM .* AS (\S+)$", text, re.MULTILINE))
    bases = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    return [base for base in bases if base not in stages and not re.search(f"@{_DIGEST.pattern}$", base)]


def pinned(text: str, digest_of: Callable[[str, str], str]) -> str:
    """Return `text` with the digest behind each base; `digest_of(name, tag)` is asked once for each."""
    known: dict[tuple[str, str], str] = {}

    def pin(found: re.Match[str]) -> str:
        start, name, tag, _ = found.groups()
        if (name, tag) not in known:
            known[name, tag] = digest_of(name, tag)
        return f"{start}{name}:{tag}@{known[name, tag]}"

    return _FROM.sub(pin, text)


def look_up(name: str, tag: str) -> str:
    """Return the digest that the registry has for the tag, of all platforms. Raises OSError, ValueError."""
    with urllib.request.urlopen(_TOKEN.format(name=name), timeout=TIME_LIMIT) as answer:
        token = json.load(answer)["token"]
    headers = {"Authorization": f"Bearer {token}", "Accept": _INDEXES}
    request = urllib.request.Request(_MANIFEST.format(name=name, tag=tag), method="HEAD", headers=headers)
    with urllib.request.urlopen(request, timeout=TIME_LIMIT) as answer:
        digest = str(answer.headers["Docker-Content-Digest"])
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"{name}:{tag} has no digest")
    return digest


def main(words: list[str] | None = None) -> int:
    """Pin the bases, or look whether they are."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.base_image", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    wanted = parser.parse_args(words)
    text = CONTAINERFILE.read_text()
    if not wanted.check:
        try:
            text = pinned(text, look_up)
        except (OSError, ValueError, KeyError) as error:
            print(f"base_image: the registry can't be asked ({error}); nothing was changed", file=sys.stderr)
            return 1
        CONTAINERFILE.write_text(text)
    for base in unpinned(text):
        print(f"base_image: {base} has no digest", file=sys.stderr)
    return 1 if unpinned(text) else 0


if __name__ == "__main__":
    sys.exit(main())
