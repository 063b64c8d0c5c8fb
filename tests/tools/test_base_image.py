"""The base images of the container: which have no digest, and how they get one."""

import re
from pathlib import Path

import pytest

from tools import base_image

DIGEST = f"sha256:{'0123456789abcdef' * 4}"
TEXT = """\
FROM docker.io/library/python:3.13-slim AS build
RUN true
FROM build AS more
FROM docker.io/library/python:3.13-slim
COPY --from=build /opt /opt
"""


def test_every_base_gets_the_digest_of_its_tag_and_is_asked_for_once() -> None:
    asked: list[tuple[str, str]] = []

    def digest_of(name: str, tag: str) -> str:
        asked.append((name, tag))
        return DIGEST

    assert base_image.unpinned(TEXT) == ["docker.io/library/python:3.13-slim"] * 2
    text = base_image.pinned(TEXT, digest_of)
    assert asked == [("library/python", "3.13-slim")]
    assert text == TEXT.replace("3.13-slim", f"3.13-slim@{DIGEST}")
    assert base_image.unpinned(text) == []
    newer = DIGEST.replace("0", "f")
    assert base_image.pinned(text, lambda *_: newer) == text.replace(DIGEST, newer)


@pytest.mark.parametrize("error", [OSError("no net"), ValueError("no digest")])
def test_without_the_registry_nothing_is_changed(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "Containerfile"
    file.write_text(TEXT)

    def fail(_name: str, _tag: str) -> str:
        raise error

    monkeypatch.setattr(base_image, "CONTAINERFILE", file)
    monkeypatch.setattr(base_image, "look_up", fail)
    assert base_image.main([]) == 1
    assert base_image.main(["--check"]) == 1
    assert file.read_text() == TEXT
    assert "nothing was changed" in capsys.readouterr().err


def test_all_bases_of_the_container_can_be_pinned_and_it_has_what_the_wheel_is_built_from() -> None:
    text = base_image.CONTAINERFILE.read_text()
    assert base_image.unpinned(base_image.pinned(text, lambda *_: DIGEST)) == []
    project = (base_image.CONTAINERFILE.parent / "pyproject.toml").read_text()
    packages = re.search(r"^packages = \[(.*)\]$", project, re.MULTILINE)
    assert packages is not None
    copied = set(re.findall(r"^COPY (\S+) /src/\1$", text, re.MULTILINE))
    assert {name.split("/")[0] for name in re.findall(r'"([^"]+)"', packages[1])} <= copied
    assert "\nCOPY pyproject.toml README.md LICENSE /src/\n" in text
