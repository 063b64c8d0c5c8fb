#!/bin/sh
# Writes requirements/*.lock: every package that an install takes, with its hashes, for Python 3.11 and
# later on Linux and macOS, and the formula in packaging/homebrew. Pins that still fit stay; `tools/lock.sh --upgrade`
# takes the newest.
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
"${PYTHON:-python3}" -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv

# A folder of local wheels would put hashes in the lock that nobody else can match.
unset PIP_FIND_LINKS UV_FIND_LINKS || true

# compile TITLE OUTPUT SOURCE [OPTION...]
compile() {
    title=$1 output=$2
    shift 2
    if [ -f "$output" ]; then cp "$output" "$scratch/body"; else : >"$scratch/body"; fi
    "$scratch/venv/bin/uv" pip compile --quiet --no-config --universal --python-version 3.11 --no-header \
        --generate-hashes --output-file "$scratch/body" "$@" >/dev/null
    if grep -E '(file|https?)://|^-|^[^#]* @ ' "$scratch/body" >&2; then
        echo "lock: $output would name a place instead of a version (above)" >&2
        exit 1
    fi
    {
        echo "# $title"
        echo "# Made by 'make lock' from pyproject.toml for Python 3.11 and later; do not edit by hand."
        cat "$scratch/body"
    } >"$output"
}

mkdir -p requirements
# dev first, then the others held to what it chose: a test runs with what a player gets.
compile "What the tests and checks run with." requirements/dev.lock pyproject.toml --group dev "$@"
compile "What Cartino runs with." requirements/run.lock pyproject.toml --constraints requirements/dev.lock
printf 'hatchling\nhatch-fancy-pypi-readme\n' | compile "What builds Cartino." requirements/build.lock - \
    --constraints requirements/dev.lock --no-annotate
# Where the sources of the same versions are, for Homebrew.
"$scratch/venv/bin/uv" pip compile --quiet --no-config --universal --python-version 3.11 \
    --constraints requirements/run.lock --output-file "$scratch/pylock.toml" pyproject.toml >/dev/null
"$scratch/venv/bin/python" tools/formula.py "$scratch/pylock.toml"
echo "requirements: $(grep -c '==' requirements/run.lock) packages to run," \
    "$(grep -c '==' requirements/dev.lock) to develop"
