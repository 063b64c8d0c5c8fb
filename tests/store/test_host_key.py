import os
from pathlib import Path

import asyncssh
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.host_key import MAX_KEY_BYTES, load_host_key, read_host_key


def test_it_is_made_once_and_then_read(tmp_path: Path) -> None:
    path = tmp_path / "host_key"
    first = load_host_key(path)
    assert first.get_algorithm() == "ssh-ed25519"
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_host_key(path).get_fingerprint() == first.get_fingerprint()
    assert [entry.name for entry in tmp_path.iterdir()] == ["host_key"]


@pytest.mark.parametrize("cut", [0, 1, 100, 300])
def test_a_damaged_one_stops_the_start_and_stays_as_it_is(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "host_key"
    load_host_key(path)
    damaged = path.read_bytes()[:cut]
    path.write_bytes(damaged)
    with pytest.raises(DataError, match="is damaged") as caught:
        load_host_key(path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == damaged


def test_a_key_of_another_kind_or_with_a_passphrase_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "host_key"
    path.touch(mode=0o600)
    asyncssh.generate_private_key("ecdsa-sha2-nistp256").write_private_key(path)
    with pytest.raises(DataError, match="isn't an ed25519 key"):
        load_host_key(path)
    key = asyncssh.generate_private_key("ssh-ed25519")
    path.write_bytes(key.export_private_key("pkcs8-pem", passphrase="secret"))
    with pytest.raises(DataError, match="is damaged"):
        load_host_key(path)


def test_what_can_not_be_read_or_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Can't read or create the host key .*: Is a directory"):
        load_host_key(tmp_path)
    with pytest.raises(DataError, match=r"Can't read or create the host key .*: No such file"):
        load_host_key(tmp_path / "missing" / "host_key")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_stops_the_start(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "host_key"
    first = load_host_key(path)
    path.chmod(mode)
    with pytest.raises(DataError, match="chmod 600") as caught:
        load_host_key(path)
    assert "\n" not in str(caught.value)
    path.chmod(0o600)
    assert load_host_key(path).get_fingerprint() == first.get_fingerprint()


def test_reading_makes_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_host_key(tmp_path / "host_key")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["pipe", "endless", "directory", "large"])
def test_what_is_no_file_is_no_key(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "host_key"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case "directory":
            path.mkdir()
        case _:
            path.write_bytes(b"x" * (MAX_KEY_BYTES + 1))
    with pytest.raises(DataError, match="Can't read or create the host key") as error:
        load_host_key(path)
    assert "\n" not in str(error.value)
