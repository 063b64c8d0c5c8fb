"""README is the page on the package index, too: its links work there, and name files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = re.compile(
    r"https://(?:github\.com/cartino/cartino/(?:blob|tree)|raw\.githubusercontent\.com/cartino/cartino)/main/"
)


def test_links_and_pictures_are_absolute_and_name_files_that_exist() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert any(link.endswith(".svg") for link in links)
    for link in links:
        assert PROJECT.match(link), link
        assert (ROOT / PROJECT.sub("", link).partition("#")[0]).exists(), link
