"""The language of a person's terminal reaches the table: seen by the letters of the court cards."""

import subprocess

import pytest

from cartino_tui.i18n import Language, translator_for
from tests.support.own_ssh import path_with_ssh_of
from tests.support.ssh_world import CARTINO, SshServer, play_at_home
from tests.support.terminals import Terminal, Terminals

pytestmark = pytest.mark.e2e

LETTERS = {"en": "AKQJ", "fr": "ARDV", "de": "AKDB"}
SPOKEN = pytest.mark.parametrize(
    ("env", "language"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_CH.UTF-8"}, "fr"),
        ({"LANG": "pl_PL.UTF-8"}, "en"),
        ({}, "en"),
    ],
)


def sees_letters(window: Terminal, language: Language) -> None:
    """The table has the letters of that language and no others."""
    window.sees(rf"q {translator_for(language).gettext('leave')}")
    window.sees(rf"{LETTERS[language][-1]}[♠♥♦♣]")
    others = set("AKQJRDVB") - set(LETTERS[language])
    shown = window.screen()
    assert [letter for letter in sorted(others) if f"{letter}♠" in shown] == []


def leaves(window: Terminal, language: Language) -> None:
    """Leave the table and the server by the keys that the hint line names."""
    gettext = translator_for(language).gettext
    for key, then in (("q", f"y {gettext('yes')}"), ("y", f"q {gettext('quit')}")):
        window.press(key)
        window.sees(then)
    window.press("q")
    assert window.exit_status() == 0


@SPOKEN
def test_over_ssh(ssh_server: SshServer, env: dict[str, str], language: Language) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", env=env, options=("-o", "SendEnv=LANG LC_MESSAGES"))
    sees_letters(ann, language)
    leaves(ann, language)


@SPOKEN
def test_on_this_machine(terminals: Terminals, env: dict[str, str], language: Language) -> None:
    ann = play_at_home(terminals, env=env)
    sees_letters(ann, language)
    leaves(ann, language)


def test_drawn_at_home(
    ssh_server: SshServer, terminals: Terminals, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".ssh").mkdir(mode=0o700)
    scan = ["ssh-keyscan", "-p", str(ssh_server.port), "127.0.0.1"]
    keys = subprocess.run(scan, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    (home / ".ssh/known_hosts").write_text(keys.stdout)
    env = {"HOME": str(home), "SSH_AUTH_SOCK": "", "LANG": "fr_FR.UTF-8", "PATH": path_with_ssh_of(home)}
    code = ssh_server.visit("bob", "new", "--seats", "2").sees(r"table ([A-Z0-9]{4})")[1]
    where = ("127.0.0.1", "--port", str(ssh_server.port))
    ann = terminals.open(*CARTINO, "connect", *where, "--name", "ann", "--join", code, env=env)
    sees_letters(ann, "fr")
    leaves(ann, "fr")
