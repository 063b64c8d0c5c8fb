"""The unit under which systemd runs the house: what it may do is little, and it is what a house needs."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cartino_server.entry.arguments import parser
from cartino_server.entry.errors import MISUSE

PLACE = Path(__file__).parents[2] / "share" / "systemd"
UNIT, ON_PORT_22 = PLACE / "cartino.service", PLACE / "port-22.conf"
MOST_EXPOSED = 25
"""In tenths, as systemd-analyze counts."""


def _settings(*files: Path) -> dict[str, str]:
    """The settings of the section [Service]; of one that stands twice, the last."""
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    for file in files:
        read.read_string(file.read_text())
    return dict(read["Service"])


@pytest.mark.parametrize("drop_ins", [(), (ON_PORT_22,)], ids=["port-2222", "port-22"])
@pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
def test_systemd_finds_little_to_attack(drop_ins: tuple[Path, ...], tmp_path: Path) -> None:
    assert shutil.which("systemd-analyze"), "tools/setup.sh dev installs it"
    whole = tmp_path / "cartino.service"
    whole.write_text("\n".join(file.read_text() for file in (UNIT, *drop_ins)))
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", str(whole)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    [level] = re.findall(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert float(level) * 10 < MOST_EXPOSED


def test_it_has_a_user_a_directory_and_bounds_of_its_own() -> None:
    unit = _settings(UNIT)
    assert unit["User"] == unit["Group"] == "cartino"
    assert (unit["ProtectSystem"], unit["NoNewPrivileges"]) == ("strict", "yes")
    assert unit["ReadWritePaths"] == f"/var/lib/{unit['StateDirectory']}"
    assert {"MemoryMax", "TasksMax", "LimitNOFILE"} <= unit.keys()
    assert unit["CapabilityBoundingSet"] == ""
    assert _settings(UNIT, ON_PORT_22)["CapabilityBoundingSet"] == "CAP_NET_BIND_SERVICE"


def test_what_it_starts_is_understood() -> None:
    unit = _settings(UNIT)
    program, *words = unit["ExecStart"].split()
    assert program == "/opt/cartino/bin/cartino"
    understood = parser(words).parse_args(words)
    assert understood.command == "serve"
    assert understood.data == f"/var/lib/{unit['StateDirectory']}"


def test_wrong_settings_are_not_tried_again() -> None:
    assert _settings(UNIT)["RestartPreventExitStatus"] == str(MISUSE)
