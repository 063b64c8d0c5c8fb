"""The unit under which systemd runs the server: what it may do is little, and it is what a server needs."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_server.app.worker_runtime import SERVER_GONE
from cartino_server.cli.commands import build_parser
from cartino_server.operations.settings import SYSTEM_SETTINGS, ServerSettings, read_settings

PLACE = Path(__file__).parents[2] / "share" / "systemd"
UNIT, ON_PORT_22 = PLACE / "cartino.service", PLACE / "port-22.conf"
EXAMPLE = PLACE.parent / "cartino.toml"
PAGE = (PLACE.parents[1] / "docs" / "hosting.md").read_text()
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
    understood = build_parser(words).parse_args(words)
    assert understood.command == "serve"
    assert understood.config == str(SYSTEM_SETTINGS)
    assert understood.data is None, "the file has it, for all commands alike"


def test_the_settings_that_a_host_writes_are_for_the_unit(tmp_path: Path) -> None:
    """As the page for hosts has it: with a command that takes the example for what it is."""
    [command] = re.findall(r"^sed -i '(s\|\^#data.*)' /etc/cartino/cartino.toml$", PAGE, re.MULTILINE)
    settings = tmp_path / "cartino.toml"
    shutil.copy(EXAMPLE, settings)
    subprocess.run(["sed", "-i", command, str(settings)], check=True)
    read = read_settings(str(settings), {}, {})
    assert read == msgspec.structs.replace(
        ServerSettings(), data=_settings(UNIT)["ReadWritePaths"], host="::"
    )
    [command] = re.findall(r"^sed -i '(s\|\^#port.*)' /etc/cartino/cartino.toml$", PAGE, re.MULTILINE)
    subprocess.run(["sed", "-i", command, str(settings)], check=True)
    assert read_settings(str(settings), {}, {}).port == 22


def test_the_page_for_hosts_names_files_that_there_are_and_is_not_too_wide() -> None:
    for name in re.findall(r"(?:share|requirements)/[\w./-]+\w", PAGE):
        assert (PLACE.parents[1] / name).is_file(), name
    assert max(map(len, PAGE.splitlines())) <= 120


def test_the_page_installs_the_manual_that_the_unit_names() -> None:
    assert "\nDocumentation=man:cartino(1)\n" in UNIT.read_text()
    assert re.search(r"^install -Dm644 share/(man/man1/cartino\.1) \S+/share/\1$", PAGE, re.MULTILINE)


def test_the_container_is_built_as_the_page_says() -> None:
    """In Docker's format alone does it keep its health check."""
    first = (PLACE.parents[1] / "Containerfile").read_text().splitlines()[0]
    command = first.removeprefix("# ")
    assert command.startswith("podman build --format docker ")
    assert f"`{command}`" in PAGE


def test_wrong_settings_are_not_tried_again() -> None:
    assert _settings(UNIT)["RestartPreventExitStatus"] == str(MISUSE)


def test_a_server_that_hangs_is_ended_and_started_again() -> None:
    unit = _settings(UNIT, ON_PORT_22)
    # The process that is started tells of itself, and nobody else is believed.
    assert (unit["Type"], unit["NotifyAccess"]) == ("notify", "main")
    assert "AF_UNIX" in unit["RestrictAddressFamilies"].split()
    assert unit["WatchdogSec"] == "30"
    # As at any other failure; and nothing of the server's memory is written anywhere.
    assert (unit["Restart"], unit["LimitCORE"]) == ("on-failure", "0")
    assert "WatchdogSignal" not in unit


@pytest.mark.parametrize(
    ("result", "waits"),
    [("success", False), ("exit-code", False), ("watchdog", True), ("signal", True), ("oom-kill", True)],
)
def test_after_an_end_without_leave_workers_have_time_for_theirs(result: str, waits: bool) -> None:
    [script] = re.findall(r"^/bin/sh -c '(.*)'$", _settings(UNIT)["ExecStopPost"])
    told = 'sleep() { echo "waits for $1 s"; }; ' + script.replace("$$", "$")
    done = subprocess.run(
        ["/bin/sh", "-c", told], env={"SERVICE_RESULT": result}, capture_output=True, text=True, check=True
    )
    assert done.stdout == ("waits for 3 s\n" if waits else "")
    assert SERVER_GONE.time_limit == 3


@pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
def test_systemd_understands_every_line(tmp_path: Path) -> None:
    whole = tmp_path / "cartino.service"
    text = UNIT.read_text().replace("/opt/cartino/bin/cartino", sys.executable)
    whole.write_text("\n".join((text, ON_PORT_22.read_text())))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(whole)], capture_output=True, text=True, check=False
    )
    about = [line for line in done.stderr.splitlines() if line.startswith(str(whole))]
    assert about == []
