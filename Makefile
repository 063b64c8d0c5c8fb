# Works with GNU make 3.81 and later. `make` alone says what there is.
SHELL := /bin/sh
PY := .venv/bin/python
# Options for what a target runs: make play ARGS="--help", make test ARGS="-k board"
ARGS ?=
# Some tests wait for programs, so two cores serve four; each more collects all tests once more.
WORKERS ?= 4
# The long ones compute more, and some of them hold a server to its promised times.
SOAK_WORKERS ?= 2

# Else every worker of the tests, and every program that they start, compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help play serve test soak bench bench-quick lint format words manual pictures wheel mutants audit lock clean setup-run setup-dev

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)$$/\1|\2/p' Makefile | \
		while IFS='|' read -r name what; do printf '  make %-12s %s\n' "$$name" "$$what"; done

play: setup-run ## play at a table on this machine
	@.venv/bin/cartino play $(ARGS)

serve: setup-run ## run a server that players reach with ssh
	@.venv/bin/cartino serve $(ARGS)

test: setup-dev ## run every test, of the soak only the beginning
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

soak: setup-dev ## run the long tests: every size, sieges, many players, new examples
	$(PY) -m pytest -n $(SOAK_WORKERS) --dist loadgroup -m "soak or hypothesis" --timeout 3600 --hypothesis-profile=new $(ARGS)

bench: setup-run ## run the benchmarks
	$(PY) -m bench $(ARGS)

bench-quick: setup-run ## run shorter benchmarks
	$(PY) -m bench --quick $(ARGS)

lint: setup-dev ## check style, types, layers, workflows and metadata
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo
	.venv/bin/zizmor --offline --quiet .github
	.venv/bin/sp-repo-review --show err .

format: setup-dev ## format the code
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

words: setup-dev ## add new sentences to the translations and compile them (only check: ARGS=--check)
	$(PY) -m tools.catalogues $(ARGS)

manual: setup-dev ## update the manual page and shell completions
	$(PY) -m tools.manual

pictures: setup-dev ## update the pictures of README and site
	$(PY) -m tools.picture
	$(PY) -m tools.recording

wheel: setup-dev ## build wheel, source and SBOM in dist/, check that they are reproducible, test the wheel
	$(PY) -m tools.check_wheel

mutants: setup-dev ## change a hundred lines one by one and count how many changes the tests notice (takes an hour)
	$(PY) -m tools.mutants $(ARGS)

audit: setup-dev ## check the locked packages for known vulnerabilities
	$(PY) -m tools.audit $(ARGS)

lock: ## update the versions in requirements/ (newest: ARGS=--upgrade)
	sh tools/lock.sh $(ARGS)

clean: ## remove what make has created
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

setup-run:
	@sh tools/setup.sh run

setup-dev:
	@sh tools/setup.sh dev
