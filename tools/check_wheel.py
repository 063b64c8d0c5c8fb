"""Build the wheel and try it as a player would get it: `python tools/check_wheel.py`.

It must hold the packages, the manual page and the completions and nothing else, install next to the locked packages
in a clean environment, and run from there. The example of a game by others is built and installed beside it.
"""

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
EXAMPLE = ROOT / "examples/crazy-eights"
GAME = EXAMPLE.name
PACKAGES = {"cartino_games", "cartino_tui", "cartino_server", "cartino_protocol"}


class WheelError(Exception):
    """The wheel is not what it should be."""


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return what it printed; show that only when it fails."""
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise WheelError(f"{' '.join(map(str, command))} failed with exit code {done.returncode}")
    return done.stdout


def build() -> Path:
    """Build the wheel with the locked build tools, and no other wheel beside it."""
    for old in DIST.glob("cartino-*.whl"):
        old.unlink()
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", DIST, ROOT)
    (wheel,) = DIST.glob("cartino-*.whl")
    return wheel


def check_contents(wheel: Path) -> int:
    """Check what lies in the wheel, and return the number of files of the packages."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    info = {top for top in tops if top.startswith("cartino-") and top.endswith(".dist-info")}
    data = {top.removesuffix(".dist-info") + ".data" for top in info}
    if tops - info - data != PACKAGES or len(info) != 1:
        raise WheelError(
            f"{wheel.name} holds {sorted(tops)}, not just {sorted(PACKAGES)}, data and one dist-info"
        )
    shared = {name.partition(".data/data/")[2] for name in names} - {""}
    beside = {str(file.relative_to(ROOT)) for file in (ROOT / "share").rglob("*") if file.is_file()}
    if shared != beside or not beside:
        raise WheelError(f"{wheel.name} brings {sorted(shared)} for the system, and not {sorted(beside)}")
    untyped = [package for package in PACKAGES if f"{package}/py.typed" not in names]
    if untyped:
        raise WheelError(f"{wheel.name} lacks py.typed in {sorted(untyped)}")
    junk = [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    if junk:
        raise WheelError(f"{wheel.name} holds compiled files: {junk}")
    # What is in the folders but not in the wheel would work here and be missing at the player's.
    sources = {
        str(file.relative_to(folder.parent))
        for folder in (
            ROOT / "cartino_tui",
            ROOT / "games/cartino_games",
            ROOT / "server/cartino_server",
            ROOT / "protocol/cartino_protocol",
        )
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    missing = sources - set(names)
    if missing:
        raise WheelError(f"{wheel.name} lacks {sorted(missing)}")
    uncompiled = {name for name in sources if name.endswith(".po")} - {
        name.replace(".mo", ".po") for name in names
    }
    if uncompiled:
        raise WheelError(f"{wheel.name} has nothing that the app reads for {sorted(uncompiled)}")
    return len(sources)


def build_example(folder: Path) -> Path:
    """Build the wheel of the example in `folder`, with the locked build tools and nothing from the net."""
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel")
    run(*pip, "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, EXAMPLE)
    (wheel,) = folder.glob("*.whl")
    return wheel


def documented() -> list[str]:
    """Return the commands of the example's README that need neither its folder nor a terminal."""
    block = (EXAMPLE / "README.md").read_text().partition("```sh\n")[2].partition("```")[0]
    commands = [line.partition("#")[0].strip() for line in block.splitlines()]
    return [each for each in commands if each.startswith("cartino ") and not each.startswith("cartino play")]


def check_example(programs: Path, home: Path) -> None:
    """Run what the example's README says, with the `programs` first on the path, and look at what it printed."""
    commands = documented()
    if [command.split()[1] for command in commands] != ["check-game", "simulate", "verify"]:
        raise WheelError(f"the README of {GAME} has the commands {commands}")
    checks, _, verified = (
        run("sh", "-c", f'PATH="{programs}:$PATH"; {command}', cwd=home) for command in commands
    )
    if "failed" in checks or not checks.startswith("ok"):
        raise WheelError(f"check-game {GAME} says {checks}")
    records = len(list((home / "records").glob("*.jsonl")))
    if verified.count("lines verified") != records or not records:
        raise WheelError(f"{records} records of {GAME} were made, and verified as {verified}")


def check_install(wheel: Path) -> str:
    """Install the wheel in a clean environment, load the packages there, and return the version."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "venv", with_pip=True, symlinks=True)
        python = home / "venv/bin/python"
        pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install")
        run(*pip, "--require-hashes", "-r", ROOT / "requirements/run.lock")
        run(*pip, "--no-deps", "--no-index", wheel)
        run(python, "-m", "pip", "--disable-pip-version-check", "check")
        shows = "print(cartino_protocol.__file__, cartino_protocol.__version__, sep='\\n')"
        loads = f"import {', '.join(sorted(PACKAGES))}; {shows}"
        where, version = run(python, "-I", "-c", loads, cwd=home).splitlines()
        if not Path(where).resolve().is_relative_to(home.resolve()):
            raise WheelError(f"the clean environment loaded {where}")
        if f"-{version}-" not in wheel.name:
            raise WheelError(f"{wheel.name} says that it is version {version}")
        if (ROOT / "server/cartino_server/entry/main.py").exists():
            run(home / "venv/bin/cartino", "--help", cwd=home)
        run(*pip, "--no-deps", "--no-index", build_example(home))
        run(python, "-m", "pip", "--disable-pip-version-check", "check")
        check_example(home / "venv/bin", home)
        return version


def main() -> int:
    """Build the wheel, check it, and say so."""
    try:
        wheel = build()
        count = check_contents(wheel)
        version = check_install(wheel)
    except WheelError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 1
    print(f"wheel: dist/{wheel.name} holds {count} files, installs and loads as version {version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
