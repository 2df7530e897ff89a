# Every target starts from a bare machine: Python 3.11 or later and make are all it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: demo test test-all check fix audit bench docs release clean

demo: $(VENV)/.user                 ## the main job on text that every Python installation has
	$(BIN)/foretext demo --output demo --overwrite

test: $(VENV)/.dev                  ## the tests but the slow ones; no network, no file outside the repository
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: $(VENV)/.dev              ## every test
	$(BIN)/python -m pytest -n 2

check: $(VENV)/.dev                 ## formatting, lints, types, and which room may import which
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/.dev                   ## let ruff mend what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

MINUTES ?= 10
SEED    ?= $(shell date +%Y%m%d)
audit: $(VENV)/.dev                 ## kills, damaged files, hostile folders, odd surroundings
	$(BIN)/python -m tests.audit --minutes $(MINUTES) --seed $(SEED)

bench: $(VENV)/.dev                 ## ratios against the peers, interleaved; needs FORETEXT_DATA
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev                  ## run every code block of README and guides
	$(BIN)/python -m pytest tests/docs

release: $(VENV)/.dev               ## wheel and sdist in dist/, each tried in a fresh environment
	$(BIN)/python -m tools.release

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.user: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[dev]'
	touch $@ $(VENV)/.user

clean:
	rm -rf $(VENV) demo runs dist build
