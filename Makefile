# Every target works on a fresh machine: it needs only Python 3.11 or later and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: demo test test-all test-cluster clients windows arm check fix audit bench docs notebooks site release clean

demo: $(VENV)/.user                 ## the main job, on text that every Python installation has
	$(BIN)/foretext demo --output demo --overwrite

test: $(VENV)/.dev                  ## all tests except the slow ones; needs no network and no file outside the repository
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-all: $(VENV)/.dev              ## every test but those that kill nodes of a cluster
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not cluster" --durations=40 --durations-min=10

test-cluster: $(VENV)/.dev          ## nodes of a Ray cluster are killed; takes minutes, with nothing beside it
	$(BIN)/python -m pytest -m cluster tests/shards tests/vectors/replicas tests/docs

clients: $(VENV)/.dev               ## install real clients of the server and of exports, whose tests are skipped without them; 1.2 GB
	$(PIP) --editable '.[dev,clients]'
	-$(PYTHON) -m venv build/fastembed   # which needs other versions of what dev has
	-build/fastembed/bin/python -m pip install --quiet fastembed==0.9.1
	-if command -v npm >/dev/null; then ONNXRUNTIME_NODE_INSTALL=skip npm install --silent --ignore-scripts \
	    --no-fund --no-audit --prefix build/npm @huggingface/transformers@4.3.1; fi
	-if command -v npm >/dev/null; then npm install --silent --ignore-scripts --no-fund --no-audit \
	    --prefix build/llama --omit=optional node-llama-cpp@3.22.0 @node-llama-cpp/linux-x64@3.22.0; fi

windows: $(VENV)/.dev               ## Windows' Python with foretext's packages in build/wine, for tests under Wine; 0.5 GB
	$(BIN)/python -m tools.wine

arm: $(VENV)/.dev                   ## an ARM Python with numpy in build/arm, for tests of kernels under QEMU; 0.1 GB
	$(BIN)/python -m tools.arm

check: $(VENV)/.dev                 ## formatting, lints, types, and which package may import which
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.class_tests

fix: $(VENV)/.dev                   ## correct formatting and lints with ruff
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

MINUTES ?= 10
SEED    ?= $(shell date +%Y%m%d)
audit: $(VENV)/.dev                 ## kills, damaged files, hostile folders, unusual environments
	$(BIN)/python -m tests.audit --minutes $(MINUTES) --seed $(SEED)

bench: $(VENV)/.dev                 ## speed ratios against other programs; needs FORETEXT_DATA
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev                  ## run every code block in README and guides
	$(BIN)/python -m pytest tests/docs

notebooks: $(VENV)/.dev             ## write the lessons of docs/course/ as Jupyter notebooks to build/notebooks/
	$(BIN)/python -m tools.notebooks build/notebooks

site: $(VENV)/.site                 ## the documentation site in site/: both languages, with search, from disk
	$(BIN)/python -m tools.site build

release: $(VENV)/.dev               ## build wheel and sdist in dist/, and test each in a fresh environment
	$(BIN)/python -m tools.release

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.user: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[dev]'
	touch $@ $(VENV)/.user

$(VENV)/.site: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[neural,site]'
	touch $@

clean:
	rm -rf $(VENV) demo runs dist build site
