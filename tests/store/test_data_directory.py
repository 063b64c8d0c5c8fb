import os
from pathlib import Path

import pytest

from cartino_server.store.data_directory import DataError, prepare_directory, sync_directory


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    place = prepare_directory(tmp_path / "a" / "b")
    assert place.is_absolute()
    assert place.stat().st_mode & 0o777 == 0o700
    assert prepare_directory(place) == place


def test_a_tilde_is_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert prepare_directory(Path("~/data")) == tmp_path / "data"


@pytest.mark.parametrize("name", ["~no-such-user-here/x", "nul\0"])
def test_a_name_that_can_be_none_is_one_sentence(name: str) -> None:
    with pytest.raises(DataError, match="choose another one") as caught:
        prepare_directory(Path(name))
    assert str(caught.value).isprintable()


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="is a file"):
        prepare_directory(tmp_path / "file")
    with pytest.raises(DataError, match="Can't create"):
        prepare_directory(tmp_path / "file" / "below")


def test_others_may_not_write_to_it(tmp_path: Path) -> None:
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(DataError, match="chmod 700") as caught:
        prepare_directory(place)
    assert "\n" not in str(caught.value)


def test_a_directory_that_can_not_be_written_to_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may always
    with pytest.raises(DataError, match="Can't write to"):
        prepare_directory(tmp_path)


def test_a_directory_that_is_flushed_is_not_left_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    sync_directory(tmp_path)
    assert os.listdir("/proc/self/fd") == before
