# make play    opens the page in the browser: every game, against the computer or not (ARGS=--no-browser prints its address)
# make setup   an environment in .venv with all that the tests need; everything below does this first, once
# make test    lint, types and all tests          make lint   only the first two
# make bench   the speed of this machine          make clean  removes what the above made
# make fuzz         tries to break everything, MINUTES=5 long, by WORKERS=2 processes; SEED=N repeats what another run drew
# make network      PyTorch, for tesuji learn network and its tests, which are skipped without it
# make onnx         ONNX Runtime, for examples/onnx_evaluator.py and its test, which is skipped without it
# make docs         the documentation as a site in build/docs, with search and the reference
# make browser      Chromium from Debian for the tests of the page, which are skipped without one (needs root)
# make pictures     the pictures of the page in README.md anew, by that browser and a real engine
# make signatures   writes tests/signatures.json anew, after a change that is meant to change searches
# PYTHON=python3.13 chooses the interpreter (3.11 or later); VENV=folder another place for the environment.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PLAYS := $(VENV)/.tesuji-plays
CORE := $(VENV)/.tesuji-core
STAMP := $(VENV)/.tesuji-installed
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
JOBS ?= 2

.PHONY: setup play test lint bench fuzz docs network onnx browser pictures signatures clean

setup: $(STAMP)

# What playing needs: the package itself, editable. The build backend goes in first and is used as installed, so that it is pinned
# too.
$(PLAYS): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) setuptools
	$(PIP) --no-compile --no-build-isolation --editable .
	@touch $@

# What lint and tests need beside it.
$(CORE): $(PLAYS)
	$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

# OpenSpiel is only measured against, and Ray is for several machines: where one has no wheel, everything else works without it.
# Most of their modules are never used, so bytecode is left to those that are.
$(STAMP): $(CORE)
	$(PIP) --no-compile --only-binary :all: open_spiel || echo "OpenSpiel is not available here: skipped (benchmarks run without it)"
	$(PIP) --no-compile --only-binary :all: ray || echo "Ray is not available here: skipped (there is no --cluster, and its tests are skipped)"
	@touch $@

play: $(PLAYS)
	$(BIN)/tesuji play connect4:7x6 --level 5 $(ARGS)

LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/basedpyright --pythonpath $(BIN)/python

lint: $(CORE)
	$(LINT)

REST = $(MAKE) --no-print-directory setup

# Lint runs beside the last of the set-up and the tests, and what it says comes after what they say. Either may fail.
# Tests start some hundred processes, and each would compile all modules anew where Python is told to keep no bytecode.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(CORE)
	@said=$$(mktemp); { $(LINT); } >$$said 2>&1 & lint=$$!; \
	$(REST) && $(BIN)/pytest -n $(JOBS) --dist worksteal; tests=$$?; \
	wait $$lint; linted=$$?; cat $$said; rm -f $$said; exit $$((tests || linted))

# A browser is a help to the tests, not a condition: without apt, or without root, they are skipped, with that reason.
browser:
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } \
	|| echo "Chromium could not be installed: the tests that need a browser are skipped"

# By its version alone, as the constraints have it: the wheel for CPUs where there is one.
network: setup
	$(PIP) --no-compile --only-binary :all: "$$(grep '^torch==' constraints.txt)" \
	|| echo "PyTorch is not available here: skipped (there is no tesuji learn network, and its tests are skipped)"

onnx: setup
	$(PIP) --no-compile --only-binary :all: onnx onnxruntime || echo "ONNX Runtime is not available here: the test of its example is skipped"

# Nothing is fetched while it builds, and a page that is built asks no other server. The variable silences an advertisement.
docs: export NO_MKDOCS_2_WARNING := 1
docs: $(CORE)
	$(PIP) --no-compile --no-build-isolation --editable '.[docs]'
	$(BIN)/mkdocs build
	@echo "build/docs/index.html; with the search: $(BIN)/python -m http.server -d build/docs"

bench: setup
	$(BIN)/tesuji bench

MINUTES ?= 5
WORKERS ?= 2

fuzz: setup
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --workers $(WORKERS) $(if $(SEED),--seed $(SEED)) $(ARGS)

pictures: setup
	$(BIN)/python tests/web/take_pictures.py readme

signatures: setup
	$(BIN)/python tests/write_signatures.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
