"""The manual page and the completions say what the command line understands now: `make manual` writes them anew."""

import subprocess

import pytest

from tools.manual import COMPLETIONS, PAGE, SHARE, files


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return files()


def test_the_page_says_what_the_parser_says(made: dict[str, str]) -> None:
    """But for where its lines break, which is not the same in every Python."""
    assert (SHARE / PAGE).read_text().split() == made[PAGE].split()


@pytest.mark.parametrize("place", COMPLETIONS.values())
def test_shells_complete_what_the_parser_knows(place: str, made: dict[str, str]) -> None:
    assert (SHARE / place).read_text() == made[place]


def test_every_command_and_option_has_a_place_on_the_page() -> None:
    page = (SHARE / PAGE).read_text().replace("\\-", "-")
    for word in ("play", "connect", "serve", "backup", "doctor", "export", "verify", "replay", "--edition"):
        assert word in page


def test_bash_takes_its_completions() -> None:
    words = "cartino se"
    script = (
        f'source "{SHARE / COMPLETIONS["bash"]}"; COMP_WORDS=({words}); COMP_CWORD=1; '
        '_shtab_cartino; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["serve"], done
