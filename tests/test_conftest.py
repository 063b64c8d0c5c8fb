"""`make test` runs a case of every test, and none that is long where another shows as much."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLE = '''
import unittest

import pytest

LONG = pytest.mark.soak


def test_short(long_run):
    print("ran", long_run)


@LONG
def test_only_long(long_run):
    print("ran", long_run)


@LONG
@pytest.mark.parametrize("number", [1, 2, 3])
def test_long_in_all_cases(number):
    """The first one runs."""


@pytest.mark.parametrize("number", [pytest.param(1, marks=LONG), 2, pytest.param(3, marks=LONG), 4])
def test_long_in_some_cases(number):
    """The others run."""


class TestInClass:
    @LONG
    @pytest.mark.parametrize("number", [1, 2])
    def test_only_long(self, number):
        """Another test than the function of this name."""


@LONG
class TestOfUnittest(unittest.TestCase):
    def test_long(self):
        """Marked by its class."""


@pytest.fixture(params=[pytest.param(1, marks=LONG), pytest.param(2, marks=LONG)])
def world(request):
    return request.param


def test_long_by_its_fixture(world):
    """The first one runs."""
'''


def run(folder: Path, *options: str) -> tuple[set[str], set[str]]:
    """Return which cases of the example run, and what is printed."""
    (folder / "test_example.py").write_text(EXAMPLE)
    (folder / "conftest.py").write_text("from tests.conftest import *")
    words = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder), "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "-v", "-s", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases = re.findall(r"test_example\.py::(\S+) ", done.stdout)
    return set(cases), set(re.findall("ran (?:True|False)", done.stdout))


def test_of_a_test_that_is_always_long_the_first_case_runs_and_is_short(tmp_path: Path) -> None:
    cases, printed = run(tmp_path)
    assert cases == {
        "test_short",
        "test_only_long",
        "test_long_in_all_cases[1]",
        "test_long_in_some_cases[2]",
        "test_long_in_some_cases[4]",
        "TestInClass::test_only_long[1]",
        "TestOfUnittest::test_long",
        "test_long_by_its_fixture[1]",
    }
    assert printed == {"ran False"}


def test_a_soak_runs_every_long_case_whole(tmp_path: Path) -> None:
    cases, printed = run(tmp_path, "-m", "soak")
    assert cases == {
        "test_only_long",
        *(f"test_long_in_all_cases[{number}]" for number in (1, 2, 3)),
        *(f"test_long_in_some_cases[{number}]" for number in (1, 3)),
        *(f"TestInClass::test_only_long[{number}]" for number in (1, 2)),
        "TestOfUnittest::test_long",
        *(f"test_long_by_its_fixture[{number}]" for number in (1, 2)),
    }
    assert printed == {"ran True"}
