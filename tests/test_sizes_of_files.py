"""A file is one idea; past four hundred lines it is several."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 400


@pytest.mark.parametrize("package", ["cartino_tui", "server/cartino_server", "protocol/cartino_protocol"])
def test_no_file_is_longer_than_one_idea(package: str) -> None:
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for path in (ROOT / package).rglob("*.py")
    }
    assert lines
    assert {path: count for path, count in lines.items() if count > MOST} == {}
