# Everything starts here: `make run` serves the studio, `make test` tests it, `make check` lints it, `make fix` formats it.
# Needs python3 (for uv, if that is not there) and a Python 3.12 that uv can find.

SHELL := /bin/sh
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
BIN := .venv/bin
PYTHON := $(BIN)/python
LOCKED := pyproject.toml uv.lock .python-version
WORKERS ?= 2
# Of the browser tests, and as many of the acceptance tests beside them: both mostly wait.
WAITING ?= 3
unexport PYTHONDONTWRITEBYTECODE # with it each of the hundreds of processes of the tests compiles all that it imports
# The store's suite; the other two break and measure SQLite's own file.
ON_POSTGRESQL := tests/stores --ignore tests/stores/test_figures.py --ignore tests/stores/test_verify.py

.DEFAULT_GOAL := help
.PHONY: help run test test-browser check fix chaos simulate bench shots clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

run: .venv/ready ## serve the studio at http://127.0.0.1:8000 (PORT, STUDIO_DATA), and print the sign-in link
	@$(PYTHON) manage.py serve --first-run

test: .venv/ready-to-test .venv/chromium ## all tests; installs what they need
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -m "not browser and not acceptance and not chaos"
	sh .ci/with-postgresql $(BIN)/pytest -n $(WORKERS) --dist loadfile $(ON_POSTGRESQL)
	sh .ci/side-by-side \
		'$(BIN)/pytest -n $(WAITING) --dist loadfile -m "not chaos" tests/acceptance' \
		'$(BIN)/pytest -n $(WAITING) --dist loadfile -m "not chaos" tests/browser'

test-browser: .venv/ready-to-test .venv/chromium ## the tests that drive Chromium
	$(BIN)/pytest -m browser

check: .venv/ready-to-test ## format, lint, types, layers, migrations, templates
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(PYTHON) manage.py makemigrations --check --dry-run --settings tests.settings
	$(PYTHON) manage.py check --fail-level WARNING --settings tests.settings
	$(BIN)/djlint templates --lint --quiet

fix: .venv/ready-to-test ## format the code, and mend what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

chaos: .venv/ready-to-test ## kill real processes, at length
	$(BIN)/pytest -m chaos

simulate: .venv/ready-to-test ## play runs drawn by chance: SEEDS=100000 of them, or SEED=7 alone
	SEEDS=$(SEEDS) SEED=$(SEED) $(BIN)/pytest -n $(if $(SEED),0,$(WORKERS)) tests/simulation

bench: .venv/ready-to-test ## measure, and write docs/benchmarks.md
	$(PYTHON) -m benchmarks

shots: .venv/ready-to-test .venv/chromium ## take the pictures of the README
	$(PYTHON) -m tests.browser.shots

clean: ## remove the environments; the data folder stays
	rm -rf .venv .uv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.uv/bin/uv:
	@echo "uv is not installed; putting it into .uv"
	@python3 -m venv .uv
	@.uv/bin/pip install --quiet uv

.venv/ready: $(LOCKED) | $(UV)
	@echo "Making the environment in .venv; this is done once and takes about a minute."
	@$(UV) sync --quiet --frozen --inexact --no-dev || { echo "The environment could not be made. Python 3.12 must be installed, and the package index reachable." >&2; exit 1; }
	@touch $@

.venv/ready-to-test: $(LOCKED) | $(UV)
	@$(UV) sync --frozen --inexact --extra local-model || { echo "The environment could not be made. Python 3.12 must be installed, and the package index reachable." >&2; exit 1; }
	@touch $@ .venv/ready

.venv/chromium: .venv/ready-to-test
	@sh .ci/chromium
	@touch $@
