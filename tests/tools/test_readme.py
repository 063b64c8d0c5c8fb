"""README and the documents: their links name files and headings that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / name
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md", "packaging/README.md")
] + sorted((ROOT / "docs").rglob("*.md"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of `page`, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_name_files_and_headings_that_exist(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith("https://"):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_is_short_and_shows_each_game() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 500
    assert {"playing", "caro", "casino"} <= set(re.findall(r"docs/pictures/(\w+)\.svg", text))


def test_nothing_is_said_to_be_published() -> None:
    """`uv tool install cartino` and the like work after the first release, and are named only as such."""
    for page in PAGES:
        for line in page.read_text().splitlines():
            if re.search(r"(uv tool|pipx|pip) install cartino\b|uvx cartino", line):
                assert "after the first release" in " ".join(page.read_text().split()), page
