"""Build the wheel and try it as a player would get it: `python -m tools.check_wheel`.

It must hold the packages, the manual page and the completions and nothing else, install next to the locked packages
in a clean environment, and run from there, also as in a strict container (`bare_root`). The example of a game by
others is built and installed beside it.

It is built twice more, from the source distribution and, in another folder, from files of another day: all must be the
same to the last byte. What it runs with is written down beside it (CycloneDX), and the hashes of all three.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.bare_root import BareRootError, check_bare_root

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
EXAMPLE = ROOT / "examples/crazy-eights"
GAME = EXAMPLE.name
PACKAGES = {"cartino_engine", "cartino_games", "cartino_tui", "cartino_server", "cartino_protocol"}


class WheelError(Exception):
    """The wheel is not what it should be."""


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a command, with `env` added to the environment, and return what it printed; show that only when it fails."""
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise WheelError(f"{' '.join(map(str, command))} failed with exit code {done.returncode}")
    return done.stdout


def build() -> tuple[Path, Path]:
    """Build the wheel and the source distribution with the locked build tools, and no other release beside them."""
    for kind in ("whl", "tar.gz", "cdx.json"):
        for old in DIST.glob(f"cartino-*.{kind}"):
            old.unlink()
    return build_in(ROOT, DIST, moment()), build_in(ROOT, DIST, moment(), "sdist")


