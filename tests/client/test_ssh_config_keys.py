"""Which key one shows: ssh's order, an agent's before files, and a passphrase only where there is no way without."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from cartino_server.client import ssh_config
from cartino_server.client.ssh_config import PASSPHRASE_TRIES, SshConfig, agent_keys, file_keys

SECRET = "open sesame"
QUICKLY: dict[str, Any] = {"rounds": 1, "ignore_few_rounds": True}
"""How a key is locked here: as many rounds as protect a real one take half a second each time."""


def settings(*files: Path, agent: str = "", only: bool = False, with_key: bool = True) -> SshConfig:
    return SshConfig("ann", "h", 22, "h", 22, (), (), files, agent, only, with_key)


def a_key(file: Path, passphrase: str | None = None, *, public: bool = True) -> bytes:
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(file, passphrase=passphrase, **(QUICKLY if passphrase else {}))
    file.chmod(0o600)
    if public:
        key.write_public_key(f"{file}.pub")
    return key.public_data


def nobody(file: Path) -> str:
    raise AssertionError(f"asked for {file}")


def typing(*typed: str) -> tuple[Callable[[Path], str], list[Path]]:
    """Somebody who types that, and the files for which they were asked."""
    asked: list[Path] = []

    def ask(file: Path) -> str:
        asked.append(file)
        return typed[len(asked) - 1]

    return ask, asked


async def shown(found: SshConfig, ask: Callable[[Path], str] = nobody) -> list[bytes]:
    async with agent_keys(found) as held:
        return [key.public_data for key in held or file_keys(found, ask)]


async def test_the_first_file_that_is_there_is_the_key(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("no key at all")
    first, second = a_key(tmp_path / "one"), a_key(tmp_path / "two")
    assert first != second
    files = [tmp_path / name for name in ("none", "broken", "one", "two")]
    assert await shown(settings(*files)) == [first]


async def test_without_any_one_is_a_guest(tmp_path: Path) -> None:
    a_key(tmp_path / "one")
    assert await shown(settings(tmp_path / "none")) == []
    assert await shown(settings(tmp_path / "one", with_key=False)) == []


@pytest.mark.parametrize("typed", [(SECRET,), ("wrong", SECRET), ("wrong", "wrong", SECRET)])
async def test_a_passphrase_is_asked_for_up_to_three_times(tmp_path: Path, typed: tuple[str, ...]) -> None:
    key = a_key(tmp_path / "locked", SECRET)
    ask, asked = typing(*typed)
    assert await shown(settings(tmp_path / "locked"), ask) == [key]
    assert asked == [tmp_path / "locked"] * len(typed)


@pytest.mark.parametrize("typed", [("wrong",) * PASSPHRASE_TRIES, ("",), ("wrong", "")])
async def test_whoever_does_not_know_it_shows_the_next_key(tmp_path: Path, typed: tuple[str, ...]) -> None:
    a_key(tmp_path / "locked", SECRET)
    other = a_key(tmp_path / "other")
    ask, asked = typing(*typed)
    assert await shown(settings(tmp_path / "locked", tmp_path / "other"), ask) == [other]
    assert len(asked) == len(typed)


def test_asyncssh_still_says_so_of_a_locked_key(tmp_path: Path) -> None:
    a_key(tmp_path / "locked", SECRET)
    with pytest.raises(asyncssh.KeyImportError, match=ssh_config.PASSPHRASE_NEEDED):
        asyncssh.read_private_key(tmp_path / "locked")


class TestAgent:
    @pytest.fixture
    def agent(self, tmp_path: Path) -> Iterator[str]:
        """A running ssh-agent's socket."""
        socket = str(tmp_path / "agent")
        process = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        while not os.path.exists(socket):
            assert process.poll() is None
        yield socket
        process.terminate()
        process.wait()

    def add(self, agent: str, *files: Path) -> None:
        for file in files:
            subprocess.run(
                ["ssh-add", "-q", str(file)], env={**os.environ, "SSH_AUTH_SOCK": agent}, check=True
            )

    async def test_its_keys_come_first_and_those_that_are_named_before_the_others(
        self, agent: str, tmp_path: Path
    ) -> None:
        one, two, three = (a_key(tmp_path / name) for name in ("one", "two", "three"))
        self.add(agent, *(tmp_path / name for name in ("one", "two", "three")))
        assert await shown(settings(agent=agent)) == [one, two, three]
        named = tmp_path / "three"
        assert await shown(settings(named, agent=agent)) == [three, one, two]
        assert await shown(settings(named, agent=agent, only=True)) == [three]

    @pytest.mark.parametrize("name", ["only.pub", "only"])
    async def test_a_key_may_be_named_by_a_file_of_its_public_half(
        self, agent: str, tmp_path: Path, name: str
    ) -> None:
        one, two = (a_key(tmp_path / key) for key in ("one", "two"))
        self.add(agent, tmp_path / "one", tmp_path / "two")
        (tmp_path / "two.pub").rename(tmp_path / name)
        (tmp_path / "two").unlink()
        named = tmp_path / name
        assert await shown(settings(named, agent=agent)) == [two, one]
        assert await shown(settings(named, agent=agent, only=True)) == [two]

    async def test_a_locked_key_that_it_holds_needs_no_passphrase(self, agent: str, tmp_path: Path) -> None:
        key = a_key(tmp_path / "one")
        self.add(agent, tmp_path / "one")
        asyncssh.read_private_key(tmp_path / "one").write_private_key(
            tmp_path / "one", passphrase=SECRET, rounds=50
        )
        assert await shown(settings(tmp_path / "one", agent=agent)) == [key]

    async def test_without_any_key_in_it_the_files_count(self, agent: str, tmp_path: Path) -> None:
        key = a_key(tmp_path / "one", public=False)
        assert await shown(settings(tmp_path / "one", agent=agent)) == [key]

    async def test_one_that_is_not_there_is_none(self, tmp_path: Path) -> None:
        key = a_key(tmp_path / "one")
        assert await shown(settings(tmp_path / "one", agent=str(tmp_path / "nowhere"))) == [key]


async def test_a_file_without_an_end_is_no_key(tmp_path: Path) -> None:
    good = a_key(tmp_path / "good")
    assert await shown(settings(Path("/dev/zero"), tmp_path / "good")) == [good]
