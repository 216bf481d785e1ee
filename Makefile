# One place for the commands a person types. `make` alone lists them.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## prepare .venv with everything pinned
$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("MACE needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: setup ## an agent on the record: killed, resumed, audited, erased, replayed; offline
	@$(BIN)/mace demo

test: setup ## everything that must pass
	MACE_ALWAYS_REPLAY=1 $(BIN)/python -m pytest -n auto --dist loadgroup -m "not long"

test-long: setup ## the long forms: more seeds, more records, more kills
	MACE_ALWAYS_REPLAY=long $(BIN)/python -m pytest -n auto --dist loadgroup

lint: setup ## style, types, import contracts
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

format: setup ## let ruff format the code
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

docs: setup ## write docs/api.md from the table of verbs
	$(BIN)/python docs/make_api.py

bench: setup ## side-by-side figures, ratios in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/python -m benchmarks

.PHONY: help setup demo test test-long lint format docs bench