def build_in(tree: Path, target: Path, seconds: str, kind: str = "wheel") -> Path:
    """Build the wheel of `tree`, or its `sdist`, into `target`, dated `seconds` (Unix)."""
    command = (sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", target, tree)
    run(*command, cwd=tree, env={"SOURCE_DATE_EPOCH": seconds})
    (built,) = target.glob("cartino-*.whl" if kind == "wheel" else "cartino-*.tar.gz")
    return built


def moment() -> str:
    """Return the Unix seconds that the wheel is dated: SOURCE_DATE_EPOCH, else those of the last commit."""
    return os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct").strip()


def check_reproducible(wheel: Path, source: Path) -> None:
    """Build once more from a copy of the files that git has, in another folder, with other times, rights and locale."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "elsewhere")
        # In another order, too: a file system lists files as it likes.
        for name in sorted(run("git", "ls-files", "-z").split("\0"), reverse=True):
            file = ROOT / name
            if name and file.is_file():
                copy = tree / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
                copy.chmod(0o600 | file.stat().st_mode & 0o100)
                os.utime(copy, (1_000_000_000, 1_000_000_000))
        check_same(wheel, build_in(tree, Path(folder, "dist"), moment()), "elsewhere")
        again = build_in(tree, Path(folder, "source"), moment(), "sdist")
        if again.name != source.name or digest(again) != digest(source):
            raise WheelError(f"{source.name} is not the same when it is built elsewhere")


def check_source(wheel: Path, source: Path) -> None:
    """Build a wheel from the source distribution, which must be the same."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
        tree = Path(folder, source.name.removesuffix(".tar.gz"))
        check_same(wheel, build_in(tree, Path(folder, "dist"), moment()), f"from {source.name}")


def check_same(wheel: Path, again: Path, how: str) -> None:
    """Raise WheelError unless both wheels have the same name and bytes; `how` says where `again` was built."""
    if again.name != wheel.name or digest(again) != digest(wheel):
        raise WheelError(f"{wheel.name} is not the same when it is built {how}: {differences(wheel, again)}")


def digest(file: Path) -> str:
    """Return the SHA-256 of `file`, in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def differences(one: Path, other: Path) -> list[str]:
    """Return the names of what two wheels hold differently, or have only in one."""
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(other) as second:
        entries = [
            {info.filename: (info.CRC, info.date_time, info.external_attr) for info in archive.infolist()}
            for archive in (first, second)
        ]
    return sorted({name for name, _ in entries[0].items() ^ entries[1].items()}) or ["the order of its files"]


def write_materials(wheel: Path, python: Path) -> str:
    """Write what the wheel runs with, installed for `python`, as a CycloneDX file beside it; return its name.

    The hashes of all that is published stand in SHA256SUMS beside them.
    """
    materials = wheel.with_name(f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json")
    made = (sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--of", "JSON")
    named = ("--pyproject", ROOT / "pyproject.toml", "--output-file", materials, python)
    run(*made, *named, env={"SOURCE_DATE_EPOCH": moment()})
    told = json.loads(materials.read_text())
    # Its version stands in the code; what has installed it is no part of it.
    told["metadata"]["component"]["version"] = wheel.name.split("-")[1]
    beside = {each["bom-ref"] for each in told["components"] if each["name"] in {"pip", "setuptools"}}
    told["components"] = [each for each in told["components"] if each["bom-ref"] not in beside]
    told["dependencies"] = [each for each in told["dependencies"] if each["ref"] not in beside]
    materials.write_text(json.dumps(told, indent=2) + "\n")
    published = (wheel, *DIST.glob("cartino-*.tar.gz"), materials)
    sums = "".join(f"{digest(file)}  {file.name}\n" for file in published)
    (DIST / "SHA256SUMS").write_text(sums)
    return materials.name


def check_materials(materials: Path) -> int:
    """Check that the file names every package that an install takes, in its locked version; return their number."""
    found = {
        (each["name"].lower().replace("_", "-"), each["version"])
        for each in json.loads(materials.read_text())["components"]
    }
    lock = (ROOT / "requirements/run.lock").read_text()
    # Behind a ";" stands which Python or system needs it.
    needed = set(re.findall(r"^([\w.-]+)==([^ ;]+) \\$", lock, re.MULTILINE))
    missing = {name for name, version in needed if (name, version) not in found}
    if missing or not needed:
        raise WheelError(f"{materials.name} lacks {sorted(missing)}")
    return len(needed)


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
            ROOT / "engine/cartino_engine",
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


def check_install(wheel: Path) -> tuple[str, str]:
    """Install the wheel in a clean environment, load the packages there; return the version and how it was started."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "venv", with_pip=True, symlinks=True)
        python = home / "venv/bin/python"
        pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install")
        run(*pip, "--require-hashes", "-r", ROOT / "requirements/run.lock")
        run(*pip, "--no-deps", "--no-index", wheel)
        run(python, "-m", "pip", "--disable-pip-version-check", "check")
        check_materials(DIST / write_materials(wheel, python))
        shows = "print(cartino_protocol.__file__, cartino_protocol.__version__, sep='\\n')"
        loads = f"import {', '.join(sorted(PACKAGES))}; {shows}"
        where, version = run(python, "-I", "-c", loads, cwd=home).splitlines()
        if not Path(where).resolve().is_relative_to(home.resolve()):
            raise WheelError(f"the clean environment loaded {where}")
        if f"-{version}-" not in wheel.name:
            raise WheelError(f"{wheel.name} says that it is version {version}")
        if (ROOT / "server/cartino_server/cli/main.py").exists():
            run(home / "venv/bin/cartino", "--help", cwd=home)
        run(*pip, "--no-deps", "--no-index", build_example(home))
        run(python, "-m", "pip", "--disable-pip-version-check", "check")
        check_example(home / "venv/bin", home)
        return version, check_bare_root(home / "venv")


def main() -> int:
    """Build the wheel, check it, and say so."""
    try:
        wheel, source = build()
        count = check_contents(wheel)
        with ThreadPoolExecutor() as at_once:
            installed = at_once.submit(check_install, wheel)
            check_source(wheel, source)
            check_reproducible(wheel, source)
            version, started = installed.result()
    except (WheelError, BareRootError) as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 1
    print(f"wheel: dist/{wheel.name} holds {count} files, installs and loads as version {version}")
    print(f"wheel: {started}")
    print(f"wheel: built three times, in three folders, it is {digest(wheel)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
